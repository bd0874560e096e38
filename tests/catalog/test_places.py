"""Places as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outboard.catalog import device, devices, interconnect, link, links, place, usual_link
from outboard.errors import UnknownNameError, UsageError

WRITTEN = {
    "rtx-3060-12gb@tb3": "rtx-3060-12gb@tb3",
    "rtx-4090x2@pcie4-x16": "rtx-4090x2@pcie4-x16",
    "RTX 4090 x2 @ PCIe4 x8": "rtx-4090x2@pcie4-x8",
    "rtx-4090 x 2": "rtx-4090x2",
    "2x RTX 3090": "rtx-3090x2",
    "h100-sxm": "h100-sxm5-80gb",
    "h100-sxmx8": "h100-sxm5-80gbx8",
    "8xh100-sxm": "h100-sxm5-80gbx8",
    "H100 (8x)": "h100-sxm5-80gbx8",
    "v100-sxm2x4": "v100-sxm2-16gbx4",
    "h100@sxm": "h100-sxm5-80gb",
    "rx-7900-xtx": "rx-7900-xtx",
    "rx-7900-xtxx2": "rx-7900-xtxx2",
    "RX 7900 XTX x2@OCuLink": "rx-7900-xtxx2@oculink-pcie4-x4",
    "gtx 1080": "gtx-1080",
    "gtx 1080 x3": "gtx-1080x3",
    "gtx1080ti": "gtx-1080-ti",
    "Quadro RTX 8000 x2": "rtx-8000x2",
    "rtx-2080-max-q": "rtx-2080-max-q",
    "arc-a770x2": "arc-a770-16gbx2",
    "mi300xx8": "mi300xx8",
    "mi300x": "mi300x",
    "rtx-3090x1": "rtx-3090",
    "cpu": "cpu",
}


@pytest.mark.parametrize(("written", "name"), WRITTEN.items(), ids=WRITTEN)
def test_places_as_written(written: str, name: str) -> None:
    assert place(written).name == name


@given(
    st.sampled_from(devices()),
    st.integers(1, 1024),
    st.sampled_from([None, *links()]),
    st.sampled_from([str, str.upper, lambda text: text.replace("-", " "), lambda text: f"  {text} "]),
)
def test_the_name_of_a_place_is_that_place(known, count, hung, rewrite) -> None:
    text = known.id + (f"x{count}" if count > 1 else "") + (f"@{hung.id}" if hung else "")
    found = place(rewrite(text))
    assert (found.device, found.count, found.link_assumed) == (known, count, hung is None)
    between_machines = hung is not None and hung.kind == "network" and count > 1
    assert found.link == (usual_link(known) if hung is None or between_machines else hung)
    assert not between_machines or found.interconnect == hung
    assert place(found.name) == found


@pytest.mark.parametrize("text", ["rtx-4090x0", "0x rtx-4090", "rtx-4090x0@tb3", "p4x0", "@tb3", "", "rtx-4090@", "  "])
def test_no_device_no_link_or_a_count_of_zero_is_wrong_usage(text: str) -> None:
    with pytest.raises(UsageError):
        place(text)


@pytest.mark.parametrize("text", ["rtx-9999x2", "x2", "rtx-4090@tb33", "2x", "rtx-4090xx", "rtx-3090 + rtx-4090"])
def test_an_unknown_part_is_named(text: str) -> None:
    with pytest.raises(UnknownNameError):
        place(text)


def test_modules_are_joined_by_nvlink_and_cards_through_the_host() -> None:
    joined = place("h100-sxmx8").interconnect
    assert joined is not None
    assert joined.id == "nvlink4"
    assert place("h100-sxm").interconnect is None
    assert place("h100-pciex2").interconnect is None
    assert place("rtx-4090x2").interconnect is None
    for name, id in (("v100-sxm2", "nvlink2"), ("a100-sxm", "nvlink3"), ("b200", "nvlink5"), ("mi300x", None)):
        found = interconnect(device(name))
        assert found is not None
        assert id is None or found.id == id


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("h100-sxm", "pcie5-x16"),
        ("a100-sxm", "pcie4-x16"),
        ("v100-sxm2", "pcie3-x16"),
        ("rtx-4060", "pcie4-x8"),
        ("rtx-5060-ti-16gb", "pcie5-x8"),
        ("gh200", "nvlink-c2c"),
        ("cpu", "host-memory"),
        ("jetson-agx-orin", "host-memory"),
        ("rtx-4070-mobile", "pcie4-x8"),
        ("gtx-460", "pcie2-x16"),
    ],
)
def test_usual_link(name: str, id: str) -> None:
    assert usual_link(device(name)).id == id
    assert place(name).link_assumed


def test_links_of_the_facts() -> None:
    assert link("tb3").h2d.value == 2.6e9
    assert link("tb4").d2h.value == 3.29e9
    assert link("tb3").tunnelled
    assert not link("oculink").tunnelled
    assert link("pcie4-x16").theoretical is not None
    assert link("nvlink3").theoretical.value == 300e9  # type: ignore[union-attr]
