"""Versions of kernels, drivers and systems as tuples that compare."""

import re
from functools import lru_cache

LEADING = re.compile(r"\s*[vV]?(\d+(?:\.\d+)*)")


@lru_cache(maxsize=4096)
def version(text: str) -> tuple[int, ...] | None:
    """Return the numbers that ``text`` begins with, trailing zeros dropped; None where it begins with none.

    >>> version("6.19.10-200.fc43.x86_64"), version("580.0"), version("newest")
    ((6, 19, 10), (580,), None)
    """
    match = LEADING.match(text)
    if match is None:
        return None
    numbers = [int(number) for number in match[1].split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
