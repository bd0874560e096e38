import pytest

pytest.importorskip("torchvision")

from outboard.errors import JobError, UnknownNameError


def gigaflops(step, *kinds: str) -> float:
    return sum(r.flops for r in step.operators if r.phase == "forward" and r.kind in kinds) / step.batch / 1e9


def test_classifier(steps) -> None:
    step = steps("torchvision:resnet18", precision="amp-bf16")[0]
    assert gigaflops(step, "conv", "matmul") == pytest.approx(2 * 1.814, rel=0.005)


def test_classifiers_of_further_outputs_are_in_the_loss(steps) -> None:
    step = steps("torchvision:googlenet")[0]
    assert sum(row.name == "aten._log_softmax" for row in step.operators) == 3


def test_segmentation_has_a_class_for_each_pixel(steps) -> None:
    step = steps("torchvision:fcn_resnet50", image_size=128)[0]
    assert step.inputs[1][0] == 2 * 128 * 128


@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("maskrcnn_resnet50_fpn", "train"),
        ("fasterrcnn_mobilenet_v3_large_320_fpn", "infer"),
        ("retinanet_resnet50_fpn", "train"),
        ("ssdlite320_mobilenet_v3_large", "train"),
    ],
)
def test_detectors_run_without_their_choices(steps, name: str, task: str) -> None:
    step = steps(f"torchvision:{name}", image_size=320, task=task, precision="amp-fp16")[0]
    assert "left out" in step.warnings[0]
    trained = sum(t.category == "gradients" for t in step.tensors)
    assert trained == (len(step.parameters) if task == "train" else 0)


def test_clips(steps) -> None:
    assert steps("torchvision:r3d_18", image_size=64)[0].inputs[0][0] == 2 * 3 * 16 * 64 * 64


def test_a_size_that_the_model_refuses(steps) -> None:
    with pytest.raises(JobError, match="indivisible by patch size"):
        steps("torchvision:vit_b_16", image_size=225)


def test_names_that_cannot_be_traced(steps) -> None:
    with pytest.raises(UnknownNameError, match="resnet50"):
        steps("torchvision:resnet5O")
    with pytest.raises(JobError, match="optical flow"):
        steps("torchvision:raft_small")
