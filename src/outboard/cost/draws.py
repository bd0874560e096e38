"""Random draws, one stream per cause: everything that depends on the same cause sees the same draw.

The price of electricity is one cause, so in the draw where it is dear it is dear for every owned machine; the market
is one cause, so rents and the resale value of cards move together. Streams are found by name from a fixed seed, which
makes an answer reproducible and independent of the order in which places are computed.
"""

import math
import zlib
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from outboard.cost.arrays import Array
from outboard.types.evidence import Evidence, Fact

COUNT = 4096
SEED = 20261201
STANDARD = NormalDist()

# How often the truth is taken to lie between the low and the high of a fact. Judgement: published ranges are usually
# too narrow, and remembered or assumed ones much too narrow, so the same two numbers are read as a weaker promise.
COVERAGE = {
    Evidence.MEASURED_HERE: 0.95,
    Evidence.MEASURED_ELSEWHERE: 0.90,
    Evidence.FITTED: 0.80,
    Evidence.DATASHEET: 0.80,
    Evidence.ASSUMED: 0.60,
}
REACH = {evidence: STANDARD.inv_cdf((1.0 + share) / 2.0) for evidence, share in COVERAGE.items()}


class Draws:
    """``count`` equally likely worlds."""

    def __init__(self, count: int = COUNT, seed: int = SEED) -> None:
        self.count = count
        self.seed = seed

    def normal(self, cause: str) -> Array:
        """Return the standard normal draws of ``cause``.

        Stratified: the values are the quantiles of the distribution in random order, so that medians are exact and
        only the pairing of causes is random.
        """
        return _normal(cause, self.count, self.seed)

    def of(self, fact: Fact, cause: str) -> Array:
        """Return draws of ``fact``: its value is the median, its low and high are quantiles by its evidence.

        Logarithmic where the whole range is positive, as prices are; else linear and cut at zero.

        >>> fact = Fact(0.27, "USD/kWh", "Eurostat", Evidence.DATASHEET, low=0.18, high=0.32)
        >>> np.quantile(Draws().of(fact, "electricity"), [0.1, 0.5, 0.9]).round(2)
        array([0.18, 0.27, 0.32])
        """
        return _spread(self, fact, cause)


# Prices of electricity, overheads and the like are asked for by every place, prices of offers by every job.
@lru_cache(maxsize=1024)
def _spread(draws: Draws, fact: Fact, cause: str) -> Array:
    low = fact.value if fact.low is None else fact.low
    high = fact.value if fact.high is None else fact.high
    if low == high:
        return _frozen(np.full(draws.count, fact.value))
    z = draws.normal(cause)
    reach = REACH[fact.evidence]
    if low > 0:
        downward, upward = math.log(fact.value / low) / reach, math.log(high / fact.value) / reach
        return _frozen(fact.value * np.exp(_two_sided(z, downward, upward)))
    sides = _two_sided(z, (fact.value - low) / reach, (high - fact.value) / reach)
    return _frozen(np.maximum(fact.value + sides, 0.0))


def _two_sided(z: Array, downward: float, upward: float) -> Array:
    """Return ``downward * z`` below the median and ``upward * z`` above it."""
    # Without a mask: branches on random signs cost more than the multiplications.
    return (upward + downward) / 2.0 * z + (upward - downward) / 2.0 * np.abs(z)


def _frozen(values: Array) -> Array:
    values.setflags(write=False)  # shared by everyone who asks for the same draws
    return values


@lru_cache(maxsize=8)
def _quantiles(count: int) -> Array:
    return np.array([STANDARD.inv_cdf((index + 0.5) / count) for index in range(count)])


# One stream for each price, speed and so on of a plan over the whole catalogue; 32 kB each.
@lru_cache(maxsize=1024)
def _normal(cause: str, count: int, seed: int) -> Array:
    generator = np.random.default_rng([seed, zlib.crc32(cause.encode())])
    return _frozen(generator.permutation(_quantiles(count)))


class Recorder(Draws):
    """One world in which everything takes its median, which notes the causes it was asked for."""

    def __init__(self) -> None:
        super().__init__(count=1)
        self.causes: dict[str, None] = {}

    def normal(self, cause: str) -> Array:
        """Return zero, the median, and remember ``cause``."""
        self.causes.setdefault(cause)
        return np.zeros(1)


class Probe(Draws):
    """Worlds that differ from the median in one cause each: its 10th percentile, then its 90th."""

    def __init__(self, causes: tuple[str, ...]) -> None:
        super().__init__(count=2 * len(causes))
        self.causes = causes

    def normal(self, cause: str) -> Array:
        """Return zeros, except where it is the turn of ``cause``."""
        draws = np.zeros(self.count)
        if cause in self.causes:
            at = 2 * self.causes.index(cause)
            draws[at], draws[at + 1] = STANDARD.inv_cdf(0.1), STANDARD.inv_cdf(0.9)
        return draws
