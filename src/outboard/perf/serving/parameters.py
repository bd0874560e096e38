"""How many parameters a language model has, by what they are: counted from its sizes, exactly but for some norms."""

from dataclasses import dataclass, replace

from outboard.types.llm import LanguageModel


@dataclass(frozen=True)
class Parameters:
    """Numbers of parameters. ``down`` and ``values`` are parts that quantisations treat apart."""

    embedding: float
    head: float  # 0 where it is tied to the embedding
    attention: float  # of all layers, without values
    values: float  # value projections of all layers
    dense: float  # feed-forward parts that work on every token, without their last matrix
    down: float  # their last matrix
    experts: float  # all experts, without their last matrix
    experts_down: float
    norms: float
    active_share: float  # of the experts on one token [1]

    @property
    def total(self) -> float:
        """All of them."""
        return self.embedding + self.head + self.layers

    @property
    def layers(self) -> float:
        """Those of the layers."""
        mixed = self.experts + self.experts_down
        return self.attention + self.values + self.dense + self.down + mixed + self.norms

    @property
    def active(self) -> float:
        """Those that work on one token: the embedding is looked up and not multiplied, the head is."""
        idle = (self.experts + self.experts_down) * (1.0 - self.active_share)
        return self.layers - idle + (self.head or self.embedding)

    def scaled(self, share: float, head: bool) -> "Parameters":
        """Those of a ``share`` of the layers, with the head or without it."""
        return replace(
            self,
            embedding=0.0 if self.head or not head else self.embedding,
            head=self.head if head else 0.0,
            **{name: share * getattr(self, name) for name in _IN_LAYERS},
        )

    def plus(self, other: "Parameters") -> "Parameters":
        """Both together."""
        sums = {name: getattr(self, name) + getattr(other, name) for name in ("embedding", "head", *_IN_LAYERS)}
        return replace(self, **sums)


_IN_LAYERS = ("attention", "values", "dense", "down", "experts", "experts_down", "norms")


def parameters(model: LanguageModel) -> Parameters:
    """Count them."""
    attention, values = _attention(model)
    matrices = 2.0 if model.gated else 1.0
    mixed_layers = model.layers - model.dense_layers if model.mixed else 0
    dense_layers = model.layers - mixed_layers
    every = dense_layers * model.intermediate + mixed_layers * model.shared_size
    experts = float(mixed_layers * model.experts * model.expert_size * model.hidden)
    router = mixed_layers * model.experts * model.hidden
    embedding = float(model.vocab * model.hidden)
    return Parameters(
        embedding=embedding,
        head=0.0 if model.tied else embedding,
        attention=attention * model.layers + router,
        values=values * model.layers,
        dense=matrices * every * model.hidden,
        down=float(every * model.hidden),
        experts=matrices * experts,
        experts_down=experts,
        norms=float((2 * model.layers + 1) * model.hidden),
        active_share=model.active / model.experts if model.mixed else 1.0,
    )


def _attention(model: LanguageModel) -> tuple[float, float]:
    """Parameters of one layer's attention: (all but the value projection, the value projection)."""
    if model.kv_rank:
        nope = model.head_size
        query_out = model.heads * (nope + model.rope_size)
        query = model.hidden * model.q_rank + model.q_rank * query_out if model.q_rank else model.hidden * query_out
        keys = model.hidden * (model.kv_rank + model.rope_size) + model.kv_rank * model.heads * nope
        output = model.heads * model.value_size * model.hidden
        return float(query + keys + output), float(model.kv_rank * model.heads * model.value_size)
    query = model.hidden * model.heads * model.head_size
    keys = model.hidden * model.kv_heads * model.head_size
    bias = (model.heads + model.kv_heads) * model.head_size if model.bias else 0
    value_bias = model.kv_heads * model.head_size if model.bias else 0
    return float(2 * query + keys + bias), float(keys + value_bias)
