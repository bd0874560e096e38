import pytest

torch = pytest.importorskip("torch")

from outboard.tracing.sources.unet import UNet, time_embedding  # noqa: E402


def test_it_has_the_parameters_of_version_1_5() -> None:
    with torch.device("meta"):
        model = UNet()
    assert sum(p.numel() for p in model.parameters()) == 859_520_964


def test_a_small_one_computes() -> None:
    model = UNet((32, 64), context=24, heads=4, blocks=1)
    out = model(torch.randn(2, 4, 16, 16), torch.tensor([1, 900]), torch.randn(2, 7, 24))
    assert out.shape == (2, 4, 16, 16)
    assert torch.isfinite(out).all()


def test_time_is_told_apart() -> None:
    first, second = time_embedding(torch.tensor([1, 2]), 32)
    assert not torch.allclose(first, second)


def test_as_a_workload(steps) -> None:
    step = steps("builtin:sd-unet", image_size=256, precision="amp-fp16", task="infer", batches=(1, 2))[0]
    assert step.inputs[0][0] == 4 * 32 * 32
    assert sum(row.kind == "attention" for row in step.operators) == 32
