"""Sets of language models that are served: rates of llama.cpp with each GPU left out, and its memory."""

from accuracy import baselines, serving
from accuracy.scores import Score
from accuracy.serving import DECODE, PREFILL, Row, left_out, rows
from outboard.perf.serving import speed
from outboard.perf.serving.layout import everything
from outboard.perf.serving.memory import Workload, cache_bytes
from outboard.perf.serving.places import decode, prefill, rates, usual_host
from outboard.perf.serving.speed import Speed
from outboard.perf.serving.weights import weights
from outboard.perf.time.rates import matrix_rate
from outboard.types.hardware import Device

RATES = {"decode_rate": "writing", "prefill_rate": "reading"}
MEMORY_SPREAD = 1.03  # what llama.cpp and the driver round and keep beside


def writing() -> list[Score]:
    """Seconds of a written token on one GPU."""
    found: list[Score] = []
    for there, changed in left_out(rows("decode_rate"), speed.decode_seconds, DECODE):
        found += [_score(row, "decode_rate", _decode(row, changed)) for row in there]
    return found


def reading() -> list[Score]:
    """Seconds of a read token on one GPU."""
    found: list[Score] = []
    for there, changed in left_out(rows("prefill_rate"), speed.prefill_seconds, PREFILL):
        found += [_score(row, "prefill_rate", _prefill(row, changed)) for row in there]
    return found


def several() -> list[Score]:
    """Both on four GPUs that take layers in turn; nothing was fitted on them, nor on one of the same."""
    found: list[Score] = []
    for quantity, seconds, names, forecast in (
        ("decode_rate", speed.decode_seconds, DECODE, _decode),
        ("prefill_rate", speed.prefill_seconds, PREFILL, _prefill),
    ):
        changed = {there[0].device.id: c for there, c in left_out(rows(quantity), seconds, names)}
        found += [_score(row, quantity, forecast(row, changed[row.device.id])) for row in rows(quantity, count=4)]
    return found


def memory_scores() -> list[Score]:
    """Bytes that llama.cpp logged itself; nothing was fitted."""
    return [
        Score("", name, gpu, "llama.cpp", logged, said, said / MEMORY_SPREAD, said * MEMORY_SPREAD)
        for name, gpu, said, logged in serving.memory_rows()
    ]


def _decode(row: Row, changed: dict[str, float]) -> float:
    c, work = speed.coefficients() | changed, Workload(row.context)
    layout = everything(row.model, row.count)
    return decode(row.model, weights(row.model, row.mix), row.place, work, layout, usual_host(), c).total


def _prefill(row: Row, changed: dict[str, float]) -> float:
    c, work = speed.coefficients() | changed, Workload(row.context, flash=row.how["flash"])
    return prefill(row.model, weights(row.model, row.mix), row.place, work, everything(row.model, row.count), c).total


def _score(row: Row, quantity: str, said: float) -> Score:
    band = _rates(row)
    spread = band.decode_spread if quantity == "decode_rate" else band.prefill_spread
    return Score(
        id="",
        what=f"{row.name}, {RATES[quantity]}, {row.context} tokens",
        gpu=row.device.id,
        group=f"{row.device.vendor} {row.mix.name} {RATES[quantity]}",
        measured=row.seconds,
        forecast=said,
        low=said / spread,
        high=said * spread,
        others=_others(row, quantity),
    )


def _rates(row: Row) -> Speed:
    layout = everything(row.model, row.count)
    return rates(row.model, weights(row.model, row.mix), row.place, Workload(row.context), layout, usual_host())


def _others(row: Row, quantity: str) -> dict[str, float]:
    """The same three for one token: its operations, and its bytes where a token is written alone [s]."""
    lying = weights(row.model, row.mix)
    flops, peak = 2.0 * lying.count.active, _peak(row.device)
    moved = lying.read + cache_bytes(row.model, row.context) if quantity == "decode_rate" else 0.0
    bytes_seconds = moved / row.device.memory_bandwidth.value
    return {
        baselines.SHARE: flops / (0.35 * peak),
        baselines.ROOFLINE: max(flops / peak, bytes_seconds),
        baselines.TORCH: max(0.5 * flops / (0.75 * peak), bytes_seconds),
    }


def _peak(device: Device) -> float:
    return matrix_rate(device, "fp16")[0]
