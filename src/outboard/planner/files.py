"""Reads the files that people write; whatever is wrong becomes one line with file, key, value and the right form."""

from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, ValidationError

from outboard.complaint import complaint
from outboard.errors import FileError
from outboard.i18n import _

Model = TypeVar("Model", bound=BaseModel)
LARGEST_FILE = 1_000_000  # a job is a few lines; what is larger is another kind of file [B]


class _Loader(yaml.BaseLoader):
    """Every scalar stays text: ``country: NO`` is Norway and not false. A key that stands twice is an error."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [key.value for key, _value in node.value]
        twice = next((str(key) for key in keys if keys.count(key) > 1), None)
        if twice is not None:
            raise FileError(self.name, _("stands twice"), twice, _("keep one"))
        return super().construct_mapping(node, deep)


def read(path: str | Path, model: type[Model]) -> Model:
    """Return the file at ``path`` as a ``model``. Raises :class:`FileError`."""
    return checked(_parsed(Path(path)), model, path)


def checked(written: Any, model: type[Model], path: str | Path) -> Model:
    """Return what was ``written`` as a ``model``; the first thing wrong is the error."""
    if not isinstance(written, dict):
        raise FileError(path, _("holds no keys"), right=_("its keys: {names}").format(names=_names(model)))
    try:
        return model.model_validate(written)
    except ValidationError as error:
        raise _complaint(error, model, path) from None


def _parsed(path: Path) -> Any:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise FileError(path, _("is too large to be such a file"))
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FileError(path, _("no such file")) from None
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(path, _("cannot be read: {error}").format(error=error)) from None
    try:
        loader = _Loader(text)
        loader.name = str(path)
        return loader.get_single_data()
    except (yaml.YAMLError, RecursionError, TypeError) as error:
        # TypeError: a list or a mapping where a key should stand.
        mark = getattr(error, "problem_mark", None)
        where = _("line {line}").format(line=mark.line + 1) if mark else ""
        right = _("write it like '{example}'").format(example="key: value")
        raise FileError(path, _("is not YAML"), where, right) from None


def _complaint(error: ValidationError, model: type[BaseModel], path: str | Path) -> FileError:
    first = error.errors()[0]
    steps, inner, example = _walk(model, first["loc"])
    key = ".".join(steps)
    if first["type"] == "extra_forbidden":
        name = str(first["loc"][-1])
        near = get_close_matches(name, inner.model_fields, n=3, cutoff=0.6)
        shown = _("nearest: {names}").format(names=", ".join(near)) if near else ""
        known = _("its keys: {names}").format(names=_names(inner))
        return FileError(path, _("unknown key"), ".".join([*steps, name]), shown or known)
    right = _("write it like '{example}'").format(example=example) if example else ""
    if first["type"] == "missing":
        return FileError(path, _("is missing"), key, right)
    problem = f"'{_short(first['input'])}': {complaint(first)}"
    return FileError(path, problem, key, right)


def _walk(model: type[BaseModel], loc: tuple[int | str, ...]) -> tuple[list[str], type[BaseModel], str]:
    """Return the keys down to the wrong value, the innermost model there, and an example of the last key.

    What pydantic adds for the branches of a union is left out.
    """
    steps: list[str] = []
    example = ""
    for step in loc:
        if isinstance(step, int):
            steps[-1:] = [f"{steps[-1]}[{step}]"]
        elif step in model.model_fields:
            field = model.model_fields[step]
            steps.append(step)
            example = str(next(iter(field.examples or []), ""))
            model = next(models(field.annotation), model)
    return steps, model, example


def models(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the models that stand in an annotation."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from models(inner)


def _names(model: type[BaseModel]) -> str:
    return ", ".join(model.model_fields)


def _short(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 60 else text[:57] + "..."
