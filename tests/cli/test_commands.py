"""The commands on real data: documents that satisfy their schemas, and exit statuses that programs can act on."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from outboard import schema
from tests.cli.conftest import Run

ZOO = ("zoo:resnet50", "--task", "train")
PLACE = ("--on", "rtx-3060-12gb@tb3")
DOCUMENTS = {
    "estimate": ("estimate", *ZOO, *PLACE),
    "compare": ("compare", *ZOO, *PLACE, "--on", "h100-sxm"),
    "devices": ("devices",),
    "links": ("links",),
    "hosts": ("hosts",),
    "trace": ("trace", *ZOO),
}


def document(run: Run, *arguments: str) -> Any:
    answer = run(*arguments, "--json")
    assert answer.err == ""
    return json.loads(answer.out)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_json_satisfies_the_published_schema(run: Run, name: str) -> None:
    jsonschema.validate(document(run, *DOCUMENTS[name]), schema.load(name))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_json_is_never_translated(run: Run, name: str) -> None:
    assert document(run, *DOCUMENTS[name], "--lang", "es") == document(run, *DOCUMENTS[name], "--lang", "en")


def test_the_keys_that_scripts_rely_on(run: Run) -> None:
    forecast = document(run, *DOCUMENTS["estimate"])
    assert forecast["verdict"] == "fits"
    assert 0 < forecast["memory"]["peak_bytes"] < forecast["memory"]["required_bytes"]
    assert forecast["memory"]["required_bytes"] < forecast["memory"]["available_bytes"] < 12 * 2**30
    assert (
        forecast["step"]["seconds"]["low"] < forecast["step"]["seconds"]["value"] < forecast["step"]["seconds"]["high"]
    )
    assert forecast["throughput"]["unit"] == "images/s"
    assert forecast["batch"]["size"] <= forecast["batch"]["safe_max"]
    assert forecast["link"]["slowdown"] >= 1


def test_the_parts_sum_to_the_whole(run: Run) -> None:
    forecast = document(run, *DOCUMENTS["estimate"])
    for parts, whole in ((forecast["memory"]["parts"], forecast["memory"]["peak_bytes"]),):
        assert sum(part["value"] for part in parts) == pytest.approx(whole, rel=1e-6)
    step = forecast["step"]
    assert sum(part["value"] for part in step["parts"]) == pytest.approx(step["seconds"]["value"], rel=1e-6)


def test_explained_json_carries_the_tree(run: Run) -> None:
    forecast = document(run, *DOCUMENTS["estimate"], "--explain")
    jsonschema.validate(forecast, schema.load("estimate"))
    assert forecast["memory"]["required"]["children"]


def test_all_covers_our_own_table_once_each(run: Run) -> None:
    forecasts = document(run, "compare", *ZOO, "--all")
    places = [forecast["place"] for forecast in forecasts]
    assert len(places) == len(set(places)) > 50
    assert all("@" in place for place in places)


def test_the_fastest_place_that_holds_the_job_comes_first(run: Run) -> None:
    forecasts = document(run, "compare", *ZOO, "--all", "--batch", "128")
    fitting = [forecast for forecast in forecasts if forecast["verdict"] == "fits"]
    assert forecasts[: len(fitting)] == fitting
    rates = [forecast["throughput"]["value"] for forecast in fitting]
    assert rates == sorted(rates, reverse=True)


def test_a_job_that_does_not_fit_says_1_and_what_would_help(run: Run) -> None:
    answer = run("estimate", *ZOO, *PLACE, "--batch", "4096")
    assert answer.status == 1
    assert answer.out.startswith("Does not fit: needs ")
    assert "What would make it fit" in answer.out
    assert run("compare", *ZOO, *PLACE, "--batch", "4096").status == 1


def test_a_precision_that_the_device_lacks_is_a_warning(run: Run) -> None:
    answer = run("estimate", *ZOO, "--precision", "amp-bf16", "--on", "t4@pcie3-x16")
    assert answer.status == 0
    assert "has no bf16: it is emulated" in answer.err
    assert answer.err.startswith("warning: ")


def test_a_trace_that_was_saved_forecasts_the_same(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "r50.trace"
    saved = run("trace", *ZOO, "-o", str(path))
    assert saved.status == 0
    assert saved.out.endswith(f"Written to {path}.\n")
    assert [entry.name for entry in tmp_path.iterdir()] == ["r50.trace"]
    assert document(run, "estimate", str(path), *PLACE) == document(run, *DOCUMENTS["estimate"])


def test_devices_are_filtered_and_ordered(run: Run) -> None:
    found = document(run, "devices", "--min-vram", "16 GB", "--sort", "bandwidth")
    assert all(device["memory"]["value"] >= 16e9 for device in found)
    rates = [device["memory_bandwidth"]["value"] for device in found]
    assert rates == sorted(rates, reverse=True)


@pytest.mark.parametrize("command", ["links", "hosts"])
def test_nothing_that_matches_is_a_clear_no(run: Run, command: str) -> None:
    assert run(command, "carrier pigeon").status == 1


def test_one_host_is_shown_in_full(run: Run) -> None:
    assert "known issue" in run("hosts", "raspberry-pi-5").out
