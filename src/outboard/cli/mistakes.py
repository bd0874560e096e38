"""Typer's own complaints as one line of ours, with what to do next."""

import gettext
import os

import typer

from outboard import i18n
from outboard.cli import language
from outboard.errors import UsageError
from outboard.i18n import _


def understood(error: typer.TyperException) -> UsageError:
    """The same complaint, in the language in use, with the command whose help explains it."""
    context = getattr(error, "ctx", None)
    command = context.command_path.split(" [")[0] if context else "outboard"
    hint = _("see: {command} --help").format(command=command)
    return UsageError(f"{_problem(error).rstrip('.')}; {hint}")


def _problem(error: typer.TyperException) -> str:
    """The problem in our words where Typer says which it is, else in Typer's."""
    parameter = getattr(error, "param", None)
    match type(error).__name__:
        case "MissingParameter" if parameter is not None:
            return _("{name} is missing").format(name=parameter.metavar or parameter.name)
        case "NoSuchOption":
            message = _("there is no option {name}").format(name=getattr(error, "option_name", ""))
            near = getattr(error, "possibilities", None)
            return f"{message}; " + _("nearest: {names}").format(names=", ".join(near)) if near else message
        case "BadOptionUsage":
            return _("option {name} needs a value").format(name=getattr(error, "option_name", ""))
        case _:
            return error.format_message()


def share_translations() -> None:
    """Let Typer find our words for its headings: it asks gettext's default domain, which follows ``LANGUAGE``."""
    os.environ["LANGUAGE"] = language.code()
    gettext.bindtextdomain("outboard", i18n.LOCALE_DIR)
    gettext.textdomain("outboard")


def _typers_own_words() -> tuple[str, ...]:
    """What Typer looks up, here so that the extraction of messages finds it."""
    return (
        _("Arguments"),
        _("Options"),
        _("Commands"),
        _("required"),
        _("No such command {name!r}."),
        _("Missing command."),
    )
