"""How a command states its arguments and options: a list of parameters beside a plain typed function.

``--json`` and ``--lang`` are not in those lists: :func:`command` gives them to every command.
"""

import inspect
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from outboard.cli.choices import Reader, whole
from outboard.i18n import LANGUAGES, _


def argument(name: str, metavar: str, help: str, required: bool = True) -> inspect.Parameter:
    """A positional argument."""
    info = typer.Argument(metavar=metavar, help=help, show_default=False)
    return _parameter(name, str if required else str | None, info, inspect.Parameter.empty if required else None)


def option(name: str, flag: str, metavar: str, help: str, read: Reader | None = None) -> inspect.Parameter:
    """An option with a value, None when it is not given; ``read`` turns the text into the value."""
    info = typer.Option(flag, metavar=metavar, help=help, show_default=False, parser=read)
    return _parameter(name, Any if read else str | None, info, None)


def repeated(name: str, flag: str, metavar: str, help: str) -> inspect.Parameter:
    """An option that may be given several times."""
    return _parameter(name, list[str] | None, typer.Option(flag, metavar=metavar, help=help, show_default=False), None)


def flag(name: str, flags: str, help: str, default: bool | None = False) -> inspect.Parameter:
    """A switch, ``--name`` or ``--name, -n``; ``default=None`` tells "not said" from "no"."""
    return _parameter(name, bool | None, typer.Option(*flags.split(", "), help=help, show_default=False), default)


def _parameter(name: str, kind: Any, info: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, info])


def language_option() -> inspect.Parameter:
    """``--lang``: read before the program is built, see ``language``; here only to be accepted and explained."""
    return option("lang", "--lang", "|".join(LANGUAGES), _("Language of the output, else that of the environment."))


def command(
    app: typer.Typer,
    name: str,
    function: Callable[..., int | None],
    help: str,
    parameters: Sequence[inspect.Parameter],
) -> None:
    """Add ``function`` to ``app``; it is called with what was given, and ``as_json``."""
    as_json = flag("as_json", "--json", _("Print JSON: SI units, stable keys, never translated."))
    every = [*parameters, as_json, language_option()]

    def call(**given: Any) -> int:
        given.pop("lang")
        return function(**given) or 0

    call.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in every}
    app.command(name, help=help)(call)


def limit(shown: int) -> inspect.Parameter:
    """How many rows people see; JSON always holds all of them."""
    text = _("Rows to show, 0 for all; JSON holds all in any case.") + f" [{shown}]"
    return option("limit", "--limit", "N", text, whole("--limit", lowest=0))
