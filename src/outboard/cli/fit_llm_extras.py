"""What ``outboard fit-llm`` answers beside the table, each only where it was asked for."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from outboard.cli.serving_options import ACCEPTED

if TYPE_CHECKING:
    from outboard.perf.serving.memory import Workload
    from outboard.planner.serving import Served, Wanted
    from outboard.planner.serving.draft import Drafted
    from outboard.planner.serving.fit import Split
    from outboard.types.hardware import Place


@dataclass(frozen=True)
class Extras:
    """About one model in one quantisation: the first that fits, else the smallest."""

    about: "Served"
    rate: int | None = None
    crowd: int | None = None  # users at once that still get ``rate``
    curve: "tuple[Split, ...]" = ()
    drafted: "Drafted | None" = None

    @classmethod
    def of(
        cls,
        found: "list[Served]",
        place: "Place",
        work: "Workload",
        wanted: "Wanted",
        rate: int | None,
        curve: bool,
        how: dict[str, Any],
    ) -> "Extras":
        """Work out what was asked for."""
        from outboard.planner import serving
        from outboard.planner.serving.curve import curve_of
        from outboard.planner.serving.draft import drafted

        one = next((one for one in found if one.fits), found[-1])
        crowd = None
        if rate is not None:
            crowd = serving.most_users(one.model, one.weights, place, work, float(rate), wanted)
        speculated = None
        if how["draft"] is not None:
            small = serving.source(how["draft"])
            accepted = ACCEPTED if how["acceptance"] is None else how["acceptance"]
            speculated = drafted(one, small, place, work, wanted, accepted)
        points = curve_of(one.model, one.weights, place, work, wanted) if curve else ()
        return cls(one, rate, crowd, points, speculated)
