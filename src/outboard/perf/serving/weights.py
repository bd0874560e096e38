"""Weights as they lie: bytes of the embedding, each layer and the head, counted from sizes or read from a file."""

from dataclasses import dataclass, replace

from outboard.perf.serving.parameters import Parameters, parameters
from outboard.perf.serving.quantisation import BITS, Mix
from outboard.types.llm import LanguageModel

WHOLE = ("f16", "bf16", "f32")  # multiplied as they are
# Formats of other engines than llama.cpp: everything is on the device, the embedding too.
VLLM, TRANSFORMERS = ("fp8", "int8", "awq", "gptq"), ("nf4", "nf4-dq")


@dataclass(frozen=True)
class Weights:
    """Bytes of one model's weights [B]. ``experts`` is the part of each of ``layers`` that not every token needs."""

    name: str  # of the quantisation
    embedding: float
    head: float  # what the device multiplies last; the embedding once more where the two are tied
    shared: float  # of the head, what is the embedding once more
    layers: tuple[float, ...]
    experts: tuple[float, ...]
    count: Parameters

    @property
    def whole(self) -> bool:
        """Whether most of them are multiplied as they are, without unpacking."""
        return self.name in WHOLE

    @property
    def engine(self) -> str:
        """What runs such weights."""
        return "vLLM" if self.name in VLLM else "transformers" if self.name in TRANSFORMERS else "llama.cpp"

    @property
    def total(self) -> float:
        """As large as their file [B]."""
        return self.embedding + sum(self.layers) + self.head - self.shared

    @property
    def device(self) -> float:
        """What lies on the device where all layers do; the embedding waits in the host's memory [B]."""
        return sum(self.layers) + self.head

    @property
    def read(self) -> float:
        """What one token of decoding reads: the layers with the active experts, and the head [B]."""
        return self.device - (1.0 - self.count.active_share) * sum(self.experts)

    def woken(self, share: float) -> "Weights":
        """The same with another ``share`` of the experts at work."""
        return replace(self, count=replace(self.count, active_share=share))

    def part(self, layers: float, head: bool) -> "Weights":
        """The last ``layers`` of them alone, with the head or without; what is left has no embedding."""
        kept = slice(len(self.layers) - int(layers), None)
        share = layers / max(len(self.layers), 1)
        return replace(
            self,
            embedding=0.0,
            head=self.head if head else 0.0,
            shared=0.0,
            layers=self.layers[kept],
            experts=self.experts[kept],
            count=self.count.scaled(share, head),
        )

    def first(self, layers: int, head: bool) -> "Weights":
        """The first ``layers`` alone, as :meth:`part`."""
        turned = replace(self, layers=self.layers[::-1], experts=self.experts[::-1])
        return turned.part(layers, head)


def weights(model: LanguageModel, mix: "Mix | Weights") -> Weights:
    """The weights of ``model`` in a mix; weights that were read from a file are what they are."""
    if isinstance(mix, Weights):
        return mix
    count = parameters(model)
    embedding = count.embedding * BITS[mix.embedding if count.head else mix.head] / 8.0
    dense, mixed = _layer(model, mix, count)
    first = model.dense_layers if model.mixed else model.layers
    experts = mix.experts(count) / max(model.layers - first, 1)
    return Weights(
        name=mix.name,
        embedding=embedding,
        head=count.head * BITS[mix.head] / 8.0 if count.head else embedding,
        shared=0.0 if count.head else embedding,
        layers=(dense,) * first + (mixed,) * (model.layers - first),
        experts=(0.0,) * first + (experts,) * (model.layers - first),
        count=count,
    )


def _layer(model: LanguageModel, mix: Mix, count: Parameters) -> tuple[float, float]:
    """Bytes of a dense layer and of one with experts [B]; what is no layer's own is shared out evenly."""
    rest = mix.rest(count) - count.head * BITS[mix.head] / 8.0
    if not model.mixed:
        return rest / model.layers, 0.0
    attention = (rest - mix.experts(count) - mix.dense(count)) / model.layers
    mixed_layers = model.layers - model.dense_layers
    every = model.dense_layers * model.intermediate + mixed_layers * model.shared_size
    per_width = mix.dense(count) / every if every else 0.0
    mixed = attention + per_width * model.shared_size + mix.experts(count) / max(mixed_layers, 1)
    return attention + per_width * model.intermediate, mixed
