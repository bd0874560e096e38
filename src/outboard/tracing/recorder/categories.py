"""What each storage turned out to be, once the step is over."""

from outboard.tracing.raw import RawTensor
from outboard.tracing.recorder.mode import Recorder
from outboard.tracing.recorder.storages import Life


def raw_tensors(recorder: Recorder, steps: int) -> list[RawTensor]:
    """One row per storage, in order of birth."""
    lives = _accumulated_in_place(recorder)
    backward = recorder.phase_start.get("backward", steps)
    rows = [
        RawTensor(life.id, life.category or _category(life, backward), float(life.size), life.birth, life.death)
        for life in lives
    ]
    return sorted(rows, key=lambda row: (row.birth, row.id))


def _category(life: Life, backward: int) -> str:
    if life.birth < 0:
        return "weights"  # tensors that the model holds without having registered them
    return "activations" if life.birth < backward < life.death else "temporaries"


def _accumulated_in_place(recorder: Recorder) -> list[Life]:
    """Undo what fake tensors do to autograd: real gradients are added into the first, where nobody else holds it.

    Such an addition shows as ``a + b`` in the backward pass after which ``a`` dies: the sum then lives where ``a`` did.
    """
    lives = recorder.storages.lives
    backward = recorder.phase_start.get("backward")
    if backward is None:
        return lives
    moved: dict[int, int] = {}
    for position in range(backward, len(recorder.operators)):
        row = recorder.operators[position]
        if row.name == "aten.add" and len(row.inputs) == 2:
            old, new = lives[moved.get(row.inputs[0], row.inputs[0])], lives[row.outputs[0]]
            if old.death == position + 1 and old.birth >= backward and old.size == new.size and new.birth == position:
                old.death, old.category = new.death, new.category
                moved[new.id] = old.id
    for row in recorder.operators[backward:]:
        row.inputs = tuple(moved.get(i, i) for i in row.inputs)
        row.outputs = tuple(moved.get(i, i) for i in row.outputs)
    return [life for life in lives if life.id not in moved]
