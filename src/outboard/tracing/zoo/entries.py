"""The table of the zoo: which models, where they come from, and which variants of each are traced."""

import difflib
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from outboard.errors import UnknownNameError
from outboard.i18n import _

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Variant:
    """One way to run a model. ``image_size`` [pixels] and ``seq_len`` [tokens] are None where the model has none."""

    task: str
    precision: str
    memory_format: str = "nchw"
    image_size: int | None = None
    seq_len: int | None = None
    attention: str = "sdpa"
    grad_checkpointing: bool = False

    @property
    def stem(self) -> str:
        """Name of the file of this variant, without its ending."""
        parts = [self.task, self.precision, "nhwc" if self.memory_format == "nhwc" else ""]
        parts += [str(size) for size in (self.image_size, self.seq_len) if size]
        parts += ["" if self.attention == "sdpa" else self.attention, "ckpt" if self.grad_checkpointing else ""]
        return "-".join(part for part in parts if part)

    def job_fields(self) -> dict[str, Any]:
        """The same as fields of a job."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True)
class Entry:
    """One model, with its own size where it has one, and the variants that ship."""

    name: str
    title: str
    workload: str
    family: str
    citation: str
    aliases: tuple[str, ...]
    image_size: int | None
    seq_len: int | None
    variants: tuple[Variant, ...]

    def path(self, variant: Variant) -> Path:
        """File of one variant, which need not exist."""
        return HERE / "traces" / self.name / f"{variant.stem}.trace"

    def shipped(self) -> list[Variant]:
        """Variants whose file is there."""
        return [variant for variant in self.variants if self.path(variant).is_file()]

    def variant(self, **wanted: Any) -> Variant:
        """The variant that fields of a job ask for, with this model's own size where none is given.

        What cannot matter to the model (the layout of images to a language model, say) is set to its default.
        """
        names = {field.name for field in fields(Variant)}
        values = {name: value for name, value in wanted.items() if name in names}
        values["image_size"] = (values.get("image_size") or self.image_size) if self.image_size else None
        values["seq_len"] = (values.get("seq_len") or self.seq_len) if self.seq_len else None
        if not self.image_size:
            values["memory_format"] = "nchw"
        if self.family in ("convnet", "dense"):
            values["attention"] = "sdpa"
        if values.get("task") == "infer":
            values["grad_checkpointing"] = False
        return Variant(**values)


@cache
def entries() -> tuple[Entry, ...]:
    """All models of the zoo, in the order of ``zoo.toml``."""
    tables = tomllib.loads((HERE / "zoo.toml").read_text("utf-8"))
    families = tables.pop("families")
    return tuple(_entry(name, table, families) for name, table in tables.items())


def _entry(name: str, table: dict[str, Any], families: dict[str, Any]) -> Entry:
    family = families[table["family"]]
    grid = table.get("variants", family["variants"])
    entry = Entry(
        name=name,
        title=table["title"],
        workload=table["workload"],
        family=table["family"],
        citation=table["citation"],
        aliases=tuple(table.get("aliases", ())),
        image_size=table.get("image_size"),
        seq_len=table.get("seq_len"),
        variants=(),
    )
    variants = [entry.variant(**one) for block in grid for one in _product(block)]
    return replace(entry, variants=tuple(dict.fromkeys(variants)))


def _product(block: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every combination of the values of a block whose values may be lists."""
    lists = [value if isinstance(value, list) else [value] for value in block.values()]
    for values in product(*lists):
        yield dict(zip(block, values, strict=True))


def find(name: str) -> Entry:
    """The model of that name or alias, whatever its case and separators.

    Raises :class:`~outboard.errors.UnknownNameError` with the nearest names.
    """
    known = {_key(alias): entry for entry in entries() for alias in (entry.name, entry.title, *entry.aliases)}
    found = known.get(_key(name))
    if found is not None:
        return found
    near = difflib.get_close_matches(_key(name), known, n=5, cutoff=0.5)
    names = list(dict.fromkeys(f"zoo:{known[one].name}" for one in near))
    hint = _("known: {names}").format(names=", ".join(entry.name for entry in entries()))
    raise UnknownNameError(_("model of the zoo"), name, names, "" if names else hint)


def _key(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())
