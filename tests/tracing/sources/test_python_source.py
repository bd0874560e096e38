from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from outboard.errors import FileError  # noqa: E402
from outboard.tracing import sources  # noqa: E402
from outboard.types.job import Job  # noqa: E402

EXAMPLE = Path(__file__).parents[3] / "examples" / "my_step.py"

HEAD = "import torch\nfrom torch import nn\n"


@pytest.fixture
def step_file(tmp_path):
    def write(body: str) -> str:
        path = tmp_path / "step.py"
        path.write_text(HEAD + body)
        return f"python:{path}:make"

    return write


def test_the_example(steps) -> None:
    step = steps(f"python:{EXAMPLE}:make", precision="amp-fp16")[0]
    assert step.inputs == [(2 * 3 * 32 * 32, 4 * 2 * 3 * 32 * 32), (2, 16)]
    assert not step.warnings
    assert sources.build(Job(workload=f"python:{EXAMPLE}:make")).optimizer == "momentum"


def test_a_dict_of_everything(steps, step_file) -> None:
    workload = step_file(
        "class Sum(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.layer = nn.Linear(3, 4)\n"
        "    def forward(self, a, b): return self.layer(a) + self.layer(b)\n"
        "def make():\n"
        "    batch = {'a': torch.randn(5, 3), 'b': torch.randn(5, 3)}\n"
        "    return {'model': Sum(), 'batch': batch, 'optimizer': 'adam', 'loss': lambda out: out.sum()}\n"
    )
    step = steps(workload)[1]
    assert step.inputs == [(9, 36), (9, 36)]
    assert "its example is resized" in step.warnings[0]
    assert sources.build(Job(workload=workload)).optimizer == "adam"


@pytest.mark.parametrize(
    "batch", ["torch.randn(2, 3)", "(torch.randn(2, 3),)", "(torch.randn(2, 3), torch.randn(2, 4))"]
)
def test_batches_of_every_form(steps, step_file, batch: str) -> None:
    steps(step_file(f"def make():\n    return nn.Linear(3, 4), {batch}\n"))


def test_a_batch_made_for_each_size(steps, step_file) -> None:
    workload = step_file("def make(batch_size):\n    return nn.Linear(3, 4), torch.randn(batch_size * 2, 3)\n")
    assert [step.inputs[0][0] for step in steps(workload)] == [12, 18]


def test_what_it_prints_is_not_ours(steps, step_file, capfd) -> None:
    steps(
        step_file("print('loading')\ndef make():\n    print('made')\n    return nn.Linear(3, 4), torch.randn(2, 3)\n")
    )
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("def make():\n    raise ValueError('two\\nlines')\n", "line 4: make raised ValueError: two$"),
        ("raise OSError('no disk')\n", "line 3: the file raised OSError: no disk"),
        ("import sys\nsys.exit(3)\n", "raised SystemExit: 3"),
        ("def make(:\n", "raised SyntaxError"),
        ("def mak(): pass\n", "no function 'make'; mak"),
        ("def make(): return 3\n", "make returned int; it must return"),
        ("def make(): return 3, 4\n", "make returned tuple; it must return"),
    ],
)
def test_a_wrong_file_is_one_line(step_file, body: str, message: str) -> None:
    workload = step_file(body)
    with pytest.raises(FileError, match=message) as error:
        sources.build(Job(workload=workload))
    assert "step.py" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "message"), [("python:gone.py:make", "no such file"), ("python:gone.py", "no function named")]
)
def test_a_file_that_is_not_there(name: str, message: str) -> None:
    with pytest.raises(FileError, match=message):
        sources.build(Job(workload=name))
