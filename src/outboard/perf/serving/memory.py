"""What llama.cpp asks of a device: weights, the cache of keys and values, and the buffers of one micro-batch.

Each follows from the model's sizes; nothing is fitted. Held against what llama.cpp reported itself on 276 runs.
"""

from dataclasses import dataclass

from outboard.perf.serving.quantisation import BITS, Mix
from outboard.perf.serving.weights import Weights, weights
from outboard.types.llm import LanguageModel

FLOAT = 4.0  # bytes of a value in the buffers, which are fp32 [B]
MICRO_BATCH = 512  # tokens that llama.cpp works on at a time when it reads a prompt (n_ubatch, the default)
SLACK = 2.0**20  # of the buffers, by what llama.cpp reports [B]
STREAMS = 4  # copies of the stream between layers that attention has beside its scores


@dataclass(frozen=True)
class Workload:
    """How a model is served: ``context`` tokens for each of ``users`` at once, the cache in type ``cache``."""

    context: int
    users: int = 1
    cache: str = "f16"
    micro_batch: int = MICRO_BATCH
    flash: bool = True  # flash attention never writes the scores down


@dataclass(frozen=True)
class Memory:
    """Bytes on the device, of what they are [B]; the embedding waits in the host's memory where it is not the head."""

    weights: float
    cache: float
    buffers: float
    host: float

    @property
    def device(self) -> float:
        """All on the device, without the context of its driver."""
        return self.weights + self.cache + self.buffers


def memory(model: LanguageModel, mix: Mix | Weights, work: Workload) -> Memory:
    """The parts at ``work``."""
    lying = weights(model, mix)
    return Memory(
        # A tied embedding is there twice: looked up on the host, multiplied as the head on the device.
        weights=lying.device,
        cache=work.users * cache_bytes(model, work.context, work.cache),
        buffers=buffers(model, work),
        host=lying.embedding,
    )


def cache_bytes(model: LanguageModel, tokens: int, kind: str = "f16") -> float:
    """Keys and values of ``tokens`` tokens [B]; a window keeps no more than it sees, latent attention one vector."""
    width = BITS[kind] / 8.0
    if model.kv_rank:
        return float(model.layers * (model.kv_rank + model.rope_size) * tokens) * width
    each = 2.0 * model.kv_heads * model.head_size * width
    seen = min(tokens, model.window) if model.window else tokens
    keeping = model.cached_layers or model.layers
    return each * ((keeping - model.window_layers) * tokens + model.window_layers * seen)


def buffers(model: LanguageModel, work: Workload) -> float:
    """The largest of what attention, the feed-forward part and the head need for one micro-batch [B]."""
    batch = min(work.micro_batch, work.context)
    stream = model.hidden * batch * FLOAT
    scores = 0.0 if work.flash else work.context * batch * model.heads * FLOAT
    mask = work.context * batch * (2.0 if work.flash else FLOAT)
    width = max(model.intermediate, model.active * model.expert_size + model.shared_size)
    attention = scores + mask + STREAMS * stream
    forward = 2.0 * width * batch * FLOAT + 2.0 * stream + SLACK
    head = model.vocab * batch * FLOAT + stream
    return max(attention, forward, head)


def largest_context(model: LanguageModel, mix: Mix | Weights, work: Workload, room: float) -> int:
    """The longest context for each user that fits into ``room`` [B], at most the model's own; 0 where none does."""

    def fits(tokens: int) -> bool:
        asked = Workload(tokens, work.users, work.cache, work.micro_batch, work.flash)
        return memory(model, mix, asked).device <= room

    good, bad = 0, model.context + 1
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if fits(middle) else (good, middle)
    return good
