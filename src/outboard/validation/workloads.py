"""Names of models as tables write them, and the workload that each means."""

import re
import tomllib
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from outboard.errors import UsageError
from outboard.i18n import _
from outboard.tracing import zoo

# What follows the name of a model that was trained on without changing its shape.
_TRAINED_ON = re.compile(r"(-(instruct|chat|hf|it|base))+$")

FOLDER = Path(__file__).parent / "models"


@dataclass(frozen=True)
class Resolved:
    """A workload that can be traced; ``origin`` says where its numbers come from if the table only had a name."""

    workload: str
    origin: str = ""
    routed: bool = False  # a mixture of experts that are chosen by values, which cannot be traced


@cache
def resolve(name: str) -> Resolved:
    """The workload that a table means.

    One that names its source, or a file, stands as it is. A bare name, and one of ``zoo:``, is looked for among the
    configurations that ship for tables and in the zoo; a bare one then among the public configurations of language
    models, and is else taken for a model of timm, which has the most names.

    >>> resolve("timm:resnet50").workload, resolve("BERT-large").workload, resolve("opt-6.7b").workload
    ('timm:resnet50', 'zoo:bert-large', 'hf:opt-6.7b')
    >>> resolve("hf:meta-llama/Llama-3.1-8B-Instruct").workload
    'hf:llama-3.1-8b'
    """
    source, separator, bare = name.partition(":")
    if source == "hf" and separator and (same := _same_shape(bare)):
        return Resolved(f"hf:{same}", _("the configuration that its authors publish"))
    if name.endswith(".trace") or (separator and source != "zoo"):
        return Resolved(name)
    bare = bare if separator else name
    if (known := _shipped().get(_letters(bare))) is not None:
        return known
    with suppress(UsageError):
        entry = zoo.find(bare)
        same = _letters(bare) in (_letters(entry.name), _letters(entry.title))
        return Resolved(f"zoo:{entry.name}", "" if separator and same else f"{entry.title}; {entry.citation}")
    if separator:
        return Resolved(name)
    if bare.rpartition("/")[2].lower() in _configurations():
        return Resolved(f"hf:{bare}", _("the configuration that its authors publish"))
    if same := _same_shape(bare):
        return Resolved(f"hf:{same}", _("the configuration that its authors publish"))
    return Resolved(f"timm:{bare}", _("no source is named"))


def _same_shape(name: str) -> str:
    """The known configuration of a model that was only trained on, or that is written otherwise; empty without one.

    Not of one that is known under its own name, or that lies in a folder.
    """
    bare = name.rpartition("/")[2].lower()
    if bare in _configurations() or Path(name).exists() or bare.endswith(".json"):
        return ""
    letters = _letters(_TRAINED_ON.sub("", bare.removeprefix("meta-").replace(" ", "-")))
    return next((known for known in _configurations() if _letters(known) == letters), "")


def shown(workload: str) -> str:
    """A workload as people may see it: of a configuration that ships here, its name and not where it lies."""
    folder = f"hf:{FOLDER}/"
    return f"hf:{workload.removeprefix(folder)}" if workload.startswith(folder) else workload


@cache
def _shipped() -> dict[str, Resolved]:
    """The models of ``models.toml`` by the letters of each of their names."""
    tables = tomllib.loads((FOLDER / "models.toml").read_text(encoding="utf-8"))
    found: dict[str, Resolved] = {}
    for name, table in tables.items():
        workload = table.get("workload", f"hf:{FOLDER / name}.json")
        origin = f"{table['title']}; {table['citation']}"
        known = Resolved(workload, origin, table.get("routed", False))
        found |= {_letters(alias): known for alias in (name, *table.get("aliases", ()))}
    return found


@cache
def _configurations() -> frozenset[str]:
    from outboard.tracing import file

    table = Path(file.__file__).parent / "sources" / "hf_configs.toml"
    return frozenset(tomllib.loads(table.read_text(encoding="utf-8")))


def _letters(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())
