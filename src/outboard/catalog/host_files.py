"""Host families and enclosures: what ports they have and what is known to work."""

from functools import cache
from pathlib import Path

from outboard.catalog.names import nearest, squeeze
from outboard.catalog.reader import DATA, Table
from outboard.errors import UnknownNameError
from outboard.types.hardware import Enclosure, Host

HOSTS = DATA / "hosts"
ENCLOSURES = DATA / "enclosures"
ENCLOSURE_FACTS = {
    "psu": "W",
    "gpu_power_limit": "W",
    "usb_pd": "W",
    "max_card_length": "m",
    "weight": "g",
    "price": "USD",
}
ENCLOSURE_TEXTS = (
    *("ports", "controller", "pcie_towards_card", "psu_included", "card_size", "slots", "extra_ports", "size"),
    *("gpu_included", "price_text", "price_date", "hotplug", "notes"),
)


def host(name: str) -> Host:
    """Return the host family called ``name``. Raises :class:`UnknownNameError` with the nearest names."""
    return read_host(_find("host", name, HOSTS))


def hosts() -> tuple[Host, ...]:
    """Return every host family, by id."""
    return tuple(read_host(path) for path in _files(HOSTS))


def enclosure(name: str) -> Enclosure:
    """Return the enclosure called ``name``. Raises :class:`UnknownNameError` with the nearest names."""
    return read_enclosure(_find("enclosure", name, ENCLOSURES))


def enclosures() -> tuple[Enclosure, ...]:
    """Return every enclosure, by id."""
    return tuple(read_enclosure(path) for path in _files(ENCLOSURES))


@cache
def read_host(path: Path) -> Host:
    """Read one host file. Raises :class:`FileError` naming path and key for anything it should not hold."""
    table = Table(path)
    found = Host(
        id=path.stem,
        name=table.text("name"),
        models=table.text("models", ""),
        ports=table.text("ports", ""),
        links=table.texts("links"),
        hotplug=table.text("hotplug", ""),
        os_notes=table.text("os_notes", ""),
        known_issue=table.text("known_issue", ""),
        confidence=table.text("confidence"),
        source=table.text("source"),
    )
    table.close()
    return found


@cache
def read_enclosure(path: Path) -> Enclosure:
    """Read one enclosure file. Raises :class:`FileError` naming path and key for anything it should not hold."""
    table = Table(path)
    facts = {key: table.optional_fact(key, dimension) for key, dimension in ENCLOSURE_FACTS.items()}
    texts = {key: table.text(key, "") for key in ENCLOSURE_TEXTS}
    found = Enclosure(
        id=path.stem,
        name=table.text("name"),
        maker=table.text("maker"),
        kind=table.text("kind"),
        links=table.texts("links"),
        facts={key: fact for key, fact in facts.items() if fact is not None},
        text={key: text for key, text in texts.items() if text},
        confidence=table.text("confidence"),
        source=table.text("source"),
    )
    table.close()
    return found


def _find(kind: str, name: str, folder: Path) -> Path:
    by_key = {squeeze(path.stem): path for path in _files(folder)}
    found = by_key.get(squeeze(name))
    if found is None:
        raise UnknownNameError(kind, name, nearest(name, [path.stem for path in by_key.values()]))
    return found


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.toml"), key=lambda path: path.stem)
