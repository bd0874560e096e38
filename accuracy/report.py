"""Writes ``docs/accuracy.md`` and its pictures: ``make accuracy``. Takes some minutes; needs the published tables.

The traces of the vision models come first: ``python -m accuracy.vision accuracy/cache 320``, once, an hour on one core.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from accuracy import baselines, fingerprint, reference, sets, vision
from accuracy.plots import write_plot
from accuracy.scores import Errors, Score, errors
from accuracy.sets import Goal

PAGE = reference.ROOT / "docs" / "accuracy.md"
PICTURES = reference.ROOT / "docs" / "accuracy"
REACHED = Path(__file__).with_name("reached.json")  # the same for programs
WORST = 4
# Why rows are off, by what stands in their description. Written by people who looked; the first that fits is printed.
REASONS = Path(__file__).with_name("reasons.txt")


def main() -> int:
    """Judge every set and write the page; 1 if a set passes its ceiling."""
    found = sets.all_sets(lambda text: print(text, file=sys.stderr, flush=True))
    PICTURES.mkdir(exist_ok=True)
    for goal in sets.goals():
        write_plot(goal.title, found[goal.name], PICTURES / f"{goal.name}.svg")
    PAGE.write_text(page(found), encoding="utf-8")
    reached = {goal.name: asdict(errors(found[goal.name])) for goal in sets.goals()}
    document = {"model": fingerprint.of_model(), "sets": reached}
    REACHED.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    passed = [goal for goal in sets.goals() if not goal.holds(errors(found[goal.name]))]
    for goal in passed:
        print(f"{goal.title}: above its ceiling of {goal.ceiling}", file=sys.stderr)
    return int(bool(passed))


def page(found: dict[str, list[Score]]) -> str:
    """The whole page."""
    goals = sets.goals()
    parts = [
        HEAD.format(hash=fingerprint.of_model(), models=vision.MODELS),
        _overview([(goal, errors(found[goal.name])) for goal in goals]),
        _beside(found),
        *(_section(goal, found[goal.name]) for goal in goals),
    ]
    return "\n".join(parts)


def _overview(rows: Sequence[tuple[Goal, Errors]]) -> str:
    lines = [
        "## All sets",
        "",
        "| set | left out | rows | median | 90 % | bias | in the 80 % band | to reach | reached |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for goal, e in rows:
        reached = "yes" if e.median <= goal.median and e.p90 <= goal.p90 else _missed(goal, e)
        lines.append(
            f"| [{goal.title}](#{goal.name}) | {goal.left_out} | {e.rows} | {_pct(e.median)} | {_pct(e.p90)} | "
            f"{e.bias:+.1%} | {e.inside:.0%} | {goal.median:.0%} / {goal.p90:.0%} | {reached} |"
        )
    return "\n".join([*lines, ""])


def _missed(goal: Goal, e: Errors) -> str:
    over = [("median", e.median - goal.median), ("90 %", e.p90 - goal.p90)]
    return "no: " + ", ".join(f"{name} {100 * by:.1f} points over" for name, by in over if by > 0)


def _beside(found: dict[str, list[Score]]) -> str:
    lines = [
        "## Beside what people would use otherwise",
        "",
        "The same rows, traces and data sheets. Median / 90th percentile of the error.",
        "",
        "| set | Outboard | " + " | ".join(baselines.METHODS) + " |",
        "|---|---|" + "---|" * len(baselines.METHODS),
    ]
    for goal in sets.goals():
        scores = found[goal.name]
        if not scores[0].others:  # of memory these methods say nothing
            continue
        cells = [_both(errors(scores)), *(_both(errors(scores, method)) for method in baselines.METHODS)]
        lines.append(f"| {goal.title} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", BESIDE])


def _section(goal: Goal, scores: Sequence[Score]) -> str:
    lines = [
        f'## <a id="{goal.name}"></a>{goal.title}',
        "",
        f"Left out of the fit: {goal.left_out}.",
        "",
        f"![forecast against measured](accuracy/{goal.name}.svg)",
        "",
        "| group | rows | median | 90 % | bias | in the band |",
        "|---|---|---|---|---|---|",
    ]
    groups: dict[str, list[Score]] = {}
    for one in scores:
        groups.setdefault(one.group, []).append(one)
    for name in sorted(groups):
        e = errors(groups[name])
        lines.append(f"| {name} | {e.rows} | {_pct(e.median)} | {_pct(e.p90)} | {e.bias:+.1%} | {e.inside:.0%} |")
    lines += ["", "Furthest off:", ""]
    lines += [f"- {one.what}, on {one.gpu}: {one.error:+.0%}. {_why(one)}" for one in _worst(scores)]
    return "\n".join([*lines, ""])


def _worst(scores: Sequence[Score]) -> list[Score]:
    """The worst rows, one of each model."""
    found: dict[str, Score] = {}
    for one in sorted(scores, key=lambda one: -abs(one.error)):
        found.setdefault(one.what.split(",")[0], one)
    return list(found.values())[:WORST]


def _why(one: Score) -> str:
    for line in REASONS.read_text(encoding="utf-8").splitlines():
        words, _colon, reason = line.partition(": ")
        sign, *parts = words.split()
        if all(part in f"{one.what} {one.gpu}" for part in parts) and (one.error > 0) == (sign == "slow"):
            return reason
    return "Nobody has looked into it yet."


def _both(e: Errors) -> str:
    return f"{_pct(e.median)} / {_pct(e.p90)}"


def _pct(value: float) -> str:
    return f"{100 * value:.1f} %" if value < 0.1 else f"{100 * value:.0f} %"


HEAD = """# Accuracy

Forecasts of step time held against published measurements that the fit did not see. Errors are (forecast - measured) /
measured. This page is written by `make accuracy`; the model, coefficients and cases it was made with: `{hash}`.

The measurements are public tables (their sources stand in [methodology/time.md](methodology/time.md)) and are not part
of the project. Of the vision models {models} were drawn by hash over all families, which are left out in four quarters:
each row is judged by the fit that never saw its family, or its GPU. What ships is fitted on all of them. Left out of
the sets: vision models that some runs re-parametrised before timing and some did not, which the tables do not say
(repvgg, repghost, repvit, fastvit, mobileone); operators faster than 0.15 ms, where the timing itself dominates;
linear layers on the P4, which ran at two speeds, hot and cold.

Of language models that are served the seconds of one token are judged, written or read, and bytes that were logged;
their fit is one of its own ([methodology/serving.md](methodology/serving.md)).
"""

BESIDE = """A roofline does well where everything moves memory and nothing waits, as in compiled inference at large
batches; it knows no launches, no layouts and no power limits. The rule of thumb is what most calculators do. Published
claims on other rows: Habitat 11.8 % mean within its own set, NeuSight 9.4 % mean on inference and 10.4 % on training.
"""

if __name__ == "__main__":
    sys.exit(main())
