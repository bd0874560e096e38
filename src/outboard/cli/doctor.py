"""``outboard doctor``: whether a machine works with a GPU, what has to be done, and what a log shows to be wrong."""

from typing import TYPE_CHECKING, Any

import typer

from outboard.cli import choices, language, output, parameters
from outboard.errors import UsageError
from outboard.i18n import _

if TYPE_CHECKING:
    from outboard.compat import Machine

OPTIONS = ("host", "gpu", "link", "enclosure", "os", "kernel", "driver", "framework", "precision", "fact")


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    option = parameters.option
    given = [
        option("host", "--host", "NAME", _("The computer; outboard hosts lists them.")),
        option("gpu", "--gpu", "GPU[xN][@LINK]", _("The GPU, how many of them, and on which link.")),
        option("link", "--link", "LINK", _("The link; outboard links lists them.")),
        option("enclosure", "--enclosure", "NAME", _("The box or dock that holds the card.")),
        option("os", "--os", "NAME", _("linux, windows, wsl2 or macos, with its version if it matters: 'macos 14'.")),
        option("kernel", "--kernel", "VERSION", _("The kernel of Linux.")),
        option("driver", "--driver", "VERSION", _("The driver of the GPU.")),
        option("framework", "--framework", "NAME", _("Such as 'pytorch 2.7+cu128' or tinygrad.") + " [pytorch]"),
        option(
            "precision",
            "--precision",
            "|".join(choices.PRECISIONS),
            _("Number types of weights and arithmetic."),
            choices.one_of("--precision", choices.PRECISIONS),
        ),
        parameters.repeated("fact", "--fact", "NAME=VALUE", _("Anything else known of it, such as rebar=off.")),
        option("log", "--log", "FILE", _("Look for known failures in a kernel log or pasted text; - reads stdin.")),
        parameters.flag("explain", "--explain", _("Also what is only good to know, and what may come up.")),
    ]
    parameters.command(app, "doctor", run, _("Whether a machine works with a GPU, what is wrong, and the cure."), given)


def run(log: str | None, explain: bool, as_json: bool, **given: Any) -> int:
    """Print the verdict; 1 when it cannot work, or when the log shows a fault."""
    from outboard import compat
    from outboard.compat import document

    said = {name: given[name] for name in OPTIONS if given[name]}
    if not said and log is None:
        raise UsageError(_("say which machine, with --gpu and --host, --link, --os, or give a log with --log FILE"))
    with language.english(as_json):
        found = compat.diagnose(_text(log)) if log is not None else None
        machine = _machine(said) if said else None
        if machine is not None and found is not None:
            machine = compat.seeing(machine, found.seen, found.facts)
        answer = compat.verdict(machine) if machine is not None else None
        if as_json:
            output.write_json(document.document(answer, document.log(found, log or "") if found else None))
        else:
            from outboard.cli.render.doctor import render

            render(answer, found, explain)
    faulty = found is not None and bool(found.faults)
    return int(faulty or (answer is not None and not answer.possible))


def _machine(said: dict[str, Any]) -> "Machine":
    """The machine that the options describe. Raises :class:`UsageError` for a name that nobody knows."""
    from outboard import catalog, compat
    from outboard.compat import stated

    facts = stated.system(said.get("os")) | stated.framework(said.get("framework"))
    facts |= {name: said[name] for name in ("kernel", "driver", "precision") if name in said}
    facts |= stated.stated(said.get("fact", ()))
    place = catalog.place(said["gpu"]) if "gpu" in said else None
    link = catalog.link(said["link"]) if "link" in said else None
    if link is None and place is not None and not place.link_assumed:
        link = place.link
    return compat.assemble(
        catalog.host(said["host"]) if "host" in said else None,
        place.device if place else None,
        link,
        catalog.enclosure(said["enclosure"]) if "enclosure" in said else None,
        count=place.count if place else 1,
        **facts,
    )


def _text(path: str) -> str:
    """The log: a file, or what comes in on stdin. Bytes that are no text do not matter."""
    import sys
    from pathlib import Path

    from outboard.errors import FileError

    if path == "-":
        return sys.stdin.buffer.read().decode("utf-8", errors="replace")
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as problem:
        raise FileError(path, _("cannot be read: {problem}").format(problem=problem.strerror)) from problem
