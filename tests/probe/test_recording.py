"""A recording shows what the computer showed, and nothing that names a person or a single machine."""

from pathlib import Path

import pytest

from outboard.probe import Live, Recorded, Recording, look
from outboard.probe.scrub import scrubbed
from tests.probe import recordings


@pytest.mark.parametrize("name", recordings.ALL)
def test_what_was_recorded_is_seen_again(tmp_path: Path, name: str) -> None:
    original = Recorded(recordings.write(recordings.ALL[name], tmp_path / "a"))
    first = look(Recording(tmp_path / "b", original))
    again = look(Recorded(tmp_path / "b"))
    assert again == first
    assert (first.cards, first.chain, first.system) == (look(original).cards, look(original).chain, again.system)


def test_this_computer_can_be_recorded_whatever_it_is(tmp_path: Path) -> None:
    first = look(Recording(tmp_path, Live()))
    assert look(Recorded(tmp_path)).facts == first.facts


def test_a_command_line_keeps_only_what_matters(tmp_path: Path) -> None:
    look(Recording(tmp_path / "b", Recorded(recordings.write(recordings.NUC, tmp_path / "a"))))
    assert (tmp_path / "b/proc/cmdline").read_text() == "thunderbolt.clx=0 iommu=pt\n"


PERSONAL = {
    "UUID of a disk": ("root=UUID=9f8b2c1e-1d2c-4b3a-8f7e-0123456789ab", "9f8b"),
    "UUID of a GPU": ("GPU-9f8b2c1e-1d2c-4b3a-8f7e-0123456789ab", "9f8b"),
    "address of a network card": ("r8169: a4:bb:6d:12:34:56, IRQ 129", "a4:bb"),
    "serial number": ("usb 1-2: SerialNumber: 4C530001", "4C53"),
    "serial number of PCIe": ("Device Serial Number 48-b0-2d-ff-ff-12-34-56", "48-b0"),
    "home": ("/home/ana/train.py", "ana"),
    "user": ("session of ana opened", "ana"),
    "host": ("atlas systemd[1]: up", "atlas"),
    "builder": ("Linux version 6.1 (ana@atlas)", "ana"),
    "address": ("from 192.168.1.20 port 22", "192.168"),
}


@pytest.mark.parametrize(("text", "secret"), PERSONAL.values(), ids=PERSONAL)
def test_nothing_personal_stays(text: str, secret: str) -> None:
    assert secret not in scrubbed("/anything", text, ("ana", "atlas"))


@pytest.mark.parametrize(
    "text",
    [
        "pcieport 0000:00:07.0: pciehp: Slot(12): Link Down",
        "NVRM: Xid (PCI:0000:04:00): 79, GPU has fallen off the bus.",
        "0x6000000000 0x67ffffffff 0x14220c",
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build",
        "BAR 15: no space for [mem size 0x18000000 64bit pref]",
    ],
)
def test_what_matters_stays_as_it_is(text: str) -> None:
    assert scrubbed("/anything", text, ("ana", "atlas")) == text


def test_lines_of_the_log_about_other_things_are_left_out() -> None:
    log = "audit: user ana logged in\nthunderbolt 0-1: new device found\nEXT4-fs (sda1): mounted"
    assert scrubbed("/commands/dmesg.txt", log, ()) == "thunderbolt 0-1: new device found"
