"""What people read about one forecast."""

from typing import Any

import pytest

from outboard.cli import language
from outboard.cli.render.estimate import render, verdict
from tests.cli import made


def printed(capsys: pytest.CaptureFixture[str], explain: bool = False, **changes: Any) -> list[str]:
    render(made.estimate(**changes), explain)
    return capsys.readouterr().out.splitlines()


def test_the_first_line_says_fit_safe_batch_and_rate_with_its_band() -> None:
    assert verdict(made.estimate()) == "Fits; largest safe batch 96; 213 images/s (192 to 256)."


def test_a_job_that_does_not_fit_says_what_it_needs_and_what_would_help(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, verdict="does_not_fit", safe_max_batch=0, memory=made.memory(31.2))
    assert lines[0] == "Does not fit: needs 31.2 GiB, has 11.6 GiB; no batch is safe; 213 images/s (192"
    assert " - --batch 32" in lines


def test_every_part_is_shown_and_the_bottleneck_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys)
    for part in (*made.PARTS, *made.TIMES):
        assert any(line.startswith(part) for line in lines), part
    assert next(line for line in lines if "<- bottleneck" in line).startswith("link")


def test_the_last_line_says_what_was_hidden(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Hidden: " in "\n".join(printed(capsys)[-2:])


def test_explain_shows_formula_source_and_evidence(capsys: pytest.CaptureFixture[str]) -> None:
    text = "\n".join(printed(capsys, explain=True))
    for word in ("sum of the parts", "fitted: made for a test", "the host keeps up"):
        assert word in text


def test_unknown_is_never_a_number(capsys: pytest.CaptureFixture[str]) -> None:
    step = made.step()
    unknown = made.term("throughput", None, "images/s")
    changed = type(step)(step.seconds, step.parts, "unknown", unknown, step.link_slowdown)
    first = printed(capsys, step=changed, verdict="unknown", safe_max_batch=None)[0]
    assert first == "Unknown; largest safe batch unknown; rate unknown."


def test_spanish_has_a_decimal_comma(capsys: pytest.CaptureFixture[str]) -> None:
    language.use("es")
    lines = printed(capsys)
    assert lines[0].startswith("Cabe;")
    assert any("11,6 GiB" in line for line in lines)


def test_lines_fit_in_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    assert max(map(len, printed(capsys, explain=True))) <= 80
