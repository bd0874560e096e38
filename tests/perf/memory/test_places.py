"""What a place offers: slices, Windows, and memory that is not the device's own."""

from dataclasses import replace

import numpy as np
import pytest

from outboard import catalog, tracing
from outboard.errors import UnknownNameError
from outboard.perf.estimate import estimate
from outboard.perf.memory import memory_estimate, required_bytes, verdict
from outboard.perf.memory.required import available
from outboard.types.hardware import HostSide, Place
from outboard.types.job import Job


def on(name: str, system: str) -> Place:
    return replace(catalog.place(name), host=HostSide(system=system))


@pytest.mark.parametrize("system", ["windows", "wsl2"])
def test_windows_keeps_part_of_a_card(system: str) -> None:
    """noonghunna/club-3090#102: no more than 94 % of 24 GB; 1.3 GiB are to be left free."""
    there, here = available(on("rtx-3090", system)), available(on("rtx-3090", "linux"))
    assert 22.0 * 2**30 <= there <= 0.945 * 24 * 2**30
    assert there < here


def test_windows_leaves_data_centre_cards_and_processors_alone() -> None:
    assert available(on("a100", "windows")) == available(on("a100", "linux"))
    assert available(on("cpu", "windows")) == available(on("cpu", "linux"))


def test_shared_gpu_memory_is_no_memory() -> None:
    """microsoft/WSL#11050: 30 GiB "fit" a card of 16 GB on Windows, out of the computer's own memory."""
    job = Job(workload="zoo:llama-3.1-8b", task="infer", precision="fp32")  # weights of 30 GiB
    trace, place = tracing.trace(job), on("rtx-4080", "wsl2")
    memory = memory_estimate(job, trace, 1, place)
    assert (memory.required.value or 0.0) > 29 * 2**30
    assert (memory.available.high or 0.0) < 16 * 2**30
    assert verdict(memory.required, memory.available) == "does_not_fit"
    assert "shares" in memory.available.note


def test_a_slice_refuses_what_its_whole_card_takes() -> None:
    job = Job(workload="zoo:resnet50", precision="amp-fp16")
    trace = tracing.trace(job)
    places = [catalog.place("h100"), catalog.place("h100-mig-1g.10gb")]
    found = required_bytes(job, trace, np.array([200.0]), places)
    assert found.fits[:, 0].tolist() == [True, False]


def test_two_devices_are_not_one_of_twice_the_memory() -> None:
    """llmfit#271, vllm#13061: what copies the model is needed on each; unlike devices cannot be one place."""
    job = Job(workload="zoo:llama-3.2-3b", precision="bf16")
    trace = tracing.trace(job)
    one, two = catalog.place("rtx-3090"), catalog.place("rtx-3090x2")
    found = required_bytes(job, trace, np.array([1.0]), [one, two])
    assert found.available[0] == found.available[1]
    assert found.required.value[1, 0] >= found.required.value[0, 0]
    with pytest.raises(UnknownNameError):
        catalog.place("rtx-3090+rx-7900-xtx")


def test_a_host_that_cannot_save_is_part_of_the_verdict() -> None:
    """torchtune#1092, kohya-ss/sd-scripts#1749: it trains on the GPU and dies as it saves, for want of host memory."""
    job = Job(workload="zoo:llama-3.1-8b", precision="bf16", batch_size=1)
    trace, place = tracing.trace(job), catalog.place("mi300x")
    found = {ram: estimate(job, trace, place, ram * 1e9) for ram in (16, 256)}
    assert (found[256].verdict, found[16].verdict) == ("fits", "does_not_fit")
