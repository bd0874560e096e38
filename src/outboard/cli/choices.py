"""The words an option accepts, and the functions that turn what was typed into a value or into one clear line.

The words are those of ``types.job``; they stand here again because reading that module doubles the time that
``outboard --help`` takes. A test keeps the two equal.
"""

from collections.abc import Callable, Sequence
from typing import Any

from outboard.errors import UsageError
from outboard.i18n import _

COMPUTED = ("train", "finetune", "infer")  # a step of a trace; what is served has no trace
TASKS = (*COMPUTED, "serve")
PRECISIONS = ("fp32", "tf32", "fp16", "bf16", "amp-fp16", "amp-bf16", "fp64")
OPTIMIZERS = (
    "sgd", "momentum", "adam", "adamw", "adamw-fused", "adamw-8bit", "adafactor", "paged-adamw", "paged-adamw-8bit",
)  # fmt: skip
MEMORY_FORMATS = ("nchw", "nhwc")
ATTENTIONS = ("sdpa", "eager")
LOSSES = ("plain", "chunked", "fused")
METHODS = ("full", "lora", "qlora", "prompt", "prefix")
ADAPTER_PRECISIONS = ("fp32", "same")
BASE_WEIGHTS = ("nf4-dq", "nf4", "int8")
SOFTWARE = ("current", "torch-1")
INPUT_COPIES = ("resident", "serial", "overlapped")
INPUT_TYPES = ("model", "uint8")
INPUT_KINDS = ("ready", "jpeg", "png", "raw", "tokens", "tabular", "video", "audio")
DECODERS = ("pillow", "pillow-simd", "torchvision", "gpu")
AUGMENTS = ("none", "crop", "colour", "heavy")
PARALLELS = ("ddp", "dp", "zero1", "zero2", "zero3", "fsdp", "tensor", "pipeline")
OFFLOADS = ("none", "optimizer", "all")
ALLOCATORS = ("default", "expandable", "emptied")
GRADIENTS_RELEASED = ("in-backward", "before-forward", "before-backward", "never")

VENDORS = ("nvidia", "amd", "intel", "apple", "cpu")
KINDS = ("geforce", "pro", "datacentre", "laptop", "cpu")
MATRIX_TYPES = ("fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "int8", "fp4")
DEVICE_ORDERS = ("name", "memory", "bandwidth", "fp16", "power", "price", "released")

Reader = Callable[[str], Any]


def one_of(flag: str, values: Sequence[str]) -> Reader:
    """A reader of ``flag`` that accepts exactly ``values``, in any case."""

    def read(text: str) -> str:
        value = text.strip().lower()
        if value not in values:
            message = _("{flag} must be one of {values}, not '{value}'")
            raise UsageError(message.format(flag=flag, values=", ".join(values), value=text))
        return value

    return read


def whole(flag: str, lowest: int = 1, also: Sequence[str] = ()) -> Reader:
    """A reader of ``flag`` that accepts whole numbers from ``lowest``, and the words in ``also``."""

    def read(text: str) -> int | str:
        value = str(text).strip().lower()
        if value in also:
            return value
        try:
            number = int(value)
        except ValueError:
            number = None
        if number is None or number < lowest:
            words = "".join(_(" or '{word}'").format(word=word) for word in also)
            message = _("{flag} must be a whole number from {lowest}{words}, not '{value}'")
            raise UsageError(message.format(flag=flag, lowest=lowest, words=words, value=text))
        return number

    return read


def share(flag: str) -> Reader:
    """A reader of ``flag`` that accepts a number from 0 up to, but not, 1."""

    def read(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = -1.0
        if not 0 <= number < 1:
            message = _("{flag} must be a number from 0 and less than 1, not '{value}'")
            raise UsageError(message.format(flag=flag, value=text))
        return number

    return read


def positive(flag: str) -> Reader:
    """A reader of ``flag`` that accepts a number above 0."""

    def read(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = 0.0
        if not 0 < number < float("inf"):
            raise UsageError(_("{flag} must be a number above 0, not '{value}'").format(flag=flag, value=text))
        return number

    return read


def quantity(flag: str, dimension: str) -> Reader:
    """A reader of ``flag`` that accepts a quantity with its unit, such as ``16 GB``."""

    def read(text: str) -> float:
        from outboard.units import parse

        if dimension == "bytes" and not any(letter.isalpha() for letter in text):
            message = _("{flag}: '{value}' has no unit; write for example '16 GB'")
            raise UsageError(message.format(flag=flag, value=text))
        try:
            return parse(text, dimension)
        except UsageError as error:
            raise UsageError(f"{flag}: {error}") from error

    return read
