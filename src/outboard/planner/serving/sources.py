"""The models that a person can ask about: by name, by a model file of llama.cpp, by the configuration of a hub."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from outboard.catalog.model_files import language_model
from outboard.errors import FileError, UsageError
from outboard.gguf import Read, read
from outboard.i18n import _
from outboard.perf.serving.quantisation import MIXES, Mix
from outboard.perf.serving.weights import Weights
from outboard.planner.serving.configuration import configured, is_configuration
from outboard.types.llm import LanguageModel

PREFIX, HUB = "gguf:", "hf:"
# From the one that keeps most of the model to the one that keeps least; people seldom go below the last.
PREFERRED = ("f16", "q8_0", "q6_k", "q5_k_m", "q4_k_m", "q3_k_m", "q2_k")


@dataclass(frozen=True)
class Source:
    """A model, and its weights where a file holds them: then they are of one quantisation and no other."""

    model: LanguageModel
    file: Read | None = None

    def mixes(self, names: Sequence[str]) -> list[Mix | Weights]:
        """The weights of the file, else the quantisations ``names``."""
        return [self.file.weights] if self.file else [MIXES[name] for name in names]


def source(text: str, quant: str | None = None) -> Source:
    """Read what ``text`` names. Raises :class:`UsageError` where there is no such model or file."""
    folder = text.removeprefix(HUB)
    if is_configuration(folder):
        return Source(configured(folder))
    path = text.removeprefix(PREFIX)
    if not path.lower().endswith(".gguf") and not Path(path).is_file():
        return Source(language_model(text))
    if not text.startswith(PREFIX) and not path.lower().endswith(".gguf"):
        raise UsageError(
            _("'{text}' is a file; write gguf:{text} if it is a model file of llama.cpp").format(text=text)
        )
    found = read(path)
    if quant is not None and quant != found.weights.name:
        message = _("holds {held}, not {quant}; leave --quant out")
        raise FileError(path, message.format(held=found.weights.name, quant=quant))
    return Source(found.model, found)
