import importlib
import sys

import pytest

from outboard.errors import JobError, MissingExtraError, UnknownNameError
from outboard.tracing import sources
from outboard.types.job import Job


@pytest.mark.parametrize("workload", ["resnet50", "tim:resnet50", "timm:", ":x"])
def test_a_workload_names_its_source(workload: str) -> None:
    with pytest.raises(UnknownNameError, match="starts with one of: timm:, torchvision:, hf:, python:, builtin:"):
        sources.split(workload)


def test_a_name_may_hold_colons() -> None:
    assert sources.split("python:C:/me/step.py:make") == ("python", "C:/me/step.py:make")


def test_without_torch_the_extra_is_named(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'outboard\[models\]'"):
        sources.build(Job(workload="timm:resnet50"))


@pytest.mark.parametrize(
    ("source", "library"), [("timm", "timm"), ("torchvision", "torchvision"), ("hf", "transformers")]
)
def test_without_its_library_the_extra_is_named(monkeypatch, source: str, library: str) -> None:
    pytest.importorskip("torch")
    for name in list(sys.modules):
        if name.startswith(f"outboard.tracing.sources.{source}"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtraError, match=library):
        sources.build(Job(workload=f"{source}:model"))


def test_nothing_of_torch_is_imported_until_a_model_is_built() -> None:
    found = importlib.util.find_spec("outboard.tracing.recorder")
    assert found is not None
    code = "import outboard.tracing.recorder, outboard.tracing.sources, sys; assert 'torch' not in sys.modules"
    import subprocess

    subprocess.run([sys.executable, "-c", code], check=True)


def test_builtin_models_are_listed() -> None:
    pytest.importorskip("torch")
    with pytest.raises(UnknownNameError, match="sd-unet"):
        sources.build(Job(workload="builtin:unet"))


def test_checkpointing_needs_a_model_that_has_it(steps) -> None:
    pytest.importorskip("torchvision")
    with pytest.raises(JobError, match="models of timm: and hf: mostly have it"):
        steps("torchvision:alexnet", grad_checkpointing=True)
