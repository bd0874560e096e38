"""Well-known open language models by name: sizes from their published configurations, in ``data/models.toml``."""

import tomllib
from functools import cache

from outboard.catalog.names import nearest, squeeze
from outboard.catalog.reader import DATA
from outboard.errors import FileError, UnknownNameError
from outboard.types.llm import LanguageModel

PATH = DATA / "models.toml"


@cache
def models() -> tuple[LanguageModel, ...]:
    """Return every model, smallest first."""
    table = tomllib.loads(PATH.read_text(encoding="utf-8"))
    known = set(LanguageModel.__dataclass_fields__)
    for name, entry in table.items():
        unknown = set(entry) - known
        if unknown:
            raise FileError(PATH, f"unknown keys {', '.join(sorted(unknown))}", name, ", ".join(sorted(known)))
    found = [LanguageModel(id=name, **entry) for name, entry in table.items()]
    return tuple(sorted(found, key=lambda model: model.published))


def language_model(name: str) -> LanguageModel:
    """Return the model called ``name``. Raises :class:`UnknownNameError` with the nearest names."""
    wanted = squeeze(name.rpartition(":")[2].rpartition("/")[2])
    for model in models():
        if wanted in (squeeze(model.id), squeeze(model.name), squeeze(model.source.rpartition("/")[2])):
            return model
    raise UnknownNameError("language model", name, nearest(name, [model.id for model in models()]))
