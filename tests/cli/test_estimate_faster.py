"""``outboard estimate --faster`` and ``--chart``: what is printed, for people and for programs."""

import json
from pathlib import Path

import jsonschema
import pytest

from outboard import schema
from tests.cli.conftest import Run

ASKED = (
    "estimate",
    "zoo:resnet50",
    "--on",
    "rtx-4090@tb3",
    "--task",
    "infer",
    "--precision",
    "amp-fp16",
    "--batch",
    "64",
)


def test_programs_get_the_same_as_people(run: Run) -> None:
    answer = run(*ASKED, "--faster", "--json")
    document = json.loads(answer.out)
    jsonschema.validate(document, schema.load("faster"))
    assert answer.status == 0
    assert document["losses"][0]["part"] == "link"
    gains = [change["gain"] for change in document["changes"]]
    assert gains == sorted(gains, reverse=True)
    assert run(*ASKED, "--faster").out.startswith(document["verdict"])


def test_a_cable_that_is_shared_copies_less(run: Run) -> None:
    alone, beside = (
        json.loads(run(*ASKED, *more, "--json").out)["link"]["slowdown"]
        for more in ((), ("--display", "32 Gbit/s", "--sharing", "2"))
    )
    assert beside > alone > 1


def test_what_was_measured_is_asked_for_at_one_place(run: Run) -> None:
    answer = run("compare", *ASKED[1:], "--resident-rate", "4000")
    assert answer.status == 2
    assert "outboard estimate --on PLACE" in " ".join(answer.err.split())


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--decoder", "magic"), "--decoder must be one of"),
        (("--workers", "-1"), "--workers must be a whole number from 0"),
        (("--disk", "fast"), "--disk"),
        (("--resident-rate", "0"), "--resident-rate must be a number above 0"),
        (("--faster", "--max-batch"), "choose one of"),
        (("--chart", "link.pdf"), "--chart writes .svg or .png"),
    ],
)
def test_wrong_input_gets_one_clear_line(run: Run, options: tuple[str, ...], complaint: str) -> None:
    answer = run(*ASKED, *options)
    assert answer.status == 2
    assert complaint in " ".join(answer.err.split())


def test_a_way_that_does_not_suit_the_model_is_told(run: Run) -> None:
    answer = run("estimate", "zoo:resnet50", "--on", "rtx-4090x2", "--parallel", "tensor")
    assert answer.status == 2
    assert "use ddp" in answer.err


def test_the_picture_comes_beside_the_answer(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    answer = run(*ASKED, "--chart", str(tmp_path / "link.svg"))
    assert answer.status == 0
    assert answer.out.startswith("Fits")
    assert (tmp_path / "link.svg").read_text(encoding="utf-8").startswith("<svg")
