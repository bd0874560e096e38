"""Real machines of the catalogue, and what has been reported of them."""

from itertools import product

import pytest

from outboard import catalog, compat
from outboard.compat import rules
from outboard.compat.stated import stated
from tests.compat.machines import applying, machine, verdict

# host, GPU, link | what is stated | the outcome | a rule that must apply
KNOWN = """
framework-13-amd rtx-5080 usb4-40 | os=linux | workaround | nv-blackwell-tb-lock
gpd-win rtx-5080 oculink-pcie4-x4 | os=linux | workaround | nv-external-detect
framework-13-amd rtx-3060-12gb usb4-40 | os=linux | works | nv-hot-unplug
apple-silicon rtx-3090 tb4 | - | impossible | mac-apple-silicon-native
apple-silicon rx-7900-xtx tb5 | - | impossible | mac-apple-silicon-native
apple-silicon rtx-3090 tb4 | framework=tinygrad | workaround | mac-apple-silicon-tinygpu
apple-silicon gtx-1080-ti tb4 | framework=tinygrad | impossible | mac-apple-silicon-native
apple-silicon rtx-4090 tb5 | framework=tinygrad | workaround | mac-tinygpu-tb5-gsp
apple-silicon rx-7900-xtx tb4 | os=linux | impossible | asahi-no-thunderbolt
apple-silicon rtx-5090 tb4 | os=linux vm=yes | workaround | mac-apple-silicon-linux-vm
apple-intel gtx-1080-ti tb3 | - | impossible | mac-intel-nvidia
apple-intel gtx-1080-ti tb3 | os=macos os_version=10.13.6 | works | mac-unplug-panic
apple-intel rx-6700-xt tb3 | - | works | mac-intel-amd
apple-intel rx-6700-xt tb3 | os=macos os_version=27.1 | impossible | mac-intel-sunset
apple-intel rtx-3090 tb3 | os=windows | workaround | mac-bootcamp
apple-intel rtx-3090 tb3 | os=linux host_t2=yes | workaround | mac-t2-linux
framework-12 rtx-3060-12gb usb4-40 | os=linux | impossible | host-no-pcie-tunnel
steam-deck rx-7900-xtx tb3 | os=linux | impossible | host-no-pcie-tunnel
steam-deck rx-7900-xtx m2-pcie3-x4 | os=linux | works | link-no-hotplug
framework-13-amd rx-5700-xt tb3 | os=linux | workaround | rocm-unsupported-gfx
framework-13-amd rtx-3090 tb5 | os=linux | works | link-not-on-host
minisforum-ms-02-ultra rtx-4090 tb5 | os=linux | impossible | ms02-tb5-no-window
asus-rog-ally-x rx-7900-xtx usb4-40 | os=linux | workaround | ally-x-host-reset
asus-rog-flow rtx-4090 xg-mobile | os=linux | workaround | port-pm-off
minisforum-ms-s1-max rtx-5060-ti-16gb oculink-pcie4-x4 | os=linux | workaround | pcie-ports-native
corsair-ai-workstation-300 rx-7900-xtx usb4-40 | os=linux | works | amd-power-limit-apu
framework-13-intel rx-580 tb3 | os=linux | impossible | rocm-atomics
framework-13-intel arc-b580 tb4 | os=linux | works | intel-arc-xpu
- gtx-1080-ti pcie3-x16 | os=linux driver=580.65.06 | workaround | nv-pascal-580
- gtx-1080-ti pcie3-x16 | os=linux driver=590.44 | impossible | nv-legacy-dropped
- rtx-5090 pcie5-x16 | os=linux driver=580.65 driver_flavour=proprietary | impossible | nv-blackwell-open-only
intel-nuc rtx-3090 tb4 | os=linux kernel=6.19.10-2-cachyos | workaround | kernel-regress-6.19.10
intel-nuc rtx-3090 tb4 | os=linux tb_security=dponly | impossible | tb-security-dponly
- p40 pcie3-x16 | os=wsl2 driver_mode=tcc | impossible | wsl2-tcc
lenovo-thinkpad rtx-3090 tb4 | os=linux bios=0.1.17 | workaround | thinkpad-bios-bar
""".strip().splitlines()


@pytest.mark.parametrize("row", KNOWN)
def test_what_is_known_of_real_machines(row: str) -> None:
    parts, facts, outcome, rule = (cell.strip() for cell in row.split("|"))
    host, gpu, link = (name if name != "-" else "" for name in parts.split())
    answer = verdict(host, gpu, link, **stated(facts.split() if facts != "-" else []))
    assert rule in applying(answer)
    assert answer.outcome == outcome
    assert answer.possible is (outcome != "impossible")
    assert answer.missing == ()


def test_asking_once_for_machines_alike_changes_no_answer() -> None:
    for device, link in product(catalog.devices()[::5], catalog.links()[::3]):
        for system in (None, "linux", "macos"):
            one = compat.assemble(catalog.host("apple-intel"), device, link, os=system)
            answer = compat.verdict(one)
            assert [rule for rule in rules() if rule.condition.holds(one)] == list(answer.applying)
            assert [rule for rule in rules() if rule.condition.holds(one) is None] == list(answer.undecided)


def test_what_is_not_said_is_asked_for() -> None:
    answer = verdict(gpu="rtx-5080", link="usb4-40")
    assert answer.outcome == "undecided"
    assert answer.missing == ("os", "host")
    assert answer.possible
    assert verdict(gpu="rtx-5080", link="pcie5-x16", os="linux").outcome == "works"


def test_unknown_settings_of_a_machine_leave_a_plan_decided() -> None:
    answer = verdict("intel-nuc", "rtx-3090", "tb4", os="linux")
    assert answer.outcome == "works"
    open_ = {one.rule.id: one.missing for one in answer.open}
    assert open_["tb-security-dponly"] == ("tb_security",)
    assert open_["card-does-not-fit"] == ("enclosure",)
    assert open_["nv-external-detect"] == ("driver_flavour",)


def test_a_box_is_measured() -> None:
    thick = verdict("intel-nuc", "rtx-4090", "tb3", box="razer-core-x", os="linux")
    assert "psu-too-small" in applying(thick)
    assert "psu-too-small" not in applying(verdict("intel-nuc", "rtx-3060-12gb", "tb3", box="razer-core-x", os="linux"))
    assert verdict("intel-nuc", "rtx-4090", "tb3", box="sapphire-gearbox-500", os="linux").outcome == "impossible"


def test_ports_slower_than_40_are_told_apart() -> None:
    slow = verdict("framework-13-intel", "rtx-3090", "usb4-40", os="linux", tunnel_rate=20e9, measured_h2d=1.0e9)
    assert {"link-20-instead-of-40", "gpu-real-downtrain"} <= applying(slow)


def test_two_geforces_outside_have_no_peer_copies() -> None:
    assert "multi-gpu-p2p" in applying(verdict("intel-nuc", "rtx-3090", "tb4", os="linux", count=2))
    assert "multi-gpu-p2p" not in applying(verdict("intel-nuc", "rtx-3090", "tb4", os="linux"))


def test_what_is_assumed_is_said_and_yields_to_what_is_stated() -> None:
    mac = machine("apple-intel", "rx-6700-xt", "tb3")
    assert mac.os == "macos"
    assert {"os", "os_version", "framework"} <= set(mac.assumed)
    assert "os" not in machine("apple-intel", "rx-6700-xt", "tb3", os="linux").assumed


def test_reasons_and_notes_are_sentences() -> None:
    assert verdict("apple-silicon", "rtx-3090", "tb4").reasons[0].startswith("macOS has no driver")
    notes = verdict("framework-13-amd", "rtx-5080", "usb4-40", os="linux").notes
    assert "610.43.02" in notes[0]
    assert not verdict("", "rtx-3090", "pcie4-x16", os="linux").notes
