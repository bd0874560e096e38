"""Model files of llama.cpp (GGUF): sizes and exact bytes from the header; no tensor is ever read."""

from outboard.gguf.model import Read, read

__all__ = ["Read", "read"]
