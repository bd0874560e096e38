"""Reads a place, ``GPU[xN][@LINK]``, as people write it."""

import re
from collections.abc import Iterator

from outboard.catalog import mig
from outboard.catalog.device_files import find_own, lookup, names, unknown_device
from outboard.catalog.link_files import interconnect, usual_link
from outboard.catalog.link_files import link as find_link
from outboard.catalog.names import slug, squeeze
from outboard.errors import UsageError
from outboard.i18n import _
from outboard.types.hardware import Device, Link, Place

COUNT_AFTER = re.compile(r"^(.+?)[\s_-]*\(?\s*[x×]\s*(\d+)\s*\)?$", re.IGNORECASE)
COUNT_IN_BRACKETS = re.compile(r"^(.+?)\s*\(\s*(\d+)\s*[x×]\s*\)$", re.IGNORECASE)
COUNT_BEFORE = re.compile(r"^(\d+)\s*[x×][\s_-]*(.+)$", re.IGNORECASE)
SOCKET = re.compile(r"^(sxm\d?|oam)$")


def place(text: str) -> Place:
    """Return the place that ``text`` describes. ``place(p.name)`` is ``p`` again.

    A network ("infiniband-hdr") joins machines of one device each. The name leaves out a count of one, and the link
    when it is the usual one that nobody named.
    Raises :class:`UnknownNameError` for an unknown device or link, :class:`UsageError` for a count of zero.

    >>> place("8x h100-sxm").name, place("8x h100-sxm").link.id
    ('h100-sxm5-80gbx8', 'pcie5-x16')
    """
    left, _at, right = text.partition("@")
    found, count = _device_and_count(left.strip())
    if count > 1 and mig.is_slice(found):
        raise UsageError(_("{device}: a program sees one MIG slice, not {count}").format(device=found.id, count=count))
    named = _named_link(right.strip(), found) if _at else None
    # A network joins machines that hold one device each; in its machine each hangs on its own slot.
    network = named if named is not None and named.kind == "network" and count > 1 else None
    return Place(
        name=place_name(found.id, count, named.id if named else ""),
        device=found,
        count=count,
        link=named if named is not None and network is None else usual_link(found),
        interconnect=network or (interconnect(found) if count > 1 else None),
        link_assumed=named is None,
    )


def place_name(device_id: str, count: int = 1, link_id: str = "") -> str:
    """Return the canonical spelling.

    >>> place_name("rtx-4090", 2, "pcie4-x16")
    'rtx-4090x2@pcie4-x16'
    """
    return device_id + (f"x{count}" if count > 1 else "") + (f"@{link_id}" if link_id else "")


def _named_link(text: str, found: Device) -> Link | None:
    """The link, or None for the word of a socket ("sxm"), which says no more than the device does."""
    if not text:
        raise UsageError(_("no link after '@'; write it like rtx-3060-12gb@tb3"))
    if SOCKET.match(squeeze(text)) and found.form == "module":
        return None
    return find_link(text)


def _device_and_count(text: str) -> tuple[Device, int]:
    """Take the count off, trying the whole as a name first: "gtx 1080" ends like a count and is none."""
    if not text:
        raise UsageError(_("no device before '@'; write a place like rtx-3060-12gb@tb3"))
    readings = [(text, 1), *_splits(text)]
    ours = [(name, count) for name, count in readings if find_own(names().devices.get(squeeze(slug(name)), name))]
    for name, count in ours or readings:
        if (found := lookup(name)) is not None:
            return found, _checked(count, text)
    raise unknown_device(next((name for name, _count in readings[1:] if re.search(r"\d", name)), text))


def _splits(text: str) -> Iterator[tuple[str, int]]:
    for pattern in (COUNT_AFTER, COUNT_IN_BRACKETS):
        if match := pattern.match(text):
            yield match[1], int(match[2])
    if match := COUNT_BEFORE.match(text):
        yield match[2], int(match[1])


def _checked(count: int, text: str) -> int:
    if count < 1:
        raise UsageError(_("'{text}' asks for no device at all; a count is 1 or more").format(text=text))
    return count
