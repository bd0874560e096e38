"""How names are matched: case, spaces, vendor words and separators do not count, and a miss lists the nearest.

A name is taken apart into its core ("rtx4070"), the memory size, the form (SXM module, PCIe card) and whether it is a
laptop part, so that "NVIDIA A100-SXM4-80GB", "a100_80gb sxm" and "a100-sxm4-80gb" are one name.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache

VENDOR_WORDS = frozenset(
    {"nvidia", "amd", "intel", "ati", "corporation", "corp", "geforce", "radeon", "tesla", "quadro", "instinct"}
    | {"gpu", "graphics", "generation", "gen", "edition", "workstation", "hgx", "nvlink", "with", "design"}
)
MEMORY_TYPE = re.compile(r"^(hbm[0-9]?e?|lpddr[0-9]x?)$")  # not gddr: there are cards that differ by it alone
SERIES = ("rtx", "gtx", "rx", "arc")
LAPTOP_WORDS = frozenset({"laptop", "mobile", "notebook"})
FORM = re.compile(r"^(sxm|pcie|nvl|oam)[0-9]?$")
MEMORY = re.compile(r"(?<![a-z0-9.])([12]?\d?\d(?:\.\d+)?)\s*g(?:i?b)?(?![a-z0-9])")
SEPARATOR = re.compile(r"(?:[^a-z0-9.]|(?<![0-9])\.|\.(?![0-9]))+")
TRADE_MARK = re.compile(r"\((?:r|tm|c)\)")
BARE_SIZES = frozenset({"16", "24", "32", "40", "48", "80", "96", "141", "180", "192", "288"})


@dataclass(frozen=True)
class DeviceName:
    """A device name taken apart; ``memory`` in GB as printed on the box, None when the name does not say."""

    core: str
    memory: float | None = None
    form: str = ""
    laptop: bool = False

    def fits(self, other: "DeviceName") -> bool:
        """True when ``other`` has this core and does not contradict its form; memory sizes are compared apart."""
        return (
            self.core == other.core
            and self.laptop == other.laptop
            and (not self.form or not other.form or self.form == other.form)
        )


@lru_cache(maxsize=8192)
def parse_name(text: str) -> DeviceName:
    """Take a device name apart.

    >>> parse_name("NVIDIA_H100_80GB_HBM3")
    DeviceName(core='h100', memory=80.0, form='', laptop=False)
    >>> parse_name("NVIDIA GeForce RTX 4070 Laptop GPU")
    DeviceName(core='rtx4070', memory=None, form='', laptop=True)
    """
    lower = re.sub(r"[_()\[\],/-]+", " ", TRADE_MARK.sub(" ", text.lower()))
    sizes = MEMORY.findall(lower)
    words = [word for word in SEPARATOR.split(MEMORY.sub(" ", lower)) if word]
    if not sizes and words[-1:] and words[-1] in BARE_SIZES and re.search(r"\d", "".join(words[:-1])):
        sizes = [words.pop()]  # "A100 SXM 80", as price lists write it
    forms = [match[1] for word in words if (match := FORM.match(word))]
    kept = [
        word
        for word in words
        if word not in VENDOR_WORDS
        and word not in LAPTOP_WORDS
        and not MEMORY_TYPE.match(word)
        and not FORM.match(word)
    ]
    return DeviceName(
        core="".join(kept).replace(".", ""),
        memory=float(sizes[0]) if sizes else None,
        form=forms[0] if forms else "",
        laptop=any(word in LAPTOP_WORDS for word in words),
    )


def spellings(name: DeviceName) -> list[DeviceName]:
    """Return ``name`` and the same with the series in front that people leave out: "4090" is "RTX 4090"."""
    return [replace(name, core=series + name.core) for series in ("", *SERIES)]


def memory_agrees(asked: float, memory: float) -> bool:
    """True when ``asked`` GB, as someone wrote it, can mean ``memory`` bytes.

    People round down (a 180 GB B200 is also written 179 GB, an L40S with error correction 45 GB), never up.
    """
    gib = memory / 2**30
    return 0.93 * gib <= asked <= 1.01 * gib


def slug(text: str) -> str:
    """Return ``text`` as an identifier of the catalogue: lower case, dashes, no vendor words.

    >>> slug("GeForce RTX 3060 12 GB"), slug("Radeon Instinct MI100")
    ('rtx-3060-12gb', 'mi100')
    """
    joined = re.sub(r"(\d)\s*gb\b", r"\1gb", text.lower())
    words = [word for word in SEPARATOR.split(joined) if word and word not in VENDOR_WORDS]
    return "-".join(words)


def squeeze(text: str) -> str:
    """Return the letters and digits of ``text`` in lower case."""
    return re.sub(r"[^a-z0-9]", "", text.lower())


def nearest(name: str, known: Iterable[str], count: int = 5) -> list[str]:
    """Return up to ``count`` of ``known`` that look most like ``name``, best first.

    >>> nearest("rtx 4090 48gb", ["rtx-4060-ti-8gb", "rtx-4090", "tb3"])
    ['rtx-4090', 'rtx-4060-ti-8gb']
    """
    groups: dict[str, list[str]] = {}
    for candidate in known:
        groups.setdefault(_look(candidate), []).append(candidate)
    keys = get_close_matches(_look(name), groups, n=count, cutoff=0.5)
    return [candidate for key in keys for candidate in groups[key]][:count]


def _look(name: str) -> str:
    return parse_name(name).core or squeeze(name)
