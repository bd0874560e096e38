"""Work shared out over processes, its results as they come."""

import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import Any, TypeVar

from outboard import i18n

Result = TypeVar("Result")


def in_processes(
    function: Callable[..., Result], work: Sequence[tuple[Any, ...]], processes: int, language: str
) -> Iterator[tuple[int, Result]]:
    """Call ``function`` with each item of ``work``; yield the item's number and its result, the first finished first.

    Whoever stops listening, or is interrupted, ends the processes after what each is at.
    """
    # Spawned, not forked: torch keeps threads that do not survive a fork.
    pool = ProcessPoolExecutor(processes, get_context("spawn"), initializer=_prepare, initargs=(language,))
    try:
        numbers = {pool.submit(function, *item): number for number, item in enumerate(work)}
        for future in as_completed(numbers):
            yield numbers[future], future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _prepare(language: str) -> None:
    """Leave Ctrl-C to the parent, and speak its language."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    i18n.use(language)
