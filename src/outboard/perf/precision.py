"""What a precision turns into on a device: which rate applies, and what the person should be told about it."""

from outboard.i18n import _
from outboard.types.hardware import Device

# The operand type of matrix products under each precision of a job.
MATMUL_TYPE = {
    "fp32": "fp32",
    "tf32": "tf32",
    "fp16": "fp16",
    "bf16": "bf16",
    "amp-fp16": "fp16",
    "amp-bf16": "bf16",
    "fp64": "fp64",
}
# fp64 below this fraction of the fp32 rate is worth a warning: consumer parts run at 1/32 or 1/64.
SLOW_FP64 = 0.25


def warnings(device: Device, precision: str) -> tuple[str, ...]:
    """What to say about running ``precision`` on ``device``; empty where the hardware simply has it."""
    kind = MATMUL_TYPE[precision]
    if kind == "bf16" and "bf16" not in device.matmul and "bf16" not in device.vector:
        return (
            _("{device} has no bf16: it is emulated through fp32, slower than fp32 itself; use fp16 instead").format(
                device=device.name
            ),
        )
    if kind in ("fp16", "bf16") and kind not in device.matmul:
        return (
            _("{device} has no {kind} matrix units: products run at the rate of its ordinary units").format(
                device=device.name, kind=kind
            ),
        )
    if kind == "tf32" and "tf32" not in device.matmul:
        return (_("{device} has no tf32: products run in fp32").format(device=device.name),)
    if kind == "fp64":
        return _fp64_warning(device)
    return ()


def _fp64_warning(device: Device) -> tuple[str, ...]:
    double, single = device.vector.get("fp64"), device.vector.get("fp32")
    if double is None:
        return (_("the fp64 rate of {device} is not known").format(device=device.name),)
    if single is not None and double.value < SLOW_FP64 * single.value:
        return (
            _("{device} runs fp64 at 1/{ratio:.0f} of its fp32 rate").format(
                device=device.name, ratio=single.value / double.value
            ),
        )
    return ()
