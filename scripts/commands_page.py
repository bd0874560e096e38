"""Writes ``docs/commands.md`` from the program itself: ``make docs``."""

import sys
from pathlib import Path
from typing import Any

import typer

from outboard.cli import app, language

PAGE = Path(__file__).parent.parent / "docs" / "commands.md"
OPENING = """# Commands

Written by `make docs` from the program itself; a test keeps it current.

Results go to stdout, everything else to stderr. Exit status: 0 done or fits, 1 a clear no (does not fit, nothing
matches), 2 wrong usage or file, 3 a failure outside, 130 interrupted. `NO_COLOR` is respected. Every command takes
`--json` (SI units, stable keys, never translated; `outboard schema NAME` prints what to expect) and `--lang en|es`.
"""
EVERYWHERE = {"as_json", "lang"}


def page() -> str:
    """The whole page."""
    language.use("en")
    program: Any = typer.main.get_command(app.build())
    return OPENING + "".join(_command(name, command) for name, command in program.commands.items())


def _command(name: str, command: Any) -> str:
    parameters = [parameter for parameter in command.params if parameter.name not in EVERYWHERE]
    arguments = [parameter for parameter in parameters if parameter.param_type_name == "argument"]
    shown = [argument.metavar if argument.required else f"[{argument.metavar}]" for argument in arguments]
    usage = " ".join(["outboard", name, *shown, "[OPTIONS]"])
    rows = "".join(f"| `{_spelling(parameter)}` | {_cell(parameter.help)} |\n" for parameter in parameters)
    return f"\n## outboard {name}\n\n{command.help}\n\n`{usage}`\n\n| | |\n|---|---|\n{rows}"


def _spelling(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return parameter.metavar
    flags = " / ".join([*parameter.opts, *parameter.secondary_opts])
    return _cell(flags if parameter.is_flag else f"{flags} {parameter.metavar}")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> int:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
