"""A condition that is written wrongly is an error with its place; one that is right does what it says."""

from pathlib import Path
from typing import Any

import pytest

from outboard.compat import Machine
from outboard.compat.condition_tables import Reader
from outboard.errors import FileError

WRONG: dict[str, tuple[Any, str]] = {
    "no table": ("linux", "r.toml: when: must be a table of facts"),
    "empty": ({}, "r.toml: when: must be a table of facts"),
    "unknown fact": ({"gpu_vndor": "nvidia"}, "when.gpu_vndor: unknown fact; known facts: os, "),
    "unknown fact below": ({"any": [{"os": "linux"}, {"not": {"colour": "red"}}]}, "when.any[1].not.colour: unknown"),
    "unknown operator": (
        {"kernel": {"newer": "6"}},
        "when.kernel.newer: unknown operator; for kernel: is, is_n",
    ),
    "no order of texts": ({"os": {"above": "linux"}}, "when.os.above: unknown operator; for os: is, is_not"),
    "unknown value": ({"gpu_vendor": ["nvidia", "nvdia"]}, "when.gpu_vendor: cannot be nvdia; nvidia, amd, intel"),
    "no flag": ({"rebar": "off"}, "when.rebar: cannot be off; true, false"),
    "no number": ({"gpu_count": True}, "when.gpu_count: cannot be True"),
    "no version": ({"kernel": {"below": "new"}}, "when.kernel.below: cannot be new"),
    "signs need has": ({"seen": "xid-79"}, "when.seen: unknown operator"),
    "sign is a text": ({"seen": {"has": [79]}}, "when.seen.has: must be a text"),
    "any of nothing": ({"any": []}, "when.any: must be a list of tables"),
}


@pytest.mark.parametrize(("table", "message"), WRONG.values(), ids=WRONG)
def test_a_mistake_names_its_place(table: Any, message: str) -> None:
    with pytest.raises(FileError) as caught:
        Reader(Path("r.toml")).table(table, "when")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("table", "answer"),
    [
        ({"kernel": "6.19.10"}, True),
        ({"kernel": {"at_least": "6.19.10", "below": "6.19.11"}}, True),
        ({"kernel": {"above": "6.19.10"}}, False),
        ({"driver": {"at_least": "600"}}, None),
        ({"os": {"is_not": ["windows", "wsl2"]}}, True),
        ({"measured_h2d": {"below": 1.2e9}}, True),
        ({"seen": {"has": ["code-12", "xid-79"]}}, True),
        ({"seen": {"has": "code-12"}}, None),
        ({"os": "linux", "driver": "580"}, None),
        ({"os": "windows", "driver": "580"}, False),
    ],
)
def test_what_tables_mean(table: dict[str, Any], answer: bool | None) -> None:
    machine = Machine(os="linux", kernel="6.19.10-200.fc43.x86_64", measured_h2d=1e9, seen=frozenset({"xid-79"}))
    assert Reader(Path("r.toml")).table(table, "when").holds(machine) is answer
