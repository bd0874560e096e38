"""The same pipeline batch by batch: when each lane works on what. It draws the timeline, and checks the closed form."""

from dataclasses import dataclass

LANES = ("disk", "cpu", "link", "gpu")


@dataclass(frozen=True)
class Lanes:
    """Seconds that one batch needs in each lane; ``workers`` is 0 where the loop itself loads."""

    disk: float
    cpu: float  # on one worker
    link: float
    gpu: float
    workers: int
    prefetch: int
    overlapped: bool  # whether a copy runs beside a step


@dataclass(frozen=True)
class Span:
    """One lane at work on one batch [s]; several workers at once are rows of the lane "cpu"."""

    lane: str
    row: int
    batch: int
    start: float
    end: float


def simulate(lanes: Lanes, batches: int) -> list[Span]:
    """The spans of ``batches`` batches from a cold start.

    Batches are made in order, number k by worker k mod workers, which starts once batch k - workers x prefetch has been
    taken. The disk and the link serve one batch at a time. A copy starts once its batch is there and a buffer is free:
    two with ``overlapped``, else one.
    """
    spans: list[Span] = []
    disk_free = link_free = 0.0
    # Workers that began together would hand over all at once for ever; real ones drift apart.
    crew = max(lanes.workers, 1)
    worker_free = [index * lanes.cpu / crew for index in range(crew)]
    taken: list[float] = []  # when each batch left the host's memory
    ended: list[float] = []  # when each step ended
    for k in range(batches):
        worker = k % crew
        if lanes.workers:
            slot = k - lanes.workers * lanes.prefetch
            allowed = max(worker_free[worker], taken[slot] if slot >= 0 else 0.0)
        else:
            allowed = ended[-1] if ended else 0.0
        read = max(allowed, disk_free)
        disk_free = read + lanes.disk
        made = disk_free + lanes.cpu
        worker_free[worker] = made
        buffer = k - (2 if lanes.overlapped else 1)
        copy = max(made, link_free, ended[buffer] if buffer >= 0 else 0.0)
        link_free = copy + lanes.link
        taken.append(copy)
        begin = max(link_free, ended[-1] if ended else 0.0)
        ended.append(begin + lanes.gpu)
        spans += [
            Span("disk", 0, k, read, disk_free),
            Span("cpu", worker, k, disk_free, made),
            Span("link", 0, k, copy, link_free),
            Span("gpu", 0, k, begin, ended[-1]),
        ]
    return spans


def period(lanes: Lanes, batches: int = 400) -> float:
    """Time from step to step once the pipeline is in its stride [s]."""
    ends = [span.end for span in simulate(lanes, batches) if span.lane == "gpu"]
    half = batches // 2
    return (ends[-1] - ends[half]) / (len(ends) - 1 - half)
