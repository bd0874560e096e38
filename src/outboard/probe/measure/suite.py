"""What ``outboard measure`` does, in order: small steps, each of which gives figures that can be saved at once."""

from collections.abc import Callable
from dataclasses import dataclass

from outboard.probe.measure import copies, host, launch, matmul, operators
from outboard.types.measured import Figure

QUICK, FULL = 0.08, 0.4  # for one shape [s]


@dataclass(frozen=True)
class Step:
    """One measurement: a word for the progress bar, the device, and the call that does it."""

    name: str
    device: str
    run: Callable[[], list[Figure]]


def steps(device: str, quick: bool) -> list[Step]:
    """Every step for ``device`` ("cpu", "cuda", "mps", "xpu") and for the host. The steps import torch."""
    patience = QUICK if quick else FULL
    begun: dict[str, float] = {}

    def starts() -> list[Figure]:
        found = launch.starts(device, patience)
        begun["start"] = found[0].value
        return found

    listed = [
        Step("launch", device, starts),
        Step("matmul by size and precision", device, lambda: matmul.products(device, patience)),
        Step("memory bandwidth", device, lambda: matmul.memory(device, patience)),
    ]
    if device == "cpu":
        listed += _classes(device, patience, begun)
        listed.append(Step("optimizers", device, lambda: launch.optimizers(device, patience)))
    else:
        listed.append(Step("copies", device, lambda: copies.host_copies(device, patience)))
        listed.append(Step("copies between devices", device, lambda: copies.peer_copies(device, patience)))
    listed += [
        Step("JPEG decode", "cpu", lambda: host.decode(patience)),
        Step("tokenise", "cpu", lambda: host.tokenise(patience)),
        Step("disk", "cpu", lambda: host.disk(patience)),
        Step("sustained rate", device, lambda: matmul.sustained(device, 5.0 if quick else 60.0)),
    ]
    return listed


def _classes(device: str, patience: float, begun: dict[str, float]) -> list[Step]:
    made: list[Step] = []
    for name in operators.NAMES:

        def run(name: str = name) -> list[Figure]:
            runs, times = operators.runs(name, device)
            return operators.measured(name, runs, device, begun.get("start", 0.0), patience, times)

        made.append(Step(name.replace("_", " "), device, run))
    return made
