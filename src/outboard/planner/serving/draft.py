"""Speculative decoding: a small model proposes tokens, the large one checks them all in one pass.

Of ``k`` proposed tokens of which each is right with probability ``a``, ``(1 - a^(k+1)) / (1 - a)`` are kept on average,
the large model's own among them (Leviathan, Kalman and Matias 2023, equation 1). One pass over ``k + 1`` tokens reads
the weights once, as for ``k + 1`` users with one cache between them.
"""

from dataclasses import dataclass, replace

from outboard.errors import UsageError
from outboard.i18n import _
from outboard.perf.serving.layout import everything
from outboard.perf.serving.memory import Workload
from outboard.perf.serving.places import decode, usual_host
from outboard.planner.serving.fit import Served, Wanted, layout_of, served
from outboard.planner.serving.sources import Source
from outboard.types.hardware import Place
from outboard.types.llm import LanguageModel

PADDING = 128  # tokens that nobody uses, by which vocabularies of one family differ (llama.cpp allows as many)
MOST = 16  # tokens that a draft proposes at a time
USUAL = "q8_0"  # a draft is small; people do not squeeze it


@dataclass(frozen=True)
class Drafted:
    """What a draft brings to one user."""

    draft: LanguageModel
    tokens: int  # proposed at a time; 0 where none pays
    acceptance: float
    rate: float  # [tokens/s]
    gain: float  # over the large model alone [1]
    memory: float  # of the draft [B]
    fits: bool


def drafted(one: Served, small: Source, place: Place, work: Workload, wanted: Wanted, acceptance: float) -> Drafted:
    """The best number of tokens to propose, and what it brings. The draft lies on one device, whole.

    Raises :class:`UsageError` for a draft with another vocabulary: its tokens mean something else.
    """
    if abs(small.model.vocab - one.model.vocab) > PADDING:
        message = _("--draft: {draft} has {count} tokens, {model} {other}; a draft must have the same vocabulary")
        raise UsageError(
            message.format(draft=small.model.name, count=small.model.vocab, model=one.model.name, other=one.model.vocab)
        )
    asked = replace(work, users=1, context=one.context)
    alone = replace(place, count=1, interconnect=None)
    [mix] = small.mixes([USUAL])
    helper = served(small.model, mix, alone, asked)
    host = wanted.host or usual_host()
    layout = one.split.layout if one.split else layout_of(one.model, place, wanted)
    each = decode(small.model, helper.weights, alone, asked, everything(small.model), host).total

    def cycle(tokens: int) -> float:
        """Seconds of a token that is kept; the cache is read once, for the last of those that are checked."""
        many = decode(one.model, one.weights, place, replace(asked, users=tokens + 1, context=1), layout, host).total
        cache = (
            decode(one.model, one.weights, place, asked, layout, host).total
            - decode(one.model, one.weights, place, replace(asked, context=1), layout, host).total
        )
        return (tokens * each + many + cache) / kept(tokens, acceptance)

    best = min(range(MOST + 1), key=cycle)
    return Drafted(
        small.model,
        best,
        acceptance,
        1.0 / cycle(best),
        cycle(0) / cycle(best),
        helper.required,
        one.fits and one.required + helper.required <= one.room,
    )


def kept(tokens: int, acceptance: float) -> float:
    """Tokens that one pass yields on average, of ``tokens`` proposed.

    >>> kept(0, 0.7), kept(3, 0.5)
    (1.0, 1.875)
    """
    return (1.0 - acceptance ** (tokens + 1)) / (1.0 - acceptance)
