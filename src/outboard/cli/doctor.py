"""``outboard doctor``: whether a machine works with a GPU, what has to be done, and what a log shows to be wrong."""

from typing import TYPE_CHECKING, Any

import typer

from outboard.cli import choices, language, output, parameters
from outboard.errors import UsageError
from outboard.i18n import _

if TYPE_CHECKING:
    from outboard.compat import Machine
    from outboard.probe import Sight

OPTIONS = ("host", "gpu", "link", "enclosure", "os", "kernel", "driver", "framework", "precision", "fact")


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    option = parameters.option
    given = [
        option("host", "--host", "NAME", _("The computer; outboard hosts lists them. auto: the one at hand.")),
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
        option("root", "--root", "DIR", _("Look at a computer that was recorded there, not at this one.")),
        option("record", "--record", "DIR", _("Record this computer there, without names and serial numbers.")),
        parameters.flag("explain", "--explain", _("Also what is only good to know, and what may come up.")),
    ]
    parameters.command(app, "doctor", run, _("Whether a machine works with a GPU, what is wrong, and the cure."), given)


def run(log: str | None, root: str | None, record: str | None, explain: bool, as_json: bool, **given: Any) -> int:
    """Print the verdict; 1 when it cannot work, or when the log shows a fault. Without options, of this computer."""
    from outboard import compat
    from outboard.compat import document

    said = {name: given[name] for name in OPTIONS if given[name]}
    with language.english(as_json):
        sight = _sight(said, log, root, record)
        text = _text(log) if log is not None else (sight.log if sight else "")
        found = compat.diagnose(text) if text or log is not None else None
        machine = _machine(said, sight)
        if machine is not None and found is not None:
            machine = compat.seeing(machine, found.seen, found.facts)
        answer = compat.verdict(machine) if machine is not None else None
        if as_json:
            told = document.log(found, log or _("the kernel's log")) if found else None
            output.write_json(document.document(answer, told) | {"here": _here(sight)})
        else:
            _print(answer, found, sight, explain)
    faulty = found is not None and bool(found.faults)
    return int(faulty or (answer is not None and not answer.possible))


def _sight(said: dict[str, Any], log: str | None, root: str | None, record: str | None) -> "Sight | None":
    """What there is to see: where nothing else is asked for, or where the computer at hand is asked for."""
    if root is None and record is None and said.get("host") != "auto" and (said or log is not None):
        return None
    from pathlib import Path

    from outboard.probe import Live, Recorded, Recording, look

    if root is not None and not Path(root).is_dir():
        raise UsageError(_("{flag}: there is no folder {folder}").format(flag="--root", folder=root))
    source = Live() if root is None else Recorded(root)
    return look(source if record is None else Recording(record, source))


def _here(sight: "Sight | None") -> dict[str, Any] | None:
    from outboard.probe.document import document

    return document(sight) if sight else None


def _print(answer: Any, found: Any, sight: "Sight | None", explain: bool) -> None:
    from outboard.cli.render import doctor

    if sight is not None:
        from outboard.cli.render import here

        here.render(sight)
        # What only looks like a fault is no news of a computer that nobody complained about.
        found = found if found is not None and (explain or found.faults) else None
    doctor.render(answer, found, explain, below=sight is not None)


def _machine(said: dict[str, Any], sight: "Sight | None") -> "Machine | None":
    """The machine that was seen and that the options describe; None where neither names a GPU or anything else.

    Raises :class:`UsageError` for a name that nobody knows.
    """
    from outboard import catalog, compat
    from outboard.compat import stated

    waiting = sight.waiting if sight else ""
    card = sight.main if sight and not waiting and "gpu" not in said else None
    if not (set(said) - {"host"} or card or waiting) and (sight is not None or not said):
        return None
    facts: dict[str, Any] = {**sight.facts} if sight else {}
    facts |= card.facts if card else {}
    facts |= stated.system(said.get("os")) | stated.framework(said.get("framework"))
    facts |= {name: said[name] for name in ("kernel", "driver", "precision") if name in said}
    facts |= stated.stated(said.get("fact", ()))
    place = catalog.place(said["gpu"]) if "gpu" in said else None
    link = catalog.link(said["link"]) if "link" in said else None
    if link is None and place is not None and not place.link_assumed:
        link = place.link
    if link is None and (seen := card.link if card else waiting):
        link = catalog.link(seen)
    host = said.get("host") if said.get("host") != "auto" else ""
    host = host or (sight.system.host if sight else "")
    return compat.assemble(
        catalog.host(host) if host else None,
        place.device if place else (card.device if card else None),
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
