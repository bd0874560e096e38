"""Recorded computers are seen as what they are."""

from pathlib import Path

import pytest

from outboard.errors import FileError
from outboard.probe import Recorded, Sight, look
from tests.probe import recordings


def seen(files: dict[str, str], folder: Path) -> Sight:
    return look(Recorded(recordings.write(files, folder)))


def test_a_card_in_a_box_is_followed_to_its_cable(tmp_path: Path) -> None:
    sight = seen(recordings.NUC, tmp_path)
    card = sight.main
    assert card is not None and card.device is not None
    assert (card.device.id, card.link) == ("rtx-5080", "tb4")
    assert card.gpu.tunnelled and card.gpu.rebar and not card.gpu.lost
    assert card.gpu.driver == "nvidia"
    assert card.facts["persistence"] is False
    assert sight.system.host == "intel-nuc"
    wanted = {
        "os": "linux",
        "tb_host_reset": True,
        "tb_clx": False,
        "iommu": "pt",
        "tb_security": "user",
        "tb_authorized": True,
        "iommu_dma_protection": True,
        "tunnel_rate": 40e9,
        "driver": "580.95.05",
        "driver_flavour": "open",
        "host_cpu": "intel",
    }
    assert wanted.items() <= sight.facts.items()


def test_a_radeons_own_switch_is_skipped_and_its_name_settled_by_its_memory(tmp_path: Path) -> None:
    card = seen(recordings.DESKTOP, tmp_path).main
    assert card is not None and card.device is not None
    assert card.device.id == "rx-7900-xtx"
    assert card.link == "pcie4-x8"
    assert card.gpu.rebar is False


def test_a_box_without_authorisation_shows_no_card(tmp_path: Path) -> None:
    sight = seen(recordings.LAPTOP, tmp_path)
    assert sight.gpus == ()
    assert sight.system.host == "framework-13-amd"
    assert sight.facts["tb_authorized"] is False
    assert sight.chain.link(intel=False) == "tb3"


def test_a_card_that_fell_off_the_bus_is_told(tmp_path: Path) -> None:
    card = seen(recordings.LOST, tmp_path).main
    assert card is not None and card.device is not None
    assert card.gpu.lost
    assert card.device.id == "rtx-3090"


def test_a_mac_is_known_without_files(tmp_path: Path) -> None:
    sight = seen(recordings.MAC, tmp_path)
    assert sight.system.host == "apple-silicon"
    assert (sight.facts["os"], sight.facts["os_version"]) == ("macos", "15.1")


def test_an_empty_recording_is_no_error(tmp_path: Path) -> None:
    sight = seen({}, tmp_path)
    assert sight.cards == () and sight.facts == {} and sight.main is None


def test_links_that_are_no_json_are_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "links.json").write_text("{", encoding="utf-8")
    with pytest.raises(FileError, match=r"links\.json: is not JSON"):
        Recorded(tmp_path)


@pytest.mark.parametrize(
    ("vendor", "product", "cpu", "host"),
    [
        ("Framework", "Laptop 13 (13th Gen Intel Core)", "13th Gen Intel(R) Core(TM) i7", "framework-13-intel"),
        ("Framework", "Laptop 16 (AMD Ryzen 7040 Series)", "AMD Ryzen 9 7940HS", "framework-16"),
        ("Dell Inc.", "XPS 15 9520", "12th Gen Intel(R) Core(TM) i9", "dell-xps"),
        ("Dell Inc.", "Latitude 7450", "Intel(R) Core(TM) Ultra 7", "dell-latitude-precision"),
        ("LENOVO", "ThinkPad X1 Carbon Gen 9", "11th Gen Intel(R) Core(TM) i7", "lenovo-thinkpad"),
        ("LENOVO", "Legion 5 16IRX9", "13th Gen Intel(R) Core(TM) i7", ""),
        ("ASUSTeK COMPUTER INC.", "ROG Ally X RC72LA", "AMD Ryzen Z1 Extreme", "asus-rog-ally-x"),
        ("ASUSTeK COMPUTER INC.", "ROG Ally RC71L", "AMD Ryzen Z1 Extreme", "asus-rog-ally"),
        ("Valve", "Jupiter", "AMD Custom APU 0405", "steam-deck"),
        ("Apple Inc.", "MacBookPro16,1", "Intel(R) Core(TM) i9-9880H", "apple-intel"),
    ],
)
def test_families_are_known_by_what_the_maker_wrote(
    tmp_path: Path, vendor: str, product: str, cpu: str, host: str
) -> None:
    assert seen(recordings.computer(vendor, product, cpu, "6.12"), tmp_path).system.host == host
