"""Copies, launches and exchanges on their own."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from outboard.perf.input.transfer import copy_seconds, exposed_copy, input_bytes
from outboard.perf.time import coefficients
from outboard.perf.time.launch import exposed
from outboard.perf.time.places import PlaceArrays
from outboard.types.job import Job

Make = Callable[..., Any]
C = coefficients.load()


def test_a_copy_is_latency_plus_bytes_over_bandwidth(place: Make, link: Make) -> None:
    places = PlaceArrays.of([place(link=link(2.5e9, 2e-5))])
    assert copy_seconds(np.array([2.5e9]), 2, places.link_h2d, places.link_latency)[0, 0] == pytest.approx(1.0 + 4e-5)


def test_what_a_step_waits_for() -> None:
    copy, step = np.array([[3.0]]), np.array([[2.0]])
    waits = {how: float(exposed_copy(Job(workload="w", input_copy=how), copy, step)[0, 0]) for how in HOWS}
    assert waits == {"resident": 0.0, "serial": 3.0, "overlapped": 1.0}


HOWS = ("resident", "serial", "overlapped")


def test_token_ids_do_not_shrink(trace: Make) -> None:
    job = Job(workload="w", input_type="uint8")
    words = trace().with_info(unit="sequences")
    assert input_bytes(job, words, np.array([1.0]))[0] == 602112 + 8


def test_the_processor_hides_behind_a_busy_device() -> None:
    busy = np.array([1.0])
    assert exposed(busy, np.array([0.05]))[0] < 1e-4
    assert exposed(busy, np.array([10.0]))[0] == pytest.approx(9.0, rel=1e-3)
