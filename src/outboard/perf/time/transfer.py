"""Copying each input batch from the host to the device over the link."""

import numpy as np

from outboard.perf.time.places import PlaceArrays
from outboard.types.job import Job
from outboard.types.trace import FloatArray, Trace

FLOAT_BYTES = (
    4.0  # an input of at most this many bytes per element is an image that may travel as bytes; labels are wider
)


def input_bytes(job: Job, trace: Trace, batches: FloatArray) -> FloatArray:
    """Bytes of one input batch as they travel over the link, shape (B,) [B]."""
    size = trace.input_bytes.at(batches)
    if job.input_type == "uint8" and trace.info.unit == "images":
        elements = trace.input_elements.at(batches)
        size = np.where(size <= FLOAT_BYTES * elements, np.minimum(elements, size), size)
    return size.sum(axis=0)


def copy_seconds(size: FloatArray, tensors: int, places: PlaceArrays) -> FloatArray:
    """Pinned host-to-device copy of ``size`` (B,) bytes in ``tensors`` copies, shape (P, B) [s]: n latency +
    bytes/bandwidth.

    Each device of a place is taken to have the link to itself.
    """
    return tensors * places.link_latency[:, None] + size[None, :] / places.link_h2d[:, None]


def exposed_copy(job: Job, copy: FloatArray, resident: FloatArray) -> FloatArray:
    """The part of the copy that the step waits for [s]; ``resident`` is the step with its data on the device."""
    if job.input_copy == "resident":
        return np.zeros_like(copy)
    if job.input_copy == "serial":
        return copy
    return np.maximum(copy - resident, 0.0)
