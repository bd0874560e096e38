"""What ``outboard fit-llm`` found, as a plain dictionary: stable keys, SI units."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from outboard.cli.fit_llm_extras import Extras
    from outboard.perf.serving.memory import Workload
    from outboard.perf.serving.speed import Speed
    from outboard.planner.serving import Served
    from outboard.planner.serving.fit import Split
    from outboard.types.hardware import Place


def document(place: "Place", work: "Workload", found: "list[Served]", extras: "Extras | None") -> dict[str, Any]:
    """All of it; what was not asked for is left out."""
    answer: dict[str, Any] = {"place": place.name, "users": work.users, "models": [model(one) for one in found]}
    if extras is None:
        return answer
    if extras.crowd is not None:
        answer["most_users"] = extras.crowd
    if extras.curve:
        answer["curve"] = [split(one) for one in extras.curve]
    if extras.drafted is not None:
        drafted = extras.drafted
        answer["draft"] = {
            "model": drafted.draft.id,
            "tokens": drafted.tokens,
            "acceptance": drafted.acceptance,
            "decode": drafted.rate,
            "gain": drafted.gain,
            "memory_bytes": drafted.memory,
            "fits": drafted.fits,
        }
    return answer


def model(one: "Served") -> dict[str, Any]:
    """One model in one quantisation."""
    return {
        "model": one.model.id,
        "quantisation": one.quantisation,
        "fits": one.fits,
        "required_bytes": one.required,
        "room_bytes": one.room,
        "host_bytes": one.host,
        "context": one.context,
        "largest_context": one.largest,
        "loading_seconds": one.loading,
        "layers": one.model.layers,
        "split": split(one.split) if one.split else None,
        **speeds(one.speed),
    }


def split(one: "Split") -> dict[str, Any]:
    """A layout with some layers on the devices."""
    return {"layers_on_gpu": one.layout.layers, "layers": one.of, "host_bytes": one.host, **speeds(one.speed)}


def speeds(found: "Speed | None") -> dict[str, Any]:
    """The rates with their bands, null where they are unknown."""
    return {name: _rate(found, name) for name in ("decode", "together", "prefill")}


def _rate(found: "Speed | None", name: str) -> dict[str, float] | None:
    if found is None:
        return None
    low, high = found.band(name)
    return {"value": float(getattr(found, name)), "low": low, "high": high}
