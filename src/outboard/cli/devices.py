"""``outboard devices``: browse and filter the GPUs that forecasts know."""

from typing import TYPE_CHECKING

import typer

from outboard.cli import choices, output, parameters
from outboard.i18n import _

if TYPE_CHECKING:
    from outboard.types.hardware import Device

SHOWN = 20
ORDERS = ("memory", "bandwidth", "fp32", "fp16", "bf16", "power", "price", "released", "name")
VENDORS = ("nvidia", "amd", "intel", "apple", "cpu")


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    given = [
        parameters.argument("name", "NAME", _("Only devices whose name contains this."), required=False),
        parameters.option(
            "min_vram", "--min-vram", "SIZE", _("At least this much memory, e.g. '16 GB'."), _size("--min-vram")
        ),
        parameters.option("vendor", "--vendor", "|".join(VENDORS), _("Only this maker."), _vendor()),
        parameters.option("sort", "--sort", "|".join(ORDERS), _("Best first by this.") + " [bandwidth]", _order()),
        parameters.flag("every", "--all", _("Also devices that stand only in the general GPU database.")),
        parameters.limit(SHOWN),
    ]
    parameters.command(app, "devices", run, _("GPUs, with memory, bandwidth and arithmetic rates."), given)


def run(
    name: str | None,
    min_vram: float | None,
    vendor: str | None,
    sort: str | None,
    every: bool,
    limit: int | None,
    as_json: bool,
) -> int:
    """Print the devices that match; 1 when none does."""
    from outboard.cli.render import devices as page

    found = _select(name, min_vram or 0.0, vendor, every)
    found.sort(key=page.order(sort or "bandwidth"))
    if as_json:
        from outboard.schema import documents

        output.write_json([documents.plain(device) for device in found])
    else:
        page.render(found, output.rows(limit, SHOWN))
    return int(not found)


def _select(name: str | None, min_vram: float, vendor: str | None, every: bool) -> "list[Device]":
    from outboard import catalog

    return [
        device
        for device in catalog.devices()
        if (every or device.origin == "outboard")
        and device.memory.value >= min_vram
        and vendor in {None, device.vendor}
        and (name is None or name.casefold() in f"{device.id} {device.name}".casefold())
    ]


def _size(flag: str) -> choices.Reader:
    return choices.quantity(flag, "bytes")


def _vendor() -> choices.Reader:
    return choices.one_of("--vendor", VENDORS)


def _order() -> choices.Reader:
    return choices.one_of("--sort", ORDERS)
