"""Copies, launches and exchanges on their own."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from outboard.perf.input.transfer import copy_seconds, exposed_copy, input_bytes
from outboard.perf.time import coefficients
from outboard.perf.time.collectives import all_reduce_seconds, exposed_all_reduce, gradient_bytes
from outboard.perf.time.launch import exposed
from outboard.perf.time.places import PlaceArrays, is_staged
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


def test_the_ring_sends_twice_less_one_share(place: Make, device: Make, link: Make) -> None:
    free = link(1e10, 0.0)
    places = PlaceArrays.of([place(device(kind="datacentre"), free, count) for count in (1, 2, 4)])
    seconds = all_reduce_seconds(1e9, places, C)
    assert seconds[0] == 0.0
    crossing = 1e9 / (1e10 * C.collective_efficiency)
    assert seconds[1:] == pytest.approx([crossing, 1.5 * crossing], rel=0.02)


def test_geforce_boards_exchange_through_the_host(place: Make, device: Make) -> None:
    assert is_staged(place())
    assert not is_staged(place(device(kind="pro")))


def test_gradients_hide_behind_the_backward_pass_but_for_the_last_bucket() -> None:
    seconds, backward = np.array([0.1]), np.array([[1.0]])
    assert exposed_all_reduce(seconds, backward, 1e9, C)[0, 0] == pytest.approx(0.1 * 25e6 / 1e9)
    assert exposed_all_reduce(seconds, np.array([[0.0]]), 1e9, C)[0, 0] == pytest.approx(0.1)


def test_gradient_bytes_count_trainable_parameters(trace: Make) -> None:
    assert gradient_bytes(trace()) == 1000 * 25000 * 4
