"""Seconds of one collective between n devices: latency of its steps plus bytes over the ring's bandwidth.

Rings after Patarasuk and Yuan 2009, Bandwidth optimal all-reduce algorithms; trees as in NCCL 2.4 (two trees, each half
of the data). All arrays have one shape, usually (P,); sizes are bytes of the whole message on one device.
"""

import numpy as np

from outboard.perf.collectives.fabric import fact
from outboard.types.trace import FloatArray


def all_reduce(
    size: FloatArray | float, n: FloatArray, bandwidth: FloatArray, step: FloatArray, machines: FloatArray | float = 0.0
) -> FloatArray:
    """A ring, or the quicker of ring and tree where ``machines`` is 1 [s]; zero for a single device.

    Inside a machine NCCL's trees are chains, with as many steps as the ring.

    >>> float(all_reduce(1e9, np.array([2.0]), np.array([1e11]), np.array([0.0]))[0].round(4))
    0.0106
    """
    ring = 2.0 * (n - 1.0) * step + _crossing(size, 2.0 * (n - 1.0) / n, bandwidth)
    both_ways = np.where(n > 1, 2.0, 0.0)
    tree = 2.0 * np.ceil(np.log2(n)) * step + _crossing(size, both_ways, bandwidth)
    return np.where(np.asarray(machines) > 0, np.minimum(ring, tree), ring)


def gather(size: FloatArray | float, n: FloatArray, bandwidth: FloatArray, step: FloatArray) -> FloatArray:
    """All-gather of ``size`` bytes in all, or a reduce-scatter of them, which sends as much [s]."""
    return (n - 1.0) * step + _crossing(size, (n - 1.0) / n, bandwidth)


def send(size: FloatArray | float, bandwidth: FloatArray, step: FloatArray) -> FloatArray:
    """One message from one device to its neighbour [s]."""
    return step + _crossing(size, np.ones_like(bandwidth), bandwidth)


def _crossing(size: FloatArray | float, share: FloatArray, bandwidth: FloatArray) -> FloatArray:
    """``share`` of the message over the wire; small messages never reach its bandwidth [s]."""
    message = np.maximum(size, 1.0)
    ramp = np.sqrt(fact("ring.ramp").value * bandwidth / message)
    return np.where(np.asarray(size) > 0, share * size / bandwidth * (1.0 + ramp), 0.0)
