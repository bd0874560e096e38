"""Learned tokens before the text: prompt tuning (arXiv:2104.08691) and prefix tuning (arXiv:2101.00190)."""

from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from outboard.errors import JobError
from outboard.i18n import _

if TYPE_CHECKING:
    from outboard.tracing.sources.base import Built
    from outboard.types.job import Job


class Prompted(nn.Module):
    """A language model that reads ``tokens`` learned embeddings before each sequence, as ``peft`` builds it."""

    def __init__(self, model: Any, tokens: int) -> None:
        super().__init__()
        self.model = model
        width = model.get_input_embeddings().weight.shape[1]
        self.prompt = nn.Embedding(tokens, width, device="meta")

    def get_input_embeddings(self) -> Any:
        """Those of the model."""
        return self.model.get_input_embeddings()

    def forward(self, input_ids: torch.Tensor, labels: torch.Tensor, attention_mask: Any = None) -> Any:
        """The model's own output for the longer sequence; the learned tokens are not predicted."""
        batch, tokens = input_ids.shape[0], self.prompt.weight.shape[0]
        text = self.model.get_input_embeddings()(input_ids)
        places = torch.arange(tokens, device=text.device).unsqueeze(0).expand(batch, -1)
        embedded = torch.cat((self.prompt(places).to(text.dtype), text), dim=1)
        ignored = torch.full((batch, tokens), -100, dtype=labels.dtype, device=labels.device)
        labels = torch.cat((ignored, labels), dim=1)
        if attention_mask is not None:
            ahead = torch.ones(batch, tokens, dtype=attention_mask.dtype, device=attention_mask.device)
            attention_mask = torch.cat((ahead, attention_mask), dim=1)
        return self.model(inputs_embeds=embedded, labels=labels, attention_mask=attention_mask)


class Prefixed(nn.Module):
    """A decoder whose layers attend to ``tokens`` learned keys and values before those of the text."""

    def __init__(self, model: Any, tokens: int) -> None:
        super().__init__()
        self.model, self.tokens = model, tokens
        config = getattr(model.config, "text_config", model.config)
        heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
        size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        self.shape = (tokens, 2 * config.num_hidden_layers, heads, size)
        self.prefix = nn.Embedding(tokens, 2 * config.num_hidden_layers * heads * size, device="meta")

    def get_input_embeddings(self) -> Any:
        """Those of the model."""
        return self.model.get_input_embeddings()

    def forward(self, input_ids: torch.Tensor, labels: torch.Tensor, attention_mask: Any = None) -> Any:
        """The model's own output, with a cache that holds the learned keys and values already."""
        from transformers import DynamicCache

        batch = input_ids.shape[0]
        places = torch.arange(self.tokens, device=input_ids.device).unsqueeze(0).expand(batch, -1)
        learned = self.prefix(places).to(self.model.dtype).view(batch, *self.shape).permute(2, 0, 3, 1, 4)
        cache = DynamicCache()
        for layer, (keys, values) in enumerate(learned.split(2)):
            cache.update(keys, values, layer)
        ahead = torch.ones(batch, self.tokens + input_ids.shape[1], dtype=torch.int64, device=input_ids.device)
        return self.model(input_ids=input_ids, labels=labels, attention_mask=ahead, past_key_values=cache)


def add(built: "Built", job: "Job") -> None:
    """Wrap the model of ``built``; its batches stay as they are."""
    model: Any = built.model
    batch = built.make_batch(1)
    if not hasattr(model, "get_input_embeddings") or set(batch.kwargs) - {"input_ids", "labels", "attention_mask"}:
        message = _("{workload} is no language model, which {method} tuning needs; use --method lora")
        raise JobError(message.format(workload=job.workload, method=job.method))
    kind = Prompted if job.method == "prompt" else Prefixed
    built.model = kind(model, job.virtual_tokens)
    for parameter in built.model.parameters(recurse=True):
        if parameter.requires_grad:
            parameter.own_type = True  # type: ignore[attr-defined]
