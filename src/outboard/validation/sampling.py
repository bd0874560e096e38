"""A part of the rows that stands for all of them: spread over the groups, the same for the same seed."""

import hashlib
from collections.abc import Sequence

from outboard.validation.cases import Case
from outboard.validation.groups import DEFAULT_BY


def sample(cases: Sequence[Case], count: int, seed: int = 0, by: Sequence[str] = DEFAULT_BY) -> list[Case]:
    """``count`` of the cases, in their order; all of them where there are no more.

    Rows are lined up group by group, drawn by hash within a group, and every n-th is taken from a start that the seed
    decides: each group gives its share to within one row, whatever the size of the sample.
    """
    if count >= len(cases):
        return list(cases)
    lined = sorted(range(len(cases)), key=lambda i: (_group(cases[i], by), _hashed(seed, cases[i])))
    step = len(cases) / count
    start = _number(f"{seed}") / 2**256 * step
    chosen = sorted(lined[min(int(start + step * place), len(cases) - 1)] for place in range(count))
    return [cases[index] for index in chosen]


def _group(case: Case, by: Sequence[str]) -> tuple[str, ...]:
    return tuple(case.labels[label] for label in by)


def _hashed(seed: int, case: Case) -> tuple[int, int]:
    row = case.measurement
    return _number(f"{seed}|{row.id}|{row.workload}|{row.gpu}|{row.batch_size}"), row.line


def _number(text: str) -> int:
    """A number that is the same everywhere and always."""
    return int(hashlib.sha256(text.encode()).hexdigest(), 16)
