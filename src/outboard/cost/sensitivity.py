"""What would flip the answer: one input at a time, from its 10th to its 90th percentile, all others at their median."""

from collections.abc import Callable
from dataclasses import dataclass

from outboard.cost.arrays import Array
from outboard.cost.draws import Draws, Probe, Recorder
from outboard.i18n import _

Answer = Callable[[Draws], Array]


@dataclass(frozen=True, slots=True)
class Swing:
    """How far one input moves the answer; ``flips`` when the decision at the stated use changes on the way."""

    cause: str
    label: str
    at_low: float
    at_high: float
    flips: bool

    @property
    def swing(self) -> float:
        """Distance between the answers, infinite when one of them is never."""
        if self.at_low == self.at_high:
            return 0.0
        return abs(self.at_high - self.at_low)


def swings(answer: Answer, stated: float) -> tuple[Swing, ...]:
    """Return the swing of every cause that ``answer`` depends on, largest first.

    The causes are found by running the answer once and noting what it asks for, so none can be forgotten. ``stated`` is
    the value on whose side the decision turns.
    """
    recorder = Recorder()
    answer(recorder)
    causes = tuple(recorder.causes)
    if not causes:
        return ()
    answers = answer(Probe(causes))
    found = [_swing(cause, float(answers[2 * i]), float(answers[2 * i + 1]), stated) for i, cause in enumerate(causes)]
    return tuple(sorted(found, key=lambda one: -one.swing))


def swing_of(cause: str, low: Answer, high: Answer, stated: float) -> Swing:
    """Return the swing between two answers in the median world, for inputs that are stated and not drawn."""
    return _swing(cause, float(low(Recorder())[0]), float(high(Recorder())[0]), stated)


def _swing(cause: str, low: float, high: float, stated: float) -> Swing:
    return Swing(cause, label(cause), low, high, (low <= stated) != (high <= stated))


def label(cause: str) -> str:
    """Return what people call ``cause``.

    >>> label("rate:runpod rtx-3090"), label("electricity")
    ('price of renting runpod rtx-3090', 'price of electricity')
    """
    kind, _colon, what = cause.partition(":")
    names = {
        "admin": _("hours of administration"),
        "commit-1y-ratio": _("discount of a one-year commitment"),
        "commit-3y-ratio": _("discount of a three-year commitment"),
        "consumer cards": _("how fast cards lose value"),
        "datacentre ageing": _("how fast data-centre cards lose value"),
        "egress price": _("price of egress"),
        "electricity": _("price of electricity"),
        "equipment ageing": _("how fast the rest loses value"),
        "exchange": _("exchange rate of {what}"),
        "failures": _("how often it fails"),
        "fee": _("monthly fee of {what}"),
        "generation cut": _("how far a new generation cuts prices"),
        "hands on": _("own time per job"),
        "horizon": _("how long it is used"),
        "idle watts": _("idle draw of {what}"),
        "maintenance": _("price of maintenance"),
        "market": _("the GPU market, from bust to scarcity"),
        "next generation": _("when the next generation comes"),
        "preemption": _("hours between preemptions at {what}"),
        "price": _("price of {what}"),
        "pue": _("cooling and losses"),
        "queue": _("wait in the queue of {what}"),
        "quota": _("free hours of {what}"),
        "rate": _("price of renting {what}"),
        "rents": _("trend of rents"),
        "resale": _("resale value of {what}"),
        "setup": _("set-up before each job"),
        "speed": _("speed of {what}"),
        "spot restart": _("restart after a preemption"),
        "storage price": _("price of disk"),
        "time value": _("value of an own hour"),
        "upload": _("upload of the data"),
        "watts": _("draw of {what}"),
    }
    return names.get(kind, cause).format(what=what)
