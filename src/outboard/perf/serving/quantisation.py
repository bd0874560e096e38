"""How many bytes weights take in each quantisation, tensor by tensor as the converters mix their types.

Bits of a weight in a block of llama.cpp's formats (ggml/src/ggml-common.h): ``q4_K`` packs 256 weights into 144
bytes, and so on. A mix such as ``q4_k_m`` keeps some tensors wider (llama.cpp, src/llama-quant.cpp): the head, and
value and last feed-forward matrices of half of the layers.
"""

from dataclasses import dataclass

from outboard.perf.serving.parameters import Parameters

BITS = {
    "f32": 32.0,
    "f16": 16.0,
    "bf16": 16.0,
    "fp8": 8.0,
    "int8": 8.0,
    "q8_0": 8.5,
    "q6_k": 6.5625,
    "q5_0": 5.5,
    "q5_k": 5.5,
    "q4_0": 4.5,
    "q4_k": 4.5,
    "iq4_xs": 4.25,
    "q3_k": 3.4375,
    "q2_k": 2.625,
    "mxfp4": 4.25,
    # Four bits with a scale (and zero points) of 16 bits for 128 weights; with one of 32 bits, or of 8, for 64.
    "awq": 4.25,
    "gptq": 4.25,
    "nf4": 4.5,
    "nf4-dq": 4.127,
}
MORE = 0.5  # layers that a mix keeps wider: the first and last eighth, and every third of the others [1]


@dataclass(frozen=True)
class Mix:
    """Types of the tensors. ``wide`` is that of value and last feed-forward matrices in half of the layers."""

    name: str
    usual: str
    wide: str
    head: str
    embedding: str

    def bytes(self, count: Parameters) -> float:
        """Bytes of all weights [B]."""
        return self._of(count.embedding, self._embedding(count)) + self.rest(count)

    def rest(self, count: Parameters) -> float:
        """The same without the embedding, unless the head needs it [B]."""
        wide = count.values + count.down + count.experts_down
        narrow = count.attention + count.dense + count.experts
        layers = narrow * BITS[self.usual] + wide * self._last
        return layers / 8.0 + self._of(count.head, self.head) + count.norms * 4.0

    def experts(self, count: Parameters) -> float:
        """Bytes of all experts [B]."""
        return (count.experts * BITS[self.usual] + count.experts_down * self._last) / 8.0

    def dense(self, count: Parameters) -> float:
        """Bytes of the feed-forward parts that work on every token [B]."""
        return (count.dense * BITS[self.usual] + count.down * self._last) / 8.0

    def read(self, count: Parameters) -> float:
        """Bytes that one token of decoding reads: the layers with the active experts, and the head [B]."""
        idle = (1.0 - count.active_share) * self.experts(count)
        head = 0.0 if count.head else self._of(count.embedding, self._embedding(count))
        return self.rest(count) - idle + head

    @property
    def _last(self) -> float:
        """Bits of a weight of the matrices that are wide in some layers, on average."""
        return MORE * BITS[self.wide] + (1.0 - MORE) * BITS[self.usual]

    def _embedding(self, count: Parameters) -> str:
        """A tied embedding is the head as well, and is kept as wide as one."""
        return self.embedding if count.head else self.head

    @staticmethod
    def _of(number: float, kind: str) -> float:
        return number * BITS[kind] / 8.0


def _plain(kind: str, rest: str = "") -> Mix:
    return Mix(kind, kind, kind, rest or kind, rest or kind)


MIXES: dict[str, Mix] = {
    "f16": _plain("f16"),
    "bf16": _plain("bf16"),
    "q8_0": _plain("q8_0"),
    "q6_k": _plain("q6_k"),
    "q5_k_m": Mix("q5_k_m", "q5_k", "q6_k", "q6_k", "q5_k"),
    "q5_0": Mix("q5_0", "q5_0", "q5_0", "q6_k", "q5_0"),
    "q4_k_m": Mix("q4_k_m", "q4_k", "q6_k", "q6_k", "q4_k"),
    "q4_k_s": Mix("q4_k_s", "q4_k", "q4_k", "q6_k", "q4_k"),
    "q4_0": Mix("q4_0", "q4_0", "q4_0", "q6_k", "q4_0"),
    "iq4_xs": Mix("iq4_xs", "iq4_xs", "q5_k", "q6_k", "iq4_xs"),
    "q3_k_m": Mix("q3_k_m", "q3_k", "q5_k", "q6_k", "q3_k"),
    "q2_k": Mix("q2_k", "q2_k", "q4_k", "q6_k", "q2_k"),
    "mxfp4": Mix("mxfp4", "mxfp4", "mxfp4", "bf16", "bf16"),
    "fp8": Mix("fp8", "fp8", "fp8", "bf16", "bf16"),
    "int8": Mix("int8", "int8", "int8", "f16", "f16"),
    "awq": Mix("awq", "awq", "awq", "f16", "f16"),
    "gptq": Mix("gptq", "gptq", "gptq", "f16", "f16"),
    "nf4": Mix("nf4", "nf4", "nf4", "f16", "f16"),
    "nf4-dq": Mix("nf4-dq", "nf4-dq", "nf4-dq", "f16", "f16"),
}
