"""A bar on stderr for work whose amount is known, where a person looks on."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(message: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show ``message`` and a bar; call what this gives with how much has just been done."""
    if not sys.stderr.isatty():
        yield lambda count: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(message, total=total)
        yield lambda count: bar.advance(task, count)
