"""Facts as people type them."""

from typing import Any

import pytest

from outboard.compat.stated import framework, stated, system
from outboard.errors import UsageError

RIGHT: dict[str, tuple[str, Any]] = {
    "rebar=off": ("rebar", False),
    "tb-security = DPonly": ("tb_security", "dponly"),
    "measured_h2d=1.1 GB/s": ("measured_h2d", 1.1e9),
    "tunnel_rate=20 Gb/s": ("tunnel_rate", 20e9),
    "gpu_count=2": ("gpu_count", 2.0),
    "bios=0.1.17": ("bios", "0.1.17"),
}
WRONG = {
    "rebar": "'rebar' is no fact; write it like rebar=off",
    "rebbar=off": "unknown fact 'rebbar'; nearest: rebar",
    "rebar=perhaps": "rebar cannot be 'perhaps'; one of: yes, no",
    "tb_security=tight": "tb_security cannot be 'tight'; one of: none, user, secure",
    "bios=new": "bios cannot be 'new'",
    "gpu_count=many": "gpu_count cannot be 'many'",
    "measured_h2d=1 kg": "'1 kg' is not a quantity in bytes/s",
    "seen=xid-79": "unknown fact 'seen'",
}


@pytest.mark.parametrize("text", RIGHT)
def test_a_fact_is_read(text: str) -> None:
    name, value = RIGHT[text]
    assert stated([text]) == {name: value}


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_fact_is_one_clear_line(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        stated([text])
    assert WRONG[text] in str(caught.value)


def test_systems_and_frameworks_come_with_their_versions() -> None:
    assert system("macos-14") == {"os": "macos", "os_version": "14"}
    assert system("WSL") == {"os": "wsl2"}
    assert framework("pytorch 2.7+cu128") == {"framework": "pytorch", "framework_version": "2.7", "cuda": "12.8"}
    assert framework("tinygrad") == {"framework": "tinygrad"}
    with pytest.raises(UsageError, match="os cannot be 'beos'; one of: linux, windows"):
        system("beos")
