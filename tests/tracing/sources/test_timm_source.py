import pytest

pytest.importorskip("timm")

from outboard.errors import JobError, UnknownNameError

PRODUCTS = ("matmul", "conv", "conv_dgrad", "conv_wgrad", "depthwise", "attention", "attention_backward")


def gigaflops(step, phase: str) -> float:
    """Of one image [GFLOP], products alone."""
    return sum(r.flops for r in step.operators if r.phase == phase and r.kind in PRODUCTS) / step.batch / 1e9


def parameters(step) -> int:
    total = 0
    for shape, _itemsize, _trainable in step.parameters:
        count = 1
        for size in shape:
            count *= size
        total += count
    return total


def test_resnet50_has_the_published_size_and_flops(steps) -> None:
    step = steps("timm:resnet50", precision="amp-fp16")[0]
    assert parameters(step) == 25_557_032
    # 4.09 G multiply-adds; backward twice that, less the first layer's input gradient (0.118 G multiply-adds).
    assert gigaflops(step, "forward") == pytest.approx(8.18, rel=0.005)
    assert gigaflops(step, "backward") == pytest.approx(2 * 8.18 - 0.236, rel=0.005)
    weights = sum(t.size for t in step.tensors if t.category == "weights")
    gradients = sum(t.size for t in step.tensors if t.category == "gradients")
    assert gradients == 4 * 25_557_032
    # Running means, variances and counters of 53 batch norms besides.
    assert weights == gradients + 2 * 4 * 26_560 + 53 * 8
    assert step.inputs == [(2 * 3 * 224 * 224, 4 * 2 * 3 * 224 * 224), (2, 16)]


def test_vit_b_16_has_the_published_flops(steps) -> None:
    step = steps("timm:vit_base_patch16_224", precision="amp-bf16", task="infer")[0]
    assert gigaflops(step, "forward") == pytest.approx(2 * 17.58, rel=0.005)
    assert sum(row.kind == "attention" for row in step.operators) == 12


def test_attention_may_be_written_out(steps) -> None:
    step = steps("timm:vit_tiny_patch16_224", attention="eager")[0]
    assert not [row for row in step.operators if row.kind == "attention"]


def test_checkpointing_computes_again_and_keeps_less(steps) -> None:
    plain, again = (
        steps("timm:vit_tiny_patch16_224", precision="amp-bf16", grad_checkpointing=value)[0] for value in (False, True)
    )
    kept = [sum(t.size for t in step.tensors if t.category == "activations") for step in (plain, again)]
    assert kept[1] < kept[0] / 4
    assert gigaflops(again, "forward") == gigaflops(plain, "forward")
    assert 1.2 < gigaflops(again, "backward") / gigaflops(plain, "backward") < 1.5


def test_vit_takes_another_size_and_resnet_any(steps) -> None:
    assert steps("timm:vit_tiny_patch16_224", image_size=256)[0].inputs[0][0] == 2 * 3 * 256 * 256
    assert steps("timm:resnet18", image_size=160)[0].inputs[0][0] == 2 * 3 * 160 * 160


def test_a_model_without_classifier_still_has_a_loss(steps) -> None:
    step = steps("timm:vit_small_patch16_dinov3")[0]
    assert "no classifier" in step.warnings[0]
    assert any(t.category == "gradients" for t in step.tensors)


def test_a_size_that_the_model_refuses(steps) -> None:
    with pytest.raises(JobError, match="its own image size is 224 x 224"):
        steps("timm:vit_tiny_patch16_224", image_size=8)


def test_an_unknown_name_lists_the_nearest() -> None:
    from outboard.tracing.recorder import record
    from outboard.types.job import Job

    with pytest.raises(UnknownNameError, match="nearest: resnet50") as error:
        record(Job(workload="timm:resnet5O"), 2)
    assert "resnet50" in error.value.near


@pytest.mark.parametrize("name", ["convit_tiny", "efficientnet_b0"])
def test_families_with_habits_of_their_own(steps, name: str) -> None:
    steps(f"timm:{name}", precision="amp-fp16")
