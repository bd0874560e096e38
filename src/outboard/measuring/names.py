"""How a person writes this machine's own processor as a place."""

NAMES = ("cpu", "here")


def is_here(text: str) -> bool:
    """Whether a place is written as this machine's own processor.

    >>> is_here("CPU"), is_here("rtx-3090")
    (True, False)
    """
    return text.strip().lower() in NAMES
