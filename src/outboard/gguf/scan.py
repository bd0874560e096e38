"""Reads numbers and strings of a file one after the other, and never past its end or past a limit."""

import struct
from pathlib import Path
from typing import BinaryIO

from outboard.errors import FileError
from outboard.i18n import _

LONGEST = 2**26  # of a header; the largest vocabularies take about 2**24 [B]
LONGEST_STRING = 2**24  # kept in memory: a chat template; longer ones are refused [B]
WINDOW = 2**20  # read at a time [B]


class Scan:
    """A position in an open file of ``size`` bytes."""

    def __init__(self, path: Path, file: BinaryIO, size: int) -> None:
        self.path = path
        self.size = size
        self._file = file
        self._window = b""
        self._start = 0  # of the window in the file
        self.at = 0

    @property
    def left(self) -> int:
        """Bytes up to the end of the file, or of the longest header [B]."""
        return min(self.size, LONGEST) - self.at

    def fail(self, problem: str, key: str = "", right: str = "") -> FileError:
        """The error to raise: the file, what is wrong with it, and where."""
        return FileError(self.path, printable(problem, 300), printable(key), right)

    def take(self, count: int, what: str) -> bytes:
        """The next ``count`` bytes; ``what`` they are is told where the file has fewer."""
        self.check(count, what)
        begin = self.at - self._start
        if begin + count > len(self._window):
            begin = self._refill(count, what)
        self.at += count
        return self._window[begin : begin + count]

    def _refill(self, count: int, what: str) -> int:
        """Read on from here; where the next ``count`` bytes begin in the window."""
        self._file.seek(self.at)
        self._window, self._start = self._file.read(max(min(WINDOW, self.size - self.at), count)), self.at
        if len(self._window) < count:
            raise self._short(what)
        return 0

    def skip(self, count: int, what: str) -> None:
        """Go on by ``count`` bytes without reading them."""
        self.check(count, what)
        self.at += count

    def check(self, count: int, what: str) -> None:
        """Complain unless ``count`` more bytes can be there."""
        if count > self.left:
            raise self._short(what)

    def number(self, form: str, what: str) -> int:
        """A whole number in the form of :mod:`struct`, little endian."""
        code = struct.Struct("<" + form)
        return int(code.unpack(self.take(code.size, what))[0])

    def string(self, what: str, longest: int = LONGEST_STRING) -> str:
        """A string with its length before it."""
        length = self.number("Q", what)
        if length > longest:
            text = _("{what} is {length} bytes long; at most {longest} can be right")
            raise self.fail(text.format(what=what, length=length, longest=longest))
        try:
            return self.take(length, what).decode()
        except UnicodeDecodeError:
            raise self.fail(_("{what} is no UTF-8 text").format(what=what)) from None

    def skip_strings(self, count: int, what: str) -> None:
        """Go on by ``count`` strings: a vocabulary has some hundred thousand, so this is one plain loop."""
        end = min(self.size, LONGEST)
        for _index in range(count):
            begin = self.at - self._start
            if begin + 8 > len(self._window):
                self.check(8, what)
                begin = self._refill(8, what)
            self.at += 8 + int.from_bytes(self._window[begin : begin + 8], "little")
            if self.at > end:
                raise self._short(what)

    def _short(self, what: str) -> FileError:
        if self.size > LONGEST:
            text = _("its header has more than {limit} bytes before {what}, which no model needs; it is damaged")
            return self.fail(text.format(limit=LONGEST, what=what))
        text = _("ends within {what} after {size} bytes; download it again, it is not whole")
        return self.fail(text.format(what=what, size=self.size))


def printable(text: str, longest: int = 80) -> str:
    """What a file says, fit for one line of a terminal.

    >>> printable("a\\nb\\x1b[31m"), printable("x" * 99, 9)
    ('a b [31m', 'xxxxxxxx…')
    """
    plain = "".join(letter if letter.isprintable() else " " for letter in text[: longest + 1])
    return plain if len(plain) <= longest else plain[: longest - 1] + "…"
