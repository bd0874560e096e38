"""Logs of known failures are understood, healthy ones are left in peace."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outboard import compat
from outboard.compat import diagnose
from outboard.compat.symptoms import read
from outboard.errors import FileError
from tests.compat.logs import FAULTS, HARMLESS, QUIET
from tests.compat.machines import applying, machine

NOISE = ["systemd[1]: Reached target Graphical Interface.", "usb 3-2: new high-speed USB device number 5"]


@pytest.mark.parametrize("name", FAULTS)
def test_a_failure_is_found_among_other_lines(name: str) -> None:
    found = diagnose("\n".join([*NOISE, *FAULTS[name], *NOISE]))
    assert [one.symptom.id for one in found.symptoms] == [name]
    assert found.faults
    assert [text for _number, text in found.symptoms[0].lines] and found.symptoms[0].lines[0][0] > len(NOISE)


@pytest.mark.parametrize("name", HARMLESS)
def test_what_only_looks_like_a_fault_is_said_to_be_none(name: str) -> None:
    found = diagnose("\n".join(HARMLESS[name]))
    assert [one.symptom.id for one in found.symptoms] == [name]
    assert not found.faults


def test_every_symptom_has_a_log_that_shows_it() -> None:
    _signs, symptoms = read()
    assert {one.id for one in symptoms} == {*FAULTS, *HARMLESS}


def test_every_failure_that_left_lines_is_told() -> None:
    _signs, symptoms = read()
    told = {failure for one in symptoms for failure in one.failures}
    left_lines = "02 03 05 07 08 09 11 12 13 15 17 23 24 26 27 30 39 40".split()
    assert {f"fm{number}" for number in left_lines} <= told


def test_a_healthy_log_shows_nothing_and_tells_of_the_machine() -> None:
    found = diagnose(QUIET)
    assert found.symptoms == ()
    assert found.facts == {
        "os": "linux",
        "kernel": "6.17.4-arch1-1",
        "tb_host_reset": False,
        "iommu": "pt",
        "gpu_vendor": "nvidia",
        "driver": "580.95.05",
        "driver_flavour": "open",
    }


def test_few_drops_are_not_called_flapping() -> None:
    found = diagnose("\n".join(FAULTS["link-flaps"][:5]))
    assert found.symptoms == ()


def test_a_log_settles_what_a_plan_leaves_open() -> None:
    planned = machine("framework-13-intel", "rtx-3090", "tb4", os="linux")
    found = diagnose("\n".join([QUIET, *FAULTS["gpu-lost"]]))
    seen = compat.seeing(planned, found.seen, found.facts)
    answer = compat.verdict(seen)
    assert {"nv-xid79", "nv-external-detect"} <= applying(answer)
    assert seen.tb_host_reset is False and "tb_host_reset" not in seen.assumed


def test_what_a_person_stated_stands_against_the_log() -> None:
    planned = machine(gpu="rtx-3090", os="linux", driver="610.43.02")
    assert compat.seeing(planned, frozenset(), {"driver": "580"}).driver == "610.43.02"


def test_a_long_log_takes_little_time() -> None:
    text = "\n".join(NOISE * 50_000)
    assert diagnose(text).count == 100_000


SYMPTOM = """
[signs]
drip = 'drip'

[[symptom]]
id = "leak"
signs = ["drip"]
fault = true
sure = "likely"
what = "It drips."
cause = "A leak."
cure = "Close it."
source = ["nowhere"]
confidence = "low"
failures = []
"""
WRONG = {
    "a sign that is none": (SYMPTOM.replace('signs = ["drip"]', 'signs = ["drop"]'), "leak.signs: there is no 'drop'"),
    "a pattern that is none": (SYMPTOM.replace("'drip'", "'drip('"), "is no pattern"),
    "a rule that is none": (SYMPTOM.replace("[[symptom]]", "[[symptom]]\nrule = 'x'"), "leak.rule: there is no 'x'"),
    "no cure": (SYMPTOM.replace('cure = "Close it."\n', ""), "leak.cure: missing"),
    "hides what is not": (SYMPTOM + 'hides = ["flood"]\n', "leak.hides: there is no 'flood'"),
    "a word too many": (SYMPTOM + "colour = 1\n", "leak.colour: unknown key"),
    "not sure how sure": (SYMPTOM.replace('"likely"', '"maybe"'), "leak.sure: cannot be maybe"),
}


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_file_says_where(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "symptoms.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileError) as caught:
        read(path)
    assert message in str(caught.value)


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    found = diagnose(text)
    assert all(one.lines for one in found.symptoms)


def test_a_line_without_end_takes_little_time() -> None:
    assert diagnose("pcieport " * 500_000).count == 1
