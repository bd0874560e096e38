"""What a precision turns into on hardware that lacks it."""

import pytest

from outboard import catalog
from outboard.perf.precision import warnings


@pytest.mark.parametrize(
    ("device", "precision", "word"),
    [
        ("tesla-t4", "amp-bf16", "emulated"),
        ("tesla-t4", "bf16", "use fp16"),
        ("gtx-1080-ti", "amp-fp16", "no fp16 matrix units"),
        ("tesla-t4", "tf32", "run in fp32"),
        ("rtx-4090", "fp64", "1/64"),
    ],
)
def test_what_the_hardware_lacks_is_said(device: str, precision: str, word: str) -> None:
    assert any(word in line for line in warnings(catalog.device(device), precision))


@pytest.mark.parametrize(
    ("device", "precision"), [("rtx-3090", "amp-bf16"), ("a100-pcie-40gb", "fp64"), ("tesla-t4", "amp-fp16")]
)
def test_what_it_has_is_not_mentioned(device: str, precision: str) -> None:
    assert warnings(catalog.device(device), precision) == ()
