"""The shipped rules: complete, sourced, and about signs that exist; a file that is wrong says where."""

from pathlib import Path
from typing import Any

import pytest

from outboard.catalog.reader import read_toml
from outboard.compat.rules import PATH, read, rules
from outboard.compat.symptoms import read as read_symptoms
from outboard.errors import FileError

COLLECTED = """
mac-apple-silicon-native mac-apple-silicon-tinygpu mac-tinygpu-perf mac-tinygpu-tb5-gsp mac-apple-silicon-linux-vm
asahi-no-thunderbolt mac-intel-nvidia mac-intel-amd mac-intel-sunset mac-bootcamp mac-t2-linux mac-unplug-panic
host-no-pcie-tunnel link-no-hotplug tb-virtual-link-speed gpu-idle-gen1 gpu-real-downtrain link-20-instead-of-40
amd-card-internal-switch tb-shared-with-display psu-too-small card-does-not-fit win-code-12 win-code-43 win-hotplug-ok
wsl2-order wsl2-tcc wsl2-vram-overhead tb-not-authorized tb-security-dponly tb-security-usbonly tb-nopcie
tb-dma-protection-off tb-iommu-blocks-gsp tb-host-reset tb-clx bar-no-space preboot-modules box-power-first
rebar-amd-intel rebar-nvidia-fatal thinkpad-bios-bar ms02-tb5-no-window nv-external-detect nv-blackwell-tb-lock
nv-blackwell-open-only nv-pascal-580 nv-xid79 nv-no-aer-recovery nv-rtd3-idle nv-suspend nv-hot-unplug
nv-nvidia-drm-freeze nv-smi-polling nv-load-before-tb nv-cuinit-999 pcie-ports-native aspm-off port-pm-off
kernel-regress-6.19.10 asmedia-usb4-regress rocm-atomics rocm-unsupported-gfx amd-power-limit-apu amdgpu-runpm
intel-arc-xpu multi-gpu-p2p bogus-zero-copy-number spdisplays-egpu
""".split()
LOWER_SECURITY = ("iommu=off", "Thunderbolt security", "PCIe tunnelling on", "EFI shim", "enroll")
RULE = """
[[rule]]
id = "made-up"
consequence = "warn"
confidence = "low"
source = ["nowhere"]
why = "Because."
cure = "None."
when = { os = "linux" }
"""


def test_every_collected_rule_is_there() -> None:
    assert len(COLLECTED) == 69
    assert set(COLLECTED) <= {rule.id for rule in rules()}


def test_each_rule_says_why_and_how_in_sentences_and_where_from() -> None:
    for rule in rules():
        assert all(text.endswith(".") for text in (rule.why, rule.cure)), rule.id
        assert not rule.risk or rule.risk.endswith("."), rule.id
        assert rule.source and all(rule.source), rule.id


def test_a_cure_that_lowers_security_says_so() -> None:
    for rule in rules():
        if any(word in rule.cure for word in LOWER_SECURITY):
            assert rule.risk, rule.id


def test_the_gravest_come_first() -> None:
    order = ["impossible", "workaround", "warn", "info"]
    places = [order.index(rule.consequence) for rule in rules()]
    assert places == sorted(places)


def test_rules_ask_only_for_signs_that_can_be_seen() -> None:
    signs, _symptoms = read_symptoms()
    asked = {name for table in read_toml(PATH)["rule"] for name in _asked(table["when"])}
    assert asked
    assert asked <= set(signs.by_name)


def _asked(table: Any) -> list[str]:
    if isinstance(table, list):
        return [name for one in table for name in _asked(one)]
    if not isinstance(table, dict):
        return []
    found = table.get("seen", {}).get("has", [])
    return [*([found] if isinstance(found, str) else found), *(n for one in table.values() for n in _asked(one))]


WRONG = {
    "twice": (RULE + RULE, "made-up: is there twice"),
    "a key too many": (RULE.replace("why =", "wy ="), "made-up.wy: unknown key"),
    "a key too few": (RULE.replace('cure = "None."\n', ""), "made-up.cure: missing"),
    "no such consequence": (RULE.replace('"warn"', '"maybe"'), "made-up.consequence: cannot be maybe; one of: impossi"),
    "a condition of nothing": (RULE.replace("os =", "oss ="), "made-up.when.oss: unknown fact"),
    "no rules": (RULE.replace("[[rule]]", "[[rules]]"), "rules: unknown key"),
}


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_file_says_where(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileError) as caught:
        read(path)
    assert str(path) in str(caught.value)
    assert message in str(caught.value)


def test_a_right_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(RULE, encoding="utf-8")
    assert [rule.id for rule in read(path)] == ["made-up"]


PAGE = Path(__file__).parent.parent.parent / "docs" / "doctor.md"


def test_the_rule_on_the_page_is_a_rule(tmp_path: Path) -> None:
    text = PAGE.read_text(encoding="utf-8").partition("```toml\n")[2].partition("```")[0]
    path = tmp_path / "page.toml"
    path.write_text(text, encoding="utf-8")
    assert [rule.id for rule in read(path)] == ["asmedia-usb4-regress"]


def test_the_python_on_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    code = PAGE.read_text(encoding="utf-8").partition("```python\n")[2].partition("```")[0]
    exec(compile(code, "doctor.md", "exec"), {})
    assert capsys.readouterr().out.startswith("impossible (")
