"""Logic with three values: true, false and unknown, the last written as None (Kleene's strong logic).

What is unknown stays unknown until it no longer matters: false and unknown is false, true or unknown is true.
:mod:`outboard.compat.conditions` has "and" and "or", which stop as soon as the answer is certain.
"""

Truth = bool | None


def negation(part: Truth) -> Truth:
    """The opposite of ``part``; the opposite of unknown is unknown.

    >>> negation(True), negation(None)
    (False, None)
    """
    return None if part is None else not part
