"""Language models at places: what fits, what fits in part, levers, this machine."""

from pathlib import Path

import pytest

from outboard import catalog
from outboard.catalog.model_files import language_model
from outboard.errors import UnknownNameError, UsageError
from outboard.perf.serving.memory import Workload
from outboard.planner.serving import Wanted, served, source
from outboard.planner.serving.curve import curve_of
from outboard.planner.serving.draft import drafted, kept
from outboard.planner.serving.here import here
from outboard.probe import Recorded, look
from tests.gguf.writer import llama, write
from tests.probe import recordings

PLACE = catalog.place("rtx-3060-12gb@tb3")
WORK = Workload(4096)


def test_what_does_not_fit_whole_says_how_many_layers_do() -> None:
    one = served(language_model("qwen2.5-14b"), "q8_0", PLACE, WORK)
    assert not one.fits and one.split is not None and one.split.speed is not None
    again, more = (
        served(language_model("qwen2.5-14b"), "q8_0", PLACE, WORK, Wanted(layers=one.split.layout.layers + extra))
        for extra in (0, 1)
    )
    assert again.fits and again.speed == one.split.speed and not more.fits
    assert one.split.host > 1e9


def test_all_layers_without_the_head_are_one_fewer_than_all() -> None:
    model = language_model("llama-3.1-8b")
    part, whole, usual = (
        served(model, "q4_k_m", PLACE, WORK, Wanted(layers=count)) for count in (model.layers, model.layers + 1, None)
    )
    assert part.speed and whole.speed and part.speed.decode < whole.speed.decode
    assert whole == usual


def test_the_rate_rises_with_the_layers() -> None:
    one = served(language_model("qwen2.5-14b"), "q8_0", PLACE, WORK)
    points = curve_of(one.model, one.weights, PLACE, WORK, Wanted())
    found = [point.speed.decode for point in points if point.speed]
    assert len(found) > 5 and found == sorted(found)
    assert one.split is not None and points[-1].layout.layers <= one.split.layout.layers


def test_a_draft_pays_where_it_is_small_and_mostly_right() -> None:
    one = served(language_model("llama-3.3-70b"), "q4_k_m", catalog.place("rtx-3090x2"), WORK)
    place = catalog.place("rtx-3090x2")
    good, bad = (drafted(one, source("llama-3.2-1b"), place, WORK, Wanted(), acceptance) for acceptance in (0.8, 0.01))
    assert good.tokens >= 2 and 1.5 < good.gain < 1.0 / (1.0 - 0.8)
    assert bad.gain < 1.02
    with pytest.raises(UsageError, match="same vocabulary"):
        drafted(one, source("qwen2.5-0.5b"), place, WORK, Wanted(), 0.7)


def test_what_is_kept_of_a_draft_is_a_geometric_sum() -> None:
    assert kept(2, 0.5) == 1 + 0.5 + 0.25


def test_a_file_is_served_as_what_it_holds(tmp_path: Path) -> None:
    path = write(tmp_path / "tiny.gguf", *llama())
    for text in (f"gguf:{path}", str(path)):
        named = source(text)
        assert named.file is not None and [mix.name for mix in named.mixes(["f16"])] == ["q4_k_m"]
    assert served(named.model, named.file.weights, PLACE, WORK).fits
    with pytest.raises(UsageError, match="holds q4_k_m, not q8_0"):
        source(str(path), "q8_0")
    with pytest.raises(UsageError, match="write gguf:"):
        source(str(write(tmp_path / "tiny", *llama())))


def test_a_name_that_is_no_file_is_looked_up() -> None:
    assert source("gguf:llama-3.1-8b").model.id == "llama-3.1-8b"
    with pytest.raises(UnknownNameError):
        source("gguf:nothing-7b")


def test_this_machine_is_its_card_else_its_processor(tmp_path: Path) -> None:
    found = here(look(Recorded(recordings.write(recordings.NUC, tmp_path))))
    assert found.device.vendor == "nvidia" and found.link.kind in ("thunderbolt", "usb4")
    assert here(look(Recorded(tmp_path / "nowhere"))).device.vendor == "cpu"


def test_a_processor_serves_at_the_bandwidth_of_its_memory() -> None:
    one = served(language_model("llama-3.2-1b"), "q4_k_m", catalog.place("cpu"), WORK)
    assert one.fits and one.split is None and one.speed is not None
    low, high = one.speed.band("decode")
    assert low < 60e9 / one.weights.read < 2.0 * high
