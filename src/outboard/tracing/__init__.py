"""Job to trace: from torch, from a model configuration, from a saved file or from the traces that ship."""
