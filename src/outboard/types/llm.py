"""An open language model as its configuration describes it: what weights, cache and speed follow from."""

from dataclasses import dataclass


@dataclass(frozen=True)
class LanguageModel:
    """Sizes of a decoder. What a model does not have is 0: experts, a window, a compressed cache."""

    id: str
    name: str
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_size: int
    intermediate: int  # of the dense feed-forward part; of the dense layers in a mixture of experts
    vocab: int
    context: int  # longest sequence that the model was made for [tokens]
    tied: bool = False  # whether the head shares the embedding's weights
    gated: bool = True  # three matrices in a feed-forward part, else two
    bias: bool = False  # biases of query, key and value
    experts: int = 0
    active: int = 0  # experts that work on one token
    expert_size: int = 0  # intermediate size of one expert
    shared_size: int = 0  # intermediate size of what works on every token beside them
    dense_layers: int = 0  # layers of a mixture that are dense all the same
    window: int = 0  # tokens that a layer with sliding attention sees
    window_layers: int = 0  # how many layers are such
    cached_layers: int = 0  # how many layers keep keys and values, where not all do
    kv_rank: int = 0  # multi-head latent attention: size of the compressed keys and values
    q_rank: int = 0  # and of the compressed queries
    rope_size: int = 0  # and of the part of a key that carries the position
    value_size: int = 0  # and of a head's values
    published: float = 0.0  # parameters as published
    source: str = ""

    @property
    def mixed(self) -> bool:
        """Whether it is a mixture of experts."""
        return self.experts > 0
