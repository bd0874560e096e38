"""``outboard devices``: browse and filter the GPUs that forecasts know."""

from typing import TYPE_CHECKING, Any

import typer

from outboard.cli import output, parameters
from outboard.cli.choices import DEVICE_ORDERS, KINDS, MATRIX_TYPES, VENDORS, one_of, quantity
from outboard.i18n import _

if TYPE_CHECKING:
    from outboard.types.hardware import Device

SHOWN = 20


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    given = [
        parameters.argument("name", "NAME", _("Only devices whose name contains this."), required=False),
        parameters.option(
            "min_vram",
            "--min-vram",
            "SIZE",
            _("At least this much memory, e.g. '16 GB'."),
            quantity("--min-vram", "bytes"),
        ),
        parameters.option(
            "max_length",
            "--max-length",
            "LENGTH",
            _("Cards that fit in this, e.g. '285 mm'."),
            quantity("--max-length", "m"),
        ),
        _choice("vendor", "--vendor", VENDORS, _("Only this maker.")),
        _choice("kind", "--kind", KINDS, _("Only this kind.")),
        _choice("precision", "--precision", MATRIX_TYPES, _("Only devices with matrix units for this type.")),
        _choice("sort", "--sort", DEVICE_ORDERS, _("Order by this, largest first.") + " [bandwidth]"),
        parameters.limit(SHOWN),
    ]
    parameters.command(app, "devices", run, _("GPUs, with memory, bandwidth and arithmetic rates."), given)


def _choice(name: str, flag: str, values: tuple[str, ...], help: str) -> Any:
    return parameters.option(name, flag, "|".join(values), help, one_of(flag, values))


def run(name: str | None, sort: str | None, limit: int | None, as_json: bool, **filters: Any) -> int:
    """Print the devices that match; 1 when none does."""
    from outboard import catalog

    found = catalog.select(_named(name), sort=sort or "bandwidth", **filters)
    if as_json:
        from outboard.schema import documents

        output.write_json([documents.plain(device) for device in found])
    else:
        from outboard.cli.render.devices import render

        render(found, output.rows(limit, SHOWN))
    return int(not found)


def _named(name: str | None) -> "list[Device]":
    """The devices of our own tables whose name contains ``name``, else the one that the catalogue finds by it."""
    from outboard import catalog

    if name is None:
        return list(catalog.devices())
    wanted = name.casefold()
    found = [device for device in catalog.devices() if wanted in f"{device.id} {device.name}".casefold()]
    return found or [catalog.device(name)]
