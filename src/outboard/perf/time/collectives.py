"""Gradient exchange between the devices of a place: a ring all-reduce over the slowest path."""

import numpy as np

from outboard.perf.time.coefficients import Coefficients
from outboard.perf.time.places import PlaceArrays
from outboard.types.trace import FloatArray, Trace

BUCKET = 25e6  # gradients leave in buckets of this size (DistributedDataParallel's default) [B]


def gradient_bytes(trace: Trace) -> float:
    """Bytes of all gradients of one replica [B]."""
    return float(trace.parameters.bytes[trace.parameters.trainable].sum())


def all_reduce_seconds(size: float, places: PlaceArrays, c: Coefficients) -> FloatArray:
    """Ring all-reduce of ``size`` bytes among the devices of each place, shape (P,) [s].

    2 (n-1)/n of the bytes cross each link (Patarasuk and Yuan 2009), in 2 (n-1) steps with a latency each, per bucket.
    Zero for a single device.
    """
    n = places.count
    bandwidth = places.exchange_bandwidth * np.where(places.staged > 0, c.host_staging, c.collective_efficiency)
    crossing = 2.0 * (n - 1.0) / n * size / bandwidth
    steps = 2.0 * (n - 1.0) * np.ceil(size / BUCKET)
    return crossing + steps * (c.collective_latency + places.exchange_latency)


def exposed_all_reduce(seconds: FloatArray, backward: FloatArray, size: float, c: Coefficients) -> FloatArray:
    """The part of the exchange that the step waits for, shape (P, B) [s].

    Buckets travel while the backward pass goes on; the last one can only start when that is over.
    """
    last = seconds[:, None] * (min(1.0, BUCKET / size) if size > 0 else 0.0)
    return np.maximum(seconds[:, None] - c.collective_overlap * backward, last)
