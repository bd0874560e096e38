import pytest

torch = pytest.importorskip("torch")

from outboard.tracing.recorder.facts import facts_of  # noqa: E402

aten = torch.ops.aten


def test_an_operator_in_place_is_of_its_twins_kind() -> None:
    facts = facts_of(aten.add_.Tensor)
    assert (facts.name, facts.base, facts.kind, facts.writes) == ("aten.add_", "add", "elementwise", (0,))
    assert not facts.overwrites


def test_a_copy_does_not_read_what_it_overwrites() -> None:
    assert facts_of(aten.copy_.default).overwrites


@pytest.mark.parametrize(
    "operator", [aten.view.default, aten.transpose.int, aten.empty_like.default, aten.split.Tensor]
)
def test_views_and_allocations_launch_nothing(operator: object) -> None:
    assert facts_of(operator).silent


def test_what_torch_tags_pointwise_is_elementwise() -> None:
    assert facts_of(aten.erfc.default).kind == "elementwise"


def test_batch_norm_is_not_silent_although_it_changes_its_arguments() -> None:
    assert not facts_of(aten.native_batch_norm.default).silent
