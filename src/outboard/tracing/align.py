"""Steps recorded at several batch sizes are laid side by side, row by row; a model that runs otherwise is refused."""

from collections.abc import Sequence

from outboard.errors import JobError
from outboard.i18n import _
from outboard.tracing.raw import RawOperator, RawStep


def check_aligned(steps: Sequence[RawStep]) -> None:
    """Raise :class:`JobError` naming the first difference unless all steps execute the same operators on the same
    tensors.
    """
    first = steps[0]
    for other in steps[1:]:
        _check_operators(first, other)
        _check_tensors(first, other)
        if first.phase_start != other.phase_start or first.parameters != other.parameters:
            raise _differs(first, other, _("the phases or the parameters differ"))
        if len(first.inputs) != len(other.inputs):
            raise _differs(first, other, _("the number of inputs differs"))


def _check_operators(first: RawStep, other: RawStep) -> None:
    for position, (one, two) in enumerate(zip(first.operators, other.operators, strict=False)):
        if _identity(one) != _identity(two):
            raise _differs(
                first,
                other,
                _("operator {position} is {one} and {two}").format(
                    position=position, one=f"{one.name} ({one.phase})", two=f"{two.name} ({two.phase})"
                ),
            )
    if len(first.operators) != len(other.operators):
        raise _differs(
            first, other, _("{one} and {two} operators").format(one=len(first.operators), two=len(other.operators))
        )


def _identity(operator: RawOperator) -> tuple[object, ...]:
    return (
        operator.name,
        operator.kind,
        operator.phase,
        operator.dtype,
        len(operator.inputs),
        len(operator.outputs),
        operator.taps,
        operator.stride,
    )


def _check_tensors(first: RawStep, other: RawStep) -> None:
    if len(first.tensors) != len(other.tensors):
        raise _differs(
            first, other, _("{one} and {two} tensors").format(one=len(first.tensors), two=len(other.tensors))
        )
    for position, (one, two) in enumerate(zip(first.tensors, other.tensors, strict=True)):
        if (one.category, one.birth, one.death) != (two.category, two.birth, two.death):
            raise _differs(
                first,
                other,
                _("tensor {position} is {one} and {two}").format(
                    position=position,
                    one=f"{one.category} {one.birth}..{one.death}",
                    two=f"{two.category} {two.birth}..{two.death}",
                ),
            )


def _differs(first: RawStep, other: RawStep, what: str) -> JobError:
    return JobError(
        _(
            "the model runs differently at batch {one} and batch {two}, so no other batch can be foretold: {what}; "
            "trace it with a fixed input size and without branches on the data"
        ).format(one=first.batch, two=other.batch, what=what)
    )
