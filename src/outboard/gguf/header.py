"""The header of a GGUF file, versions 2 and 3, little endian: what it says of the model, and its table of tensors.

Layout (ggml/docs/gguf.md): magic, version, number of tensors, number of entries; entries of key, type and value; for
each tensor name, dimensions, type and offset; then, aligned, the tensors themselves, which are not read. Every count
and length is held against the bytes that are left in the file before anything is made of it.
"""

import math
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from outboard.errors import FileError
from outboard.gguf.kinds import KINDS, Kind
from outboard.gguf.scan import Scan
from outboard.i18n import _

MAGIC = b"GGUF"
VERSIONS = (2, 3)
STRING, ARRAY, BOOL = 8, 9, 7
# Types of values: form of struct. Strings and arrays have none.
FORMS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "B", 10: "Q", 11: "q", 12: "d"}
KEPT = 4096  # numbers of an array that are kept: one for each layer; longer ones are vocabularies
DEEPEST = 4  # arrays in arrays
LONGEST_KEY = 65535
DIMENSIONS = 4
ALIGNMENT = 32
SMALLEST_ENTRY = 13  # key of no length, type, one byte [B]
SMALLEST_TENSOR = 24  # name of no length, no dimension, type, offset [B]
MOST = 2**17  # tensors or entries; the largest models have some thousand tensors


@dataclass(frozen=True)
class Length:
    """Of an array that was not kept."""

    count: int


@dataclass(frozen=True)
class Tensor:
    """One tensor as the table has it."""

    name: str
    shape: tuple[int, ...]  # the first varies quickest
    kind: Kind
    offset: int  # from the beginning of the tensors [B]

    @property
    def elements(self) -> int:
        """How many values."""
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        """What they take [B]."""
        return self.elements // self.kind.values * self.kind.bytes


@dataclass(frozen=True)
class Header:
    """What the file says of itself. ``said``: by key; long arrays are only counted."""

    path: Path
    version: int
    said: dict[str, Any]
    tensors: tuple[Tensor, ...]


def header(path: Path) -> Header:
    """Read and check. Raises :class:`FileError` with one clear line for whatever is wrong with the file."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            return _header(Scan(path, file, size))
    except OSError as error:
        raise FileError(path, (error.strerror or str(error)).lower()) from None


def _header(scan: Scan) -> Header:
    version = _version(scan)
    tensors = _count(scan, _("the number of tensors"), SMALLEST_TENSOR)
    entries = _count(scan, _("the number of entries"), SMALLEST_ENTRY)
    said: dict[str, Any] = {}
    for _index in range(entries):
        key = scan.string(_("a key"), LONGEST_KEY)
        if key in said:
            raise scan.fail(_("stands there twice"), key)
        said[key] = _value(scan, scan.number("I", key), key)
    table = tuple(_tensor(scan) for _index in range(tensors))
    _check_places(scan, table, said.get("general.alignment", ALIGNMENT))
    return Header(scan.path, version, said, table)


def _version(scan: Scan) -> int:
    if scan.size < len(MAGIC) or scan.take(len(MAGIC), "GGUF") != MAGIC:
        raise scan.fail(_("is no GGUF file: it does not begin with GGUF"))
    version = scan.number("I", _("the version"))
    if version in VERSIONS:
        return version
    if int.from_bytes(version.to_bytes(4, "little"), "big") in VERSIONS:
        raise scan.fail(_("is big endian; only little-endian files can be read"))
    known = ", ".join(map(str, VERSIONS))
    raise scan.fail(_("is of GGUF version {version}; known: {known}").format(version=version, known=known))


def _count(scan: Scan, what: str, smallest: int) -> int:
    """A number of things of which each takes at least ``smallest`` bytes of the file."""
    count = scan.number("Q", what)
    if count * smallest > scan.left or (smallest > 12 and count > MOST):
        text = _("{what} is {count}, for which the file is too short; it is damaged or not whole")
        raise scan.fail(text.format(what=what, count=count))
    return count


def _value(scan: Scan, kind: int, key: str, depth: int = 0) -> Any:
    if kind == STRING:
        return scan.string(key)
    if kind == ARRAY:
        return _array(scan, key, depth)
    if kind not in FORMS:
        known = f"0-{max(FORMS)}"
        raise scan.fail(_("its type is {kind}; known: {known}").format(kind=kind, known=known), key)
    form = struct.Struct("<" + FORMS[kind])
    value = form.unpack(scan.take(form.size, key))[0]
    return bool(value) if kind == BOOL else value


def _array(scan: Scan, key: str, depth: int) -> list[Any] | Length:
    """The numbers of a short array; of a long one, and of strings and arrays, how many there are."""
    kind = scan.number("I", key)
    if kind in FORMS:
        form = FORMS[kind]
        count = _count(scan, key, struct.calcsize("<" + form))
        if count > KEPT:
            scan.skip(count * struct.calcsize("<" + form), key)
            return Length(count)
        return list(struct.unpack(f"<{count}{form}", scan.take(count * struct.calcsize("<" + form), key)))
    if kind == STRING:
        count = _count(scan, key, 8)
        scan.skip_strings(count, key)
        return Length(count)
    if kind == ARRAY and depth < DEEPEST:
        count = _count(scan, key, 12)
        for _index in range(count):
            _array(scan, key, depth + 1)
        return Length(count)
    text = _("its values are of type {kind}; known: {known}")
    raise scan.fail(text.format(kind=kind, known=f"0-{max(FORMS)}"), key)


def _tensor(scan: Scan) -> Tensor:
    name = scan.string(_("the name of a tensor"), LONGEST_KEY)
    dimensions = scan.number("I", name)
    if dimensions > DIMENSIONS:
        text = _("has {count} dimensions; at most {most} can be right")
        raise scan.fail(text.format(count=dimensions, most=DIMENSIONS), name)
    shape = tuple(scan.number("Q", name) for _index in range(dimensions))
    number = scan.number("I", name)
    if number not in KINDS:
        known = ", ".join(kind.name for kind in KINDS.values())
        raise scan.fail(_("is of type {number}, which is not known").format(number=number), name, known)
    kind = KINDS[number]
    if math.prod(shape) > 2**62:
        raise scan.fail(_("has more values than any file can hold"), name)
    if shape and shape[0] % kind.values:
        text = _("has rows of {count} values, which {kind} cannot pack in blocks of {block}")
        raise scan.fail(text.format(count=shape[0], kind=kind.name, block=kind.values), name)
    return Tensor(name, shape, kind, scan.number("Q", name))


def _check_places(scan: Scan, tensors: tuple[Tensor, ...], alignment: Any) -> None:
    """Each tensor lies within the file, aligned, and in none of the others."""
    if not isinstance(alignment, int) or alignment < 1 or alignment > 2**20 or alignment & (alignment - 1):
        raise scan.fail(_("must be a power of two, not {value}").format(value=alignment), "general.alignment")
    begin = -(-scan.at // alignment) * alignment
    names: set[str] = set()
    end, before = 0, ""
    for tensor in sorted(tensors, key=lambda one: (one.offset, one.bytes)):
        if tensor.name in names:
            raise scan.fail(_("stands there twice"), tensor.name)
        names.add(tensor.name)
        if tensor.offset % alignment:
            text = _("begins at {offset}, which is no multiple of {alignment}")
            raise scan.fail(text.format(offset=tensor.offset, alignment=alignment), tensor.name)
        if tensor.offset < end:
            raise scan.fail(_("lies in {other}").format(other=before), tensor.name)
        end, before = tensor.offset + tensor.bytes, tensor.name
        if begin + end > scan.size:
            text = _("ends at byte {end}, but the file at {size}; download it again, it is not whole")
            raise scan.fail(text.format(end=begin + end, size=scan.size), tensor.name)
