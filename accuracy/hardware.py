"""The devices that the published measurements were made on."""

from functools import cache

from outboard.catalog import device
from outboard.perf.time.places import DeviceArrays

# Names of the tables that are not names of the catalogue.
NAMES = {"p4": "Tesla P4", "v100-pcie-32gb": "v100-pcie-16gb"}


@cache
def device_arrays(gpu: str) -> DeviceArrays:
    """Facts of one GPU; the memory size, where variants differ only in it, does not matter for time."""
    return DeviceArrays.of([device(NAMES.get(gpu, gpu))])
