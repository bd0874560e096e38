"""The questions of ``outboard init`` and the file that the answers become."""

import os
from collections.abc import Callable
from dataclasses import dataclass

import yaml

from outboard import catalog
from outboard.cost.durations import horizon_years
from outboard.cost.money import countries, country, parse_money, parse_rate
from outboard.i18n import _
from outboard.planner import detect
from outboard.planner.circumstances import resolve
from outboard.planner.files import checked
from outboard.types.situation import Situation


@dataclass(frozen=True)
class Question:
    """One key of the file: what is asked, what is taken without an answer, and what checks an answer."""

    key: str
    text: str
    default: str
    check: Callable[[str], object]


def questions() -> list[Question]:
    """Return the questions, what was detected as their defaults. An empty answer leaves a key out."""
    return [
        Question("host", _("Your computer, as 'outboard hosts' names it"), detect.host() or "auto", _host),
        Question("owned", _("GPUs you own, e.g. rtx-3060-12gb@tb3, with commas"), ", ".join(detect.devices()), _places),
        Question("country", _("Country, two letters"), country_here(), _if(country)),
        Question("electricity", _("Price of electricity, e.g. 0.18 EUR/kWh"), "", _if(_tariff)),
        Question("budget", _("What you could spend, e.g. 1500 EUR"), "", _if(_budget)),
        Question("horizon", _("For how long you plan"), "24 months", horizon_years),
        Question("time_value", _("What an hour of your own is worth, e.g. 15 EUR/h"), "", _if(_own_hour)),
        Question("data_may_leave", _("May the data leave your premises, yes or no"), "yes", _yes_or_no),
        Question("portable", _("Must you carry it all, yes or no"), "no", _yes_or_no),
        Question("slurm", _("GPUs of your cluster, e.g. a100-40gb, with commas"), "", _places),
        Question("wait", _("How long you wait there, e.g. 1 h .. 24 h"), "1 h .. 24 h", _wait),
    ]


def written(answers: dict[str, str]) -> str:
    """Return the file. Raises :class:`UsageError` for answers that contradict each other."""
    said: dict[str, object] = {key: answers[key] for key in ("host",)}
    if answers["owned"]:
        said["owned"] = [_owned(text) for text in _split(answers["owned"])]
    for key in ("country", "electricity", "horizon", "budget", "time_value"):
        if answers[key]:
            said[key] = answers[key]
    said["constraints"] = {key: _yes_or_no(answers[key]) for key in ("data_may_leave", "portable")}
    if answers["slurm"]:
        said["access"] = {"slurm": {"gpus": _split(answers["slurm"]), "wait": answers["wait"]}}
    text = yaml.safe_dump(said, sort_keys=False, allow_unicode=True, default_flow_style=None, width=100)
    resolve(checked(yaml.load(text, yaml.BaseLoader), Situation, "me.yaml"), "me.yaml")
    return text


def _owned(text: str) -> dict[str, object]:
    place = catalog.place(text)
    found: dict[str, object] = {"device": place.device.id, "link": place.link.id}
    return {**found, "count": place.count} if place.count > 1 else found


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def country_here() -> str:
    """Return the country of the locale, where it names one."""
    for variable in ("LC_ALL", "LC_MONETARY", "LANG"):
        code = os.environ.get(variable, "").split(".")[0].partition("_")[2].upper()
        if code in countries():
            return code
    return ""


def _host(text: str) -> None:
    if text != "auto":
        catalog.host(text)


def _places(text: str) -> None:
    for part in _split(text):
        catalog.place(part)


def _tariff(text: str) -> None:
    parse_rate(text, "kWh", "electricity")


def _budget(text: str) -> None:
    parse_money(text, "budget")


def _own_hour(text: str) -> None:
    parse_rate(text, "h", "time_value")


def _wait(text: str) -> None:
    from outboard.cost.durations import wait_hours

    wait_hours(text)


def _yes_or_no(text: str) -> bool:
    from outboard.cost.money import wrong

    known = {"yes": True, "y": True, "true": True, "sí": True, "si": True, "s": True}
    known |= {"no": False, "n": False, "false": False}
    if text.strip().lower() not in known:
        raise wrong("", _("answer"), _("'{text}' is neither yes nor no").format(text=text), "yes")
    return known[text.strip().lower()]


def _if(check: Callable[[str], object]) -> Callable[[str], object]:
    """Return a check that lets nothing pass: the key is then left out."""
    return lambda text: check(text) if text else None
