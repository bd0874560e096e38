"""Forecasts of rows that were measured while a language model was served: rates and memory of llama.cpp."""

from collections.abc import Callable

from outboard.catalog.model_files import language_model
from outboard.i18n import _
from outboard.perf.serving.layout import everything, per_device
from outboard.perf.serving.memory import Workload
from outboard.perf.serving.places import rates, usual_host
from outboard.perf.serving.quantisation import MIXES, Mix
from outboard.perf.serving.speed import Speed
from outboard.perf.serving.weights import weights
from outboard.types.estimate import Term
from outboard.types.evidence import Evidence
from outboard.types.hardware import Place
from outboard.types.llm import LanguageModel
from outboard.validation.measurement import Measurement

USUAL = 512  # tokens of prompt and answer where a table names none, as in llama-bench [tokens]
SYNONYMS = {"fp16": "f16", "fp32": "f32"}
# Engines that the rates say nothing of: their kernels and their overhead are others.
# LocalScore's community runs llamafile on hosts and with layers that nobody named.
ENGINES = ("transformers", "bitsandbytes", "llamafile", "vllm", "exllama", "mlx", "tensorrt", "sglang", "tgi")
SOURCE = "docs/methodology/serving.md"


class NotServedError(Exception):
    """Why a row is not covered; never leaves this package."""


def served(row: Measurement, columns: dict[str, str], place: Place) -> Term:
    """The forecast of one row. Raises :class:`NotServedError`, :class:`UsageError` for an unknown model."""
    said = f"{row.text('source')} {row.text('note')} {columns['method']}".lower()
    for engine in ENGINES:
        if engine in said:
            raise NotServedError(_("serving with {engine} is not forecast; llama.cpp is").format(engine=engine))
    model, mix = _model(columns["workload"], row.text("precision") or columns["precision"])
    forecast = QUANTITIES.get(row.quantity)
    if forecast is None:
        raise NotServedError(_("of a service only rates and memory are forecast"))
    return forecast(row, columns, place, model, mix)


def _model(workload: str, precision: str) -> tuple[LanguageModel, Mix]:
    """``gguf:Llama-3-8B.Q4_K_M`` names both; a precision of its own comes before."""
    name, dot, ending = workload.rpartition(".")
    named = ending.lower() if dot and ending.lower() in MIXES else ""
    kind = SYNONYMS.get(precision.lower(), precision.lower())
    if kind not in MIXES:
        kind = named
    if not kind:
        known = ", ".join(MIXES)
        message = _("quantisation {kind} is not forecast; what is: {known}")
        raise NotServedError(message.format(kind=precision, known=known))
    return language_model(name if named else workload), MIXES[kind]


def _speed(
    row: Measurement,
    columns: dict[str, str],
    place: Place,
    model: LanguageModel,
    mix: Mix,
    context: int,
    users: int = 1,
) -> Speed:
    if place.device.vendor == "cpu":
        raise NotServedError(_("a processor that nobody named is not forecast"))
    layout = everything(model, place.count, "tensor" if columns["parallel"] == "tensor" else "layer")
    flash = "flash attention on" in row.text("note").lower()  # llama-bench leaves it off
    work = Workload(context, users, flash=flash)
    return rates(model, weights(model, mix), place, work, layout, usual_host())


def _decode(row: Measurement, columns: dict[str, str], place: Place, model: LanguageModel, mix: Mix) -> Term:
    """Of all users together. A rate is an average over the answer, so that half of it is in the cache."""
    length = max(int(columns["seq_len"] or USUAL) // 2, 1)
    found = _speed(row, columns, place, model, mix, length, row.batch_size or 1)
    return _term(row.quantity, found, "together")


def _prefill(row: Measurement, columns: dict[str, str], place: Place, model: LanguageModel, mix: Mix) -> Term:
    found = _speed(row, columns, place, model, mix, int(columns["seq_len"] or USUAL))
    return _term(row.quantity, found, "prefill")


def _memory(row: Measurement, columns: dict[str, str], place: Place, model: LanguageModel, mix: Mix) -> Term:
    """On one device, without the context of its driver."""
    work = Workload(int(columns["seq_len"] or USUAL), row.batch_size or 1)
    each = per_device(model, weights(model, mix), work, everything(model, place.count))
    return Term(row.quantity, each, "B", SOURCE, Evidence.FITTED, low=0.97 * each, high=1.03 * each)


def _term(name: str, found: Speed, rate: str) -> Term:
    low, high = found.band(rate)
    return Term(name, float(getattr(found, rate)), "tokens/s", SOURCE, Evidence.FITTED, low=low, high=high)


QUANTITIES: dict[str, Callable[[Measurement, dict[str, str], Place, LanguageModel, Mix], Term]] = {
    "decode_rate": _decode,
    "prefill_rate": _prefill,
    "peak_memory": _memory,
}
