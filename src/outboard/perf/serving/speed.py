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

from outboard.perf.serving.memory import cache_bytes
from outboard.perf.serving.quantisation import Mix
from outboard.perf.serving.weights import Weights, weights
from outboard.perf.time.rates import memory_bandwidth, sustained_matrix, sustained_vector
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

    def band(self, name: str) -> tuple[float, float]:
        """Low and high end of ``decode``, ``together`` or ``prefill`` [tokens/s]."""
        factor = self.prefill_spread if name == "prefill" else self.decode_spread
        value = float(getattr(self, name))
        return value / factor, value * factor


def speed(model: LanguageModel, mix: Mix | Weights, device: Device, context: int, users: int = 1) -> Speed:
    """The speeds on ``device`` with ``context`` tokens in each cache, all of the model on the device."""
    c = coefficients()
    one = decode_seconds(model, mix, device, context)
    all_of_them = decode_seconds(model, mix, device, context, users)
    foreign = device.vendor != "nvidia"
    return Speed(
        decode=1.0 / one,
        together=users / all_of_them,
        prefill=1.0 / prefill_seconds(model, mix, device, context),
        decode_spread=c["decode_spread_foreign" if foreign else "decode_spread"],
        prefill_spread=c["prefill_spread_foreign" if foreign else "prefill_spread"],
    )


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
    arithmetic = MULTIPLY_ADD * lying.count.active * users / (sustained_vector(device, "fp32") * c["unpacking"])
    work = arithmetic * (c["whole"] if lying.whole else 1.0)
    return math.hypot(memory, work) + cached + model.layers * c["layer"]


def prefill_seconds(
    model: LanguageModel, mix: Mix | Weights, device: Device, context: int, c: Mapping[str, float] | None = None
) -> float:
    """Time of one token of a prompt of ``context`` tokens, on average [s]. ``c`` as in :func:`decode_seconds`."""
    c, lying = c or coefficients(), weights(model, mix)
    count = lying.count
    half, _matrix = sustained_matrix(device, "fp16")
    attention = MULTIPLY_ADD * context * model.heads * model.head_size * model.layers / (half * c["attention"])
    if lying.whole:
        return MULTIPLY_ADD * count.active / (half * c["product"]) + attention
    each = c.get(f"operations_{device.vendor}", c["operations_nvidia"])
    if device.architecture.startswith("pascal-gp100"):
        each = c["operations_without_dp4a"]
    return MULTIPLY_ADD * count.active / (device.units.value * device.clock.value * each) + attention


def woken(model: LanguageModel, users: int) -> float:
    """Share of the experts that several users' tokens wake between them: each draws its own [1]."""
    return 1.0 - (1.0 - model.active / model.experts) ** users if model.mixed else 1.0


@cache
def coefficients() -> dict[str, float]:
    """The values of ``coefficients.toml``."""
    text = files("outboard.perf.serving").joinpath("coefficients.toml").read_text(encoding="utf-8")
    return {name: float(entry["value"]) for name, entry in tomllib.loads(text).items()}
