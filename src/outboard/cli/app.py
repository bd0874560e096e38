"""Builds the program from its commands and runs it."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from outboard.cli import (
    compare,
    devices,
    doctor,
    estimate,
    fit_llm,
    hosts,
    init,
    links,
    logs,
    measure,
    mistakes,
    move,
    offers,
    output,
    parameters,
    plan,
    resume,
    runs,
    schema,
    serve,
    stop,
    store,
    trace,
    validate,
)
from outboard.cli import run as run_command
from outboard.i18n import _

COMMANDS = (
    estimate,
    compare,
    plan,
    run_command,
    runs,
    logs,
    stop,
    resume,
    move,
    fit_llm,
    doctor,
    measure,
    init,
    trace,
    validate,
    devices,
    links,
    hosts,
    offers,
    store,
    schema,
    serve,
)


def run(arguments: Sequence[str]) -> int:
    """Run the command that ``arguments`` name and return its exit status."""
    try:
        return build()(list(arguments), prog_name="outboard", standalone_mode=False) or 0
    except typer.TyperException as error:
        raise mistakes.understood(error) from error


def build() -> typer.Typer:
    """The whole program, its help texts in the language in use."""
    mistakes.share_translations()
    app = typer.Typer(
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
        help=_("Where should this deep-learning job run? Forecasts whether it fits on a GPU and how fast it will be."),
        epilog=_("Exit status: 0 done or fits, 1 a clear no, 2 wrong usage or file, 3 a failure outside."),
    )
    app.callback(invoke_without_command=True)(_start())
    for module in COMMANDS:
        module.register(app)
    return app


def _start() -> Any:
    """What runs before every command: the options of the program itself."""

    def start(context: typer.Context, version: bool = False, lang: str | None = None) -> None:
        if version:
            from importlib.metadata import version as installed

            output.write(f"outboard {installed('outboard')}")
            raise typer.Exit
        if context.invoked_subcommand is None:
            output.write(context.get_help())
            raise typer.Exit

    start.__annotations__ = {
        "context": typer.Context,
        "version": Annotated[bool, typer.Option("--version", help=_("Print the version and exit."))],
        "lang": parameters.language_option().annotation,
    }
    return start
