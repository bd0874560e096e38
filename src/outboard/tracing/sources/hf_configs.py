"""The configuration behind an ``hf:`` workload: our table, a file, a folder, or the local cache of the hub."""

import json
import os
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from outboard.errors import FileError, MissingExtraError, UnknownNameError
from outboard.i18n import _
from outboard.tracing.sources.base import nearest

# A trace never needs the network, and a look-up that waits for it would look like a hang.
os.environ.setdefault("HF_HUB_OFFLINE", "1")

try:
    import transformers
except ImportError as error:
    raise MissingExtraError("transformers", "models", _("tracing an hf: model")) from error


@cache
def known() -> dict[str, dict[str, Any]]:
    """Architectures by the name people use, in lower case."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def config_of(name: str) -> Any:
    """The ``PretrainedConfig`` for ``name``."""
    path = Path(name).expanduser()
    if path.is_dir():
        path /= "config.json"
    if path.suffix == ".json" or path.is_file():
        return _from_file(path)
    entry = known().get(name.rsplit("/", 1)[-1].lower())
    if entry is not None:
        return _from_dict(entry, name)
    return _from_cache(name)


def _from_file(path: Path) -> Any:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise FileError(path, _("no such file")) from error
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise FileError(path, _("is not JSON: {error}").format(error=error)) from error
    if not isinstance(content, dict):
        raise FileError(path, _("is not a JSON object"))
    if not content.get("model_type"):
        raise FileError(path, _("missing"), "model_type", _('it names the architecture, as in "model_type": "llama"'))
    return _from_dict(content, str(path))


def _from_dict(content: dict[str, Any], origin: str) -> Any:
    rest = {key: value for key, value in content.items() if key not in ("model_type", "auto_map", "_name_or_path")}
    try:
        return transformers.AutoConfig.for_model(content["model_type"], **rest)
    except (KeyError, ValueError) as error:
        types = transformers.CONFIG_MAPPING.keys()
        if content["model_type"] not in types:
            near = ", ".join(nearest(content["model_type"], types))
            problem = _("'{value}' is no architecture of transformers").format(value=content["model_type"])
            raise FileError(origin, problem, "model_type", _("nearest: {names}").format(names=near)) from error
        raise FileError(origin, str(error)) from error
    except TypeError as error:
        raise FileError(origin, str(error)) from error


def _from_cache(name: str) -> Any:
    try:
        return transformers.AutoConfig.from_pretrained(name, local_files_only=True, trust_remote_code=False)
    except Exception as error:  # transformers raises whatever the layer below it raised
        raise UnknownNameError(
            _("hf model"),
            name,
            nearest(name.rsplit("/", 1)[-1].lower(), known()),
            _("it is not in the table and not in the local cache; give the path of its config.json"),
        ) from error
