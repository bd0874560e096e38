import pytest

torch = pytest.importorskip("torch")

import sys  # noqa: E402

from torch._subclasses.fake_tensor import FakeTensor  # noqa: E402

from outboard.tracing.recorder.runner import Quick, Runner  # noqa: E402
from outboard.tracing.recorder.shapes import SHAPES  # noqa: E402

aten = torch.ops.aten


@pytest.fixture
def runner() -> Runner:
    return Runner()


def real(*shape: int) -> torch.Tensor:
    return torch.randn(*shape)


# For each shape function of ours: arguments with which torch itself can run the operator on the CPU.
CASES = {
    "convolution": lambda: (real(2, 4, 9, 9), real(6, 2, 3, 3), real(6), [2], [1], [1], False, [0], 2),
    "convolution, transposed": lambda: (real(2, 4, 5, 5), real(4, 3, 3, 3), None, [2], [1], [1], True, [1], 1),
    "convolution, one dimension": lambda: (real(2, 4, 20), real(6, 4, 3), None, [1], [2], [2], False, [0], 1),
    "convolution_backward": lambda: (
        real(2, 6, 7, 7), real(2, 4, 9, 9), real(6, 4, 3, 3), [6], [1], [0], [1], False, [0], 1, [True, True, True],
    ),
    "native_batch_norm": lambda: (real(3, 4, 5, 5), real(4), real(4), real(4), real(4).abs(), True, 0.1, 1e-5),
    "native_layer_norm": lambda: (real(3, 5, 8), [8], real(8), real(8), 1e-5),
    "native_dropout": lambda: (real(3, 4), 0.5, True),
    "_softmax": lambda: (real(3, 4), -1, False),
    "_log_softmax": lambda: (real(3, 4), 1, False),
    "_softmax, of a view": lambda: (real(3, 4, 5).permute(2, 0, 1), -1, False),
    "_softmax_backward_data": lambda: (real(3, 4).t(), real(3, 4).t(), 1, torch.float32),
    "native_layer_norm, of a view": lambda: (real(8, 3, 5).permute(1, 2, 0), [8], real(8), real(8), 1e-5),
    "native_dropout, of a view": lambda: (real(3, 4, 5).permute(2, 0, 1), 0.5, True),
    "native_batch_norm, channels last": lambda: (
        real(3, 4, 5, 5).to(memory_format=torch.channels_last), real(4), real(4), real(4), real(4), True, 0.1, 1e-5,
    ),
    "convolution, channels last": lambda: (
        real(2, 4, 9, 9).to(memory_format=torch.channels_last), real(6, 4, 3, 3), None, [1], [1], [1], False, [0], 1,
    ),
    "gelu_backward, of views": lambda: (real(3, 4, 5).permute(2, 0, 1), real(3, 4, 5).permute(2, 0, 1)),
    "threshold_backward": lambda: (real(3, 4), real(3, 4), 0),
    "gelu_backward": lambda: (real(3, 4), real(3, 4)),
    "clone": lambda: (real(3, 4).t(),),
    "zeros_like": lambda: (real(3, 4, 2).permute(2, 0, 1),),
    "_to_copy": lambda: (real(2, 3, 4, 4).to(memory_format=torch.channels_last),),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_our_shapes_are_torchs(runner: Runner, name: str) -> None:
    operator = getattr(aten, name.partition(",")[0]).default
    assert operator in SHAPES
    args = CASES[name]()
    wanted = operator(*args)
    with runner.mode:
        fakes = tuple(runner.mode.from_tensor(a) if isinstance(a, torch.Tensor) else a for a in args)
    found = runner(operator, fakes, {})
    for ours, theirs in zip(listed(found), listed(wanted), strict=True):
        assert isinstance(ours, FakeTensor)
        assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
        assert ours.stride() == theirs.stride()


def listed(value) -> list:
    return [value] if isinstance(value, torch.Tensor) else list(value)


def test_constants_keep_their_values(runner: Runner) -> None:
    with runner.mode, Quick(runner):
        assert torch.tensor(4).item() == 4


def test_other_devices_are_taken_for_the_one_that_is_traced(runner: Runner) -> None:
    with runner.mode, Quick(runner):
        made = torch.zeros(3, device="cpu")
        assert made.device.type == "cpu"
        assert torch.ones_like(made, dtype=torch.float16).dtype == torch.float16


def test_the_compiler_is_not_imported_for_it() -> None:
    import subprocess

    code = (
        "import sys; from outboard.tracing.recorder import record; from outboard.types.job import Job;"
        "record(Job(workload='timm:resnet18', precision='amp-fp16'), 2);"
        "assert 'torch._dynamo' not in sys.modules, 'compiler'"
    )
    pytest.importorskip("timm")
    subprocess.run([sys.executable, "-c", code], check=True)
