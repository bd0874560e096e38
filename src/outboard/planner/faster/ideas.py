"""One idea: what it alters of the job or the place, why it may help, and the line that does it."""

from dataclasses import dataclass, field, replace
from typing import Any

from outboard.types.hardware import Place
from outboard.types.job import Job

# What changes with it: nothing that is learned, nearly nothing, or what has to be bought or built.
SAME, CLOSE, BUILD = range(3)


@dataclass(frozen=True)
class Idea:
    """``update`` are fields of the job; ``place`` replaces where it runs."""

    name: str
    text: str
    why: str
    code: str
    update: dict[str, Any] = field(default_factory=dict[str, Any])
    place: Place | None = None
    distance: int = SAME


@dataclass(frozen=True)
class Situation:
    """What every idea starts from."""

    job: Job
    place: Place
    batch: int
    images: bool
    safe: int  # largest batch that is safe
    room: float = 0.0  # what the device has left beside the job [B]
    sample: float = 0.0  # one sample as it lies on the device [B]

    @property
    def feeds(self) -> bool:
        """Whether the host's pipeline is part of the forecast."""
        return self.job.input_kind != "ready" and self.job.input_copy != "resident"

    @property
    def copies(self) -> bool:
        """Whether input crosses the link."""
        return self.job.input_copy != "resident"

    @property
    def trains(self) -> bool:
        """Whether there is a backward pass."""
        return self.job.task != "infer"

    def on(self, link: Any) -> Place:
        """The place with another link."""
        name = self.place.name.partition("@")[0] + f"@{link.id}"
        return replace(self.place, link=link, name=name, link_assumed=False, host=replace(self.place.host, display=0.0))
