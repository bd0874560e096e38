"""Copies over the link: what travels with each batch, how fast, and what else uses the cable."""

import numpy as np

from outboard.perf.input.facts import fact, known
from outboard.types.hardware import Place
from outboard.types.job import Job
from outboard.types.trace import FloatArray, Trace

FLOAT_BYTES = (
    4.0  # an input of at most this many bytes per element is an image that may travel as bytes; labels are wider
)


def input_bytes(job: Job, trace: Trace, batches: FloatArray) -> FloatArray:
    """Bytes of one input batch as they travel over the link, shape (B,) [B]."""
    size = trace.input_bytes.at(batches)
    if trace.info.unit == "images":
        elements = trace.input_elements.at(batches)
        images = size <= FLOAT_BYTES * elements
        if decodes_on_device(job):
            size = np.where(images, np.minimum(stored_bytes(job) * batches, size), size)
        elif job.input_type == "uint8":
            size = np.where(images, np.minimum(elements, size), size)
    return size.sum(axis=0)


def decodes_on_device(job: Job) -> bool:
    """Whether files travel instead of tensors, and the device decodes them."""
    return job.input_kind == "jpeg" and job.decoder == "gpu"


def stored_bytes(job: Job) -> float:
    """Stored size of one sample: stated, else what is usual for its kind [B]. NaN where there is nothing usual."""
    if job.sample_bytes is not None:
        return job.sample_bytes
    usual = known(f"stored.{job.input_kind}.bytes")
    return usual.value if usual else float("nan")


def copy_seconds(size: FloatArray, tensors: int, rate: FloatArray, latency: FloatArray) -> FloatArray:
    """Host-to-device copy of ``size`` (B,) bytes in ``tensors`` copies, shape (P, B) [s]: n latency + bytes/rate.

    ``rate`` [B/s] and ``latency`` [s] have shape (P,). Each device of a place is taken to have the link to itself.
    """
    return tensors * latency[:, None] + size[None, :] / rate[:, None]


def exposed_copy(job: Job, copy: FloatArray, resident: FloatArray) -> FloatArray:
    """The part of the copy that the step waits for [s]; ``resident`` is the step with its data on the device.

    A copy from pageable memory holds the loop up until it is done, whatever ``non_blocking`` says; a loop that loads
    its batches itself has none ready to copy.
    """
    if job.input_copy == "resident":
        return np.zeros_like(copy)
    itself = job.workers == 0 and job.input_kind != "ready"
    if job.input_copy == "serial" or not job.pinned or itself:
        return copy
    return np.maximum(copy - resident, 0.0)


def pageable_rate(rate: FloatArray, tunnelled: FloatArray) -> FloatArray:
    """Copies from memory that is not pinned, shape (P,) [B/s].

    The driver copies each piece into a pinned buffer first, one after the other; a tunnel adds its round trips.
    """
    staged = 1.0 / (1.0 / rate + 1.0 / fact("pageable.staging").value)
    return np.where(tunnelled > 0, np.minimum(rate * fact("pageable.tunnelled").value, staged), staged)


def link_rate(place: Place, towards_host: bool = False) -> float:
    """What the link leaves to one device [B/s].

    Screens that hang on the same cable are served first; several devices on one cable or controller share the rest.
    """
    link, host = place.link, place.host
    rate = (link.d2h if towards_host else link.h2d).value
    line = known(f"cable.{link.id}")
    if host.display > 0 and line is not None and not towards_host:
        left = max(line.value - host.display, 0.0) * fact("cable_payload.share").value
        rate = min(rate, max(left, 0.02 * rate))  # a tunnel keeps a little for everybody
    return rate / host.sharing
