"""Slices of a GPU."""

import pytest

from outboard.catalog import devices, mig, place
from outboard.errors import UnknownNameError, UsageError


@pytest.mark.parametrize(
    ("written", "id", "gib"),
    [  # what "nvidia-smi mig -lgip" lists in the user guide, in GiB
        ("a100-40gb-mig-1g.5gb", "a100-sxm4-40gb-mig-1g.5gb", 4.75),
        ("NVIDIA A100-SXM4-40GB MIG 3g.20gb", "a100-sxm4-40gb-mig-3g.20gb", 19.62),
        ("NVIDIA H100 80GB HBM3 MIG 1g.10gb", "h100-sxm5-80gb-mig-1g.10gb", 9.62),
        ("h100:mig-3g.40gb", "h100-sxm5-80gb-mig-3g.40gb", 39.38),
    ],
)
def test_a_slice_offers_its_share_of_the_memory(written: str, id: str, gib: float) -> None:
    device = place(written).device
    assert device.id == id
    assert device.usable_memory is not None and device.usable_memory.low is not None
    assert device.usable_memory.low <= gib * 2**30 <= (device.usable_memory.high or 0.0)
    assert device.usable_memory.value == pytest.approx(gib * 2**30, rel=0.03)


def test_a_slice_has_its_share_of_rates_and_the_whole_link() -> None:
    whole, one = place("a100-sxm4-40gb@pcie4-x16"), place("a100-sxm4-40gb-mig-2g.10gb@pcie4-x16")
    assert one.device.units.value == 28
    assert one.device.matmul["fp16"].value == pytest.approx(whole.device.matmul["fp16"].value * 28 / 108)
    assert one.device.memory_bandwidth.value == pytest.approx(whole.device.memory_bandwidth.value / 4)
    assert one.link == whole.link
    assert place(one.name) == one


def test_every_profile_is_of_a_known_gpu_and_no_larger_than_it() -> None:
    cut = [device for device in devices() if mig.profiles(device)]
    assert len(cut) == len(mig._tables())
    for device in cut:
        for name, profile in mig.profiles(device).items():
            one = mig.slice_of(device, name)
            assert profile["units"] <= device.units.value, name
            written = float(name.partition(".")[2].removesuffix("gb"))
            assert one.memory.value == pytest.approx(written * 2**30, rel=0.08), (device.id, name)


def test_what_cannot_be_cut_and_unknown_profiles_say_what_can() -> None:
    with pytest.raises(UsageError, match="rtx-4090 cannot be cut into MIG slices; these can: a100"):
        place("rtx-4090-mig-1g.5gb")
    with pytest.raises(UnknownNameError, match=r"unknown MIG profile '1g.5gb'.*1g.10gb"):
        place("h100-mig-1g.5gb")


def test_slices_are_never_summed() -> None:
    with pytest.raises(UsageError, match="one MIG slice, not 2"):
        place("a100-mig-1g.5gbx2")
