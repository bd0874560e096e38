"""What is known about an aten operator before it runs: its kind, and which arguments it reads and writes."""

from dataclasses import dataclass
from typing import Any

from outboard.tracing.recorder import kinds


@dataclass(slots=True, frozen=True)
class Facts:
    """Looked up once per operator overload, then reused for each call."""

    name: str  # "aten.add_"
    base: str  # "add"
    kind: str
    silent: bool  # launches no kernel
    kernels: float
    writes: tuple[int, ...]  # positions of the arguments that are changed in place
    overwrites: bool  # what is changed in place is not read first
    picks: bool  # of the first tensor only as much is read as comes out


def facts_of(func: Any) -> Facts:
    """Facts about an ``OpOverload``."""
    schema = func._schema
    namespace, _, packet = schema.name.partition("::")
    base = packet if packet in kinds.KIND_OF or packet in kinds.SILENT else _stem(packet)
    writes = tuple(
        position
        for position, argument in enumerate(schema.arguments)
        if argument.alias_info is not None and argument.alias_info.is_write
    )
    return Facts(
        name=f"{namespace}.{packet}",
        base=base,
        kind=kinds.KIND_OF.get(base) or _tagged(func),
        silent=packet in kinds.SILENT or (not writes and (namespace == "prim" or _is_view(schema))),
        kernels=kinds.KERNELS.get(base, 1),
        writes=writes,
        overwrites=base in kinds.OVERWRITES,
        picks=base in kinds.PICKS,
    )


def _stem(packet: str) -> str:
    return packet[:-1] if packet.endswith("_") and not packet.endswith("__") else packet


def _is_view(schema: Any) -> bool:
    returns = schema.returns
    return bool(returns) and all(r.alias_info is not None and not r.alias_info.is_write for r in returns)


def _tagged(func: Any) -> str:
    import torch

    return "elementwise" if torch.Tag.pointwise in func.tags else "other"
