"""How fast a model reads a prompt (prefill) and writes (decode), one user at a time or several.

Writing a token reads every active weight once, so memory bandwidth sets the pace: ``bytes / (bandwidth * share)``
beside the arithmetic of unpacking quantised weights (a 2-norm), and a little for the kernels of each layer. Several
users share the reading of weights, and each has a cache of its own. Reading a prompt multiplies many tokens at once:
quantised weights are unpacked and multiplied by integer kernels that do about as many operations in a cycle on each
multiprocessor of any chip.
"""

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from outboard.perf.serving.memory import cache_bytes
from outboard.perf.serving.quantisation import Mix
from outboard.perf.serving.weights import Weights, weights
from outboard.perf.time.rates import memory_bandwidth, sustained_matrix, sustained_vector, vector_rate
from outboard.types.evidence import Evidence, Fact
from outboard.types.hardware import Device
from outboard.types.llm import LanguageModel

MULTIPLY_ADD = 2.0


@dataclass(frozen=True)
class Speed:
    """Tokens a second with an 80 % band: of one user's answer, of all users together, and of a prompt."""

    decode: float
    together: float
    prefill: float
    decode_spread: float  # factor of the band [1]
    prefill_spread: float
    together_spread: float = 1.0  # of all users together; at least that of one

    def band(self, name: str) -> tuple[float, float]:
        """Low and high end of ``decode``, ``together`` or ``prefill`` [tokens/s]."""
        factor = {"decode": self.decode_spread, "prefill": self.prefill_spread}.get(
            name, max(self.together_spread, self.decode_spread)
        )
        value = float(getattr(self, name))
        return value / factor, value * factor


def speed(model: LanguageModel, mix: Mix | Weights, device: Device, context: int, users: int = 1) -> Speed:
    """The speeds on ``device`` with ``context`` tokens in each cache, all of the model on the device."""
    c = coefficients()
    one = decode_seconds(model, mix, device, context)
    all_of_them = decode_seconds(model, mix, device, context, users)
    foreign = "_foreign" if device.vendor != "nvidia" else ""
    spread = c[f"decode_spread{foreign}"]
    return Speed(
        decode=1.0 / one,
        together=users / all_of_them,
        prefill=1.0 / prefill_seconds(model, mix, device, context),
        decode_spread=spread,
        prefill_spread=c[f"prefill_spread{foreign}"],
        together_spread=crowded(spread, users),
    )


def crowded(spread: float, users: int) -> float:
    """The factor of the band for ``users`` at once: the more they are, the further from anything measured [1]."""
    return math.exp(math.hypot(math.log(spread), math.log(coefficients()["crowd_spread"]) * math.log2(users)))


def decode_seconds(
    model: LanguageModel,
    mix: Mix | Weights,
    device: Device,
    context: int,
    users: int = 1,
    c: Mapping[str, float] | None = None,
) -> float:
    """Time of one token for each of ``users`` [s]. ``c`` replaces the coefficients that ship."""
    c, lying = c or coefficients(), weights(model, mix)
    share = c["memory"] * (c["memory_intel"] if device.vendor == "intel" else 1.0)
    cached = users * cache_bytes(model, context) / (memory_bandwidth(device) * c["cache"])
    memory = lying.woken(woken(model, users)).read / (memory_bandwidth(device) * share)
    one = MULTIPLY_ADD * lying.count.active / (sustained_vector(device, "fp32") * c["unpacking"])
    one *= c["whole"] if lying.whole else 1.0
    # The products of further users run as those of a prompt do, in kernels that share each weight among them.
    work = one + (users - 1) * min(product_seconds(lying, device, c), one)
    return math.hypot(memory, work) + cached + model.layers * c["layer"]


def prefill_seconds(
    model: LanguageModel,
    mix: Mix | Weights,
    device: Device,
    context: int,
    c: Mapping[str, float] | None = None,
    flash: bool = True,
) -> float:
    """Time of one token of a prompt of ``context`` tokens, on average [s]. ``c`` as in :func:`decode_seconds`."""
    c, lying = c or coefficients(), weights(model, mix)
    half, _matrix = sustained_matrix(device, "fp16")
    share = c["attention_flash" if flash else "attention"]
    attention = MULTIPLY_ADD * context * model.heads * model.head_size * model.layers / (half * share)
    return product_seconds(lying, device, c) + attention


def product_seconds(lying: Weights, device: Device, c: Mapping[str, float]) -> float:
    """Products of all weights with one token of many that are worked on at a time [s]."""
    flops = MULTIPLY_ADD * lying.count.active
    if lying.whole:
        half, _matrix = sustained_matrix(device, "fp16")
        # llama.cpp accumulates these products in fp16, which GeForce boards do at twice the rate.
        quick = device.matmul_fp16_accumulate
        half *= quick.value / device.matmul["fp16"].value if quick and "fp16" in device.matmul else 1.0
        return flops / (half * c["product"])
    # These kernels keep the ordinary units busy, whose clock falls where the board reaches its power limit.
    kept = sustained_vector(device, "fp32") / vector_rate(device, "fp32")
    return flops / (device.units.value * device.clock.value * kept * c[_kernels(device)])


def _kernels(device: Device) -> str:
    """Which integer kernels multiply quantised weights there: the name of what they do in a cycle."""
    if device.vendor != "nvidia":
        return f"operations_{device.vendor}" if device.vendor in ("amd", "intel") else "operations_nvidia"
    if device.architecture.startswith("pascal-gp100"):
        return "operations_without_dp4a"
    return "operations_nvidia" if "int8" in device.matmul else "operations_dp4a"


def woken(model: LanguageModel, users: int) -> float:
    """Share of the experts that several users' tokens wake between them: each draws its own [1]."""
    return 1.0 - (1.0 - model.active / model.experts) ** users if model.mixed else 1.0


def host_fact(name: str) -> Fact:
    """One coefficient with its range."""
    entry = _entries()[name]
    return Fact(
        float(entry["value"]),
        str(entry["unit"]),
        str(entry["provenance"]),
        Evidence.ASSUMED,
        float(entry["low"]),
        float(entry["high"]),
    )


@cache
def coefficients() -> dict[str, float]:
    """The values of ``coefficients.toml``."""
    return {name: float(entry["value"]) for name, entry in _entries().items()}


@cache
def _entries() -> dict[str, Any]:
    text = files("outboard.perf.serving").joinpath("coefficients.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
