"""``outboard init``: a few questions, or what can be detected, and ``me.yaml`` is written."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from outboard.cli import output, parameters
from outboard.errors import OutsideError, UsageError
from outboard.i18n import _

if TYPE_CHECKING:
    from outboard.planner.questions import Question

FILE = "me.yaml"


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    given = [
        parameters.option("out", "-o", "FILE", _("Where to write.") + f" [{FILE}]"),
        parameters.flag("yes", "--yes", _("Ask nothing: take what is detected and the defaults.")),
        parameters.flag("force", "--force", _("Replace the file where it exists.")),
    ]
    parameters.command(app, "init", run, _("Write your circumstances, me.yaml, from a few questions."), given)


def run(out: str | None, yes: bool, force: bool, as_json: bool) -> int:
    """Ask, check, write."""
    from outboard.planner.questions import questions, written

    target = Path(out or FILE)
    if target.exists() and not force:
        raise UsageError(_("{path} exists; replace it with --force").format(path=target))
    asks = not yes and not as_json and sys.stdin.isatty()
    answers = {one.key: _ask(one) if asks else one.default for one in questions()}
    text = written(answers)
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise OutsideError(_("{path} cannot be written: {error}").format(path=target, error=error)) from None
    if as_json:
        output.write_json({"file": os.fspath(target), "answers": answers})
    else:
        output.write(_("{path} is written; next: outboard plan JOB.yaml").format(path=target))
    return 0


def _ask(one: "Question", read: Callable[[str], str] = input) -> str:
    """Ask until the answer can be used; nothing takes what is in brackets."""
    while True:
        print(f"{one.text} [{one.default}] ", end="", file=sys.stderr, flush=True)
        said = read("").strip() or one.default
        try:
            one.check(said)
        except UsageError as error:
            output.error(str(error))
            continue
        return said
