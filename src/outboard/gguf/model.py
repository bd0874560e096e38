"""From the header of a GGUF file to the sizes of its model and the bytes of its weights, layer by layer."""

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from outboard.errors import FileError
from outboard.gguf.header import Header, Tensor, header
from outboard.gguf.kinds import FILE_TYPES
from outboard.gguf.sizes import language_model
from outboard.i18n import _
from outboard.perf.serving.parameters import Parameters
from outboard.perf.serving.weights import Weights
from outboard.types.llm import LanguageModel

LAYER = re.compile(r"^blk\.(\d{1,7})\.")
SHARD = re.compile(r"^(?P<stem>.*)-(?P<number>\d{5})-of-(?P<all>\d{5})\.gguf$")
# Looked up on the host, token by token: Gemma 3n has a second embedding for each layer.
EMBEDDINGS = ("token_embd.weight", "per_layer_token_embd.weight")
HEAD = "output.weight"
MOST_SHARDS = 512


@dataclass(frozen=True)
class Read:
    """What a file holds. ``kinds``: bytes of the tensors of each type [B], most first."""

    path: Path
    model: LanguageModel
    weights: Weights
    kinds: dict[str, int]


def read(path: str | Path) -> Read:
    """Read the header of a file, or of all parts of a model that was split into several.

    Raises :class:`FileError` with one clear line for a file that is no GGUF, damaged, not whole, or no language model.
    """
    parts = [header(part) for part in _parts(Path(path))]
    first = parts[0]
    tensors = [tensor for part in parts for tensor in part.tensors]
    layers = _layers(first, tensors)
    model = language_model(first, tensors, layers)
    kinds: Counter[str] = Counter()
    for tensor in tensors:
        kinds[tensor.kind.name] += tensor.bytes
    return Read(first.path, model, _weights(first, model, tensors, layers), dict(kinds.most_common()))


def _parts(path: Path) -> list[Path]:
    """The file itself, or all parts of which it is one."""
    match = SHARD.match(path.name)
    if match is None:
        return [path]
    count = int(match["all"])
    if not 1 <= count <= MOST_SHARDS:
        raise FileError(path, _("is one of {count} parts by its name").format(count=count), "", f"1-{MOST_SHARDS}")
    found = [path.with_name(f"{match['stem']}-{number:05d}-of-{count:05d}.gguf") for number in range(1, count + 1)]
    for part in found:
        if not part.is_file():
            raise FileError(path, _("is one of {count} parts, and {part} is not there").format(count=count, part=part))
    return found


def _layers(head: Header, tensors: list[Tensor]) -> int:
    numbers = {int(match[1]) for tensor in tensors if (match := LAYER.match(tensor.name))}
    if not numbers:
        raise FileError(head.path, _("has no layers (blk.0 and so on); it holds no language model"))
    if max(numbers) >= len(numbers):
        missing = next(number for number in range(len(numbers)) if number not in numbers)
        raise FileError(head.path, _("layer {number} is missing").format(number=missing))
    return len(numbers)


def _weights(head: Header, model: LanguageModel, tensors: list[Tensor], count: int) -> Weights:
    layers, experts = [0.0] * count, [0.0] * count
    embedding = output = rest = tokens = 0.0
    for tensor in tensors:
        match = LAYER.match(tensor.name)
        if match:
            layers[int(match[1])] += tensor.bytes
            experts[int(match[1])] += tensor.bytes if "_exps" in tensor.name else 0.0
        elif tensor.name in EMBEDDINGS:
            embedding += tensor.bytes
            tokens = tensor.bytes if tensor.name == EMBEDDINGS[0] else tokens
        elif tensor.name == HEAD:
            output += tensor.bytes
        else:
            rest += tensor.bytes  # the last norm, tables of rotations
    shared = 0.0 if output else tokens
    return Weights(
        name=_name(head, tensors),
        embedding=embedding,
        head=output + shared + rest,
        shared=shared,
        layers=tuple(layers),
        experts=tuple(experts),
        count=_count(model, tensors),
    )


def _name(head: Header, tensors: list[Tensor]) -> str:
    """What people call the quantisation; else the type that most bytes are of."""
    said = head.said.get("general.file_type")
    if isinstance(said, int) and said in FILE_TYPES:
        return FILE_TYPES[said]
    bytes_of: Counter[str] = Counter()
    for tensor in tensors:
        bytes_of[tensor.kind.name] += tensor.bytes
    return bytes_of.most_common(1)[0][0]


def _count(model: LanguageModel, tensors: list[Tensor]) -> Parameters:
    """Parameters by what they are. Of a tied embedding there is no head."""
    number: Counter[str] = Counter()
    for tensor in tensors:
        number[_part(tensor.name)] += tensor.elements
    return Parameters(
        **{name: float(number[name]) for name in PARTS},
        active_share=model.active / model.experts if model.mixed else 1.0,
    )


PARTS = ("embedding", "head", "attention", "values", "dense", "down", "experts", "experts_down", "norms")


def _part(name: str) -> str:
    """Which number of :class:`Parameters` the tensor counts in."""
    if name in EMBEDDINGS:
        return "embedding"
    if name == HEAD:
        return "head"
    if "_exps" in name:
        return "experts_down" if "down" in name else "experts"
    if "norm" in name or not LAYER.match(name):
        return "norms"
    if "ffn_" in name and "gate_inp" not in name:
        return "down" if "down" in name else "dense"
    return "values" if "attn_v." in name else "attention"
