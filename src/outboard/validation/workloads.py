"""Names of models as tables write them, and the workload that each means."""

import tomllib
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from outboard.errors import UsageError
from outboard.tracing import zoo
from outboard.tracing.load import LIVE_SOURCES

CONFIGURATIONS = "sources/hf_configs.toml"


@dataclass(frozen=True)
class Resolved:
    """A workload that can be traced; ``origin`` says where its numbers come from if the table only had a name."""

    workload: str
    origin: str = ""


@cache
def resolve(name: str) -> Resolved:
    """The workload that a table means.

    One that names its source, or a file, stands as it is. A bare name is looked for in the zoo and among the public
    configurations of language models, and is else taken as a timm model, whose names are the most numerous.

    >>> resolve("timm:resnet50").workload, resolve("BERT-large").workload, resolve("opt-6.7b").workload
    ('timm:resnet50', 'zoo:bert-large', 'hf:opt-6.7b')
    """
    source, separator, bare = name.partition(":")
    if name.endswith(".trace") or (separator and source not in ("zoo",)):
        return Resolved(name)
    bare = bare if separator else name
    with suppress(UsageError):
        entry = zoo.find(bare)
        same = _letters(bare) in (_letters(entry.name), _letters(entry.title))
        return Resolved(f"zoo:{entry.name}", "" if separator and same else f"{entry.title}: {entry.citation}")
    if separator:
        return Resolved(name)
    if bare.rpartition("/")[2].lower() in _configurations():
        return Resolved(f"hf:{bare}", "configuration that its authors publish")
    return Resolved(f"timm:{bare}", "timm")


def is_live(workload: str) -> bool:
    """Whether a trace of this workload may have to be recorded."""
    return workload.partition(":")[0] in (*LIVE_SOURCES, "zoo")


@cache
def _configurations() -> frozenset[str]:
    import outboard.tracing

    table = Path(outboard.tracing.__file__).parent / CONFIGURATIONS
    return frozenset(tomllib.loads(table.read_text(encoding="utf-8")))


def _letters(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())
