import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from outboard.tracing.recorder.storages import Storages  # noqa: E402


def test_a_storage_lives_as_long_as_a_view_of_it() -> None:
    watched = Storages()
    tensor = torch.zeros(10)
    life = watched.life(tensor, 0)
    assert life is not None
    view = tensor[2:4]
    del tensor
    watched.clock = 3
    assert watched.life(view, 3) is life
    assert life.death == -1
    watched.clock = 5
    del view
    assert life.death == 5


def test_empty_storages_have_no_life() -> None:
    assert Storages().life(torch.zeros(0), 0) is None


def test_what_still_lives_outlives_the_step() -> None:
    watched = Storages()
    kept = torch.zeros(3)
    life = watched.name(kept, "weights")
    watched.clock = 7
    watched.close()
    assert life is not None
    assert (life.birth, life.death, life.category) == (-1, 7, "weights")


def test_categories_and_times_of_a_small_step(record) -> None:
    step = record(nn.Sequential(nn.Linear(8, 16, bias=False), nn.ReLU(), nn.Linear(16, 2, bias=False)), (8,))
    steps = len(step.operators)
    found = {}
    for tensor in step.tensors:
        found.setdefault(tensor.category, []).append((tensor.size, tensor.birth, tensor.death))
    assert found["weights"] == [(8 * 16 * 4, -1, steps), (16 * 2 * 4, -1, steps)]
    assert found["inputs"] == [(4 * 8 * 4, -1, steps)]
    # mm relu mm | sum | ones_like mm(wgrad 2) mm(dgrad) threshold_backward mm(wgrad 1)
    assert [row.name for row in step.operators][4:] == [
        "aten.ones_like",
        "aten.mm",
        "aten.mm",
        "aten.threshold_backward",
        "aten.mm",
    ]
    assert found["gradients"] == [(16 * 2 * 4, 5, steps), (8 * 16 * 4, 8, steps)]
    assert found["output"] == [(4 * 2 * 4, 2, steps), (4, 3, steps)]
    # What relu gave out is saved by itself and by the second layer, and dies once both have used it.
    assert found["activations"] == [(4 * 16 * 4, 1, 8)]
    # What the first layer gave out is needed by nobody after relu.
    assert (4 * 16 * 4, 0, 2) in found["temporaries"]


def test_tied_weights_are_one_storage_with_one_gradient(record) -> None:
    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.Linear(8, 8, bias=False), nn.Linear(8, 8, bias=False)
            self.second.weight = self.first.weight

        def forward(self, x):
            return self.second(self.first(x))

    step = record(Tied(), (8,))
    assert len(step.parameters) == 1
    for category in ("weights", "gradients"):
        assert [t.size for t in step.tensors if t.category == category] == [8 * 8 * 4]


def test_gradients_of_a_branch_are_added_in_place(record) -> None:
    class Branch(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.enter, self.layer = nn.Linear(8, 8), nn.Linear(8, 8)

        def forward(self, x):
            x = self.enter(x)
            return torch.sigmoid(x) + torch.tanh(self.layer(x))

    step = record(Branch(), (8,))
    (addition,) = [row for row in step.operators if row.name == "aten.add" and row.phase == "backward"]
    assert addition.outputs[0] in addition.inputs
