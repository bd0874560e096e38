from outboard.tracing.recorder import kinds
from outboard.types.trace import KINDS


def test_every_kind_is_one_of_the_table() -> None:
    assert set(kinds.KIND_OF.values()) <= set(KINDS)


def test_no_operator_is_in_two_lists() -> None:
    names = [name for text in kinds._NAMES.values() for name in text.split()]
    assert sorted(names) == sorted(set(names))


def test_kernels_are_known_for_operators_that_have_a_kind() -> None:
    assert set(kinds.KERNELS) <= set(kinds.KIND_OF)
    assert not set(kinds.KERNELS) & kinds.SILENT
