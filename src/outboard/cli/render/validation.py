"""A validation: how far off the forecasts are, by group, where they are worst, and what is not covered."""

from collections import Counter
from collections.abc import Sequence

from rich.table import Table

from outboard.cli.output import show
from outboard.cli.render import numbers
from outboard.i18n import _
from outboard.validation.document import resolved
from outboard.validation.groups import Summary, grouped, summarise, worst
from outboard.validation.predict import Prediction

WORST = 5
REASONS = 8
MOST = 9999  # percent; beyond it a number only takes room


def render(predictions: Sequence[Prediction], by: Sequence[str], count: int, limit: int | None) -> None:
    """Print the verdict, the first ``limit`` groups, the worst rows, the reasons, and what was hidden."""
    groups = grouped(predictions, by)
    shown = groups[:limit]
    show(_verdict(summarise(predictions)), "", _groups(shown, by))
    far = worst(predictions, WORST)
    if far:
        show("", _("Furthest off:"), _worst(far))
    reasons = Counter(one.outcome.reason for one in predictions if not one.covered)
    if reasons:
        show("", _("Not covered:"), _reasons(reasons))
    names = resolved(predictions)
    if names:
        show("", _("Names read as:"), *(f" {one['name']}: {one['workload']} ({one['origin']})" for one in names))
    show("", _hidden(len(shown), len(groups), len(predictions), count))


def _verdict(all_rows: Summary) -> str:
    """The first line: the size of the errors, over how many rows, and whether the band holds."""
    if all_rows.median_ape is None:
        return _("None of {rows} rows is covered.").format(rows=all_rows.rows)
    form = _(
        "Off by {median} in the median and {p90} at the 90th percentile, over {covered} of {rows} rows; "
        "{inside} of the measurements lie inside the stated 80 % band."
    )
    return form.format(
        median=percent(all_rows.median_ape),
        p90=percent(all_rows.p90_ape),
        covered=all_rows.covered,
        rows=all_rows.rows,
        inside=percent(all_rows.band_coverage),
    )


def _groups(groups: Sequence[Summary], by: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for label in by:
        table.add_column(_label(label), overflow="fold")
    for title in (_("rows"), _("covered"), _("median"), _("90 %"), _("bias"), _("in band")):
        table.add_column(title, justify="right", no_wrap=True)
    for group in groups:
        table.add_row(*group.labels.values(), str(group.rows), str(group.covered), *_errors(group))
    return table


def _errors(group: Summary) -> list[str]:
    bias = percent(group.bias)
    return [
        percent(group.median_ape),
        percent(group.p90_ape),
        f"+{bias}" if group.bias is not None and group.bias > 0 else bias,
        percent(group.band_coverage),
    ]


def _label(name: str) -> str:
    return {
        "task": _("task"),
        "gpu": _("GPU"),
        "precision": _("precision"),
        "family": _("family"),
        "workload": _("workload"),
        "quantity": _("quantity"),
        "compiled": _("compiled"),
        "memory_format": _("layout"),
        "num_gpus": _("GPUs"),
        "source": _("source"),
    }[name]


def _worst(far: Sequence[Prediction]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(_("line"), justify="right")
    table.add_column(_("workload"), overflow="fold")
    table.add_column(_("GPU"), overflow="fold")
    for title in (_("batch"), _("forecast"), _("measured"), _("error")):
        table.add_column(title, justify="right", no_wrap=True)
    for one in far:
        row, outcome = one.case.measurement, one.outcome
        table.add_row(
            str(row.line),
            row.workload,
            one.case.labels["gpu"],
            str(row.batch_size or ""),
            _amount(outcome.forecast, row.si_unit),
            _amount(row.value, row.si_unit),
            f"{'+' if (one.error or 0) > 0 else ''}{percent(one.error)}",
        )
    return table


def _amount(value: float | None, unit: str) -> str:
    """A number with its unit; of a rate only what it counts by, to spare room."""
    return numbers.quantity(value, unit).replace(" samples/s", "/s").replace(" tokens/s", "/s")


def _reasons(reasons: Counter[str]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), show_header=False)
    table.add_column(justify="right")
    table.add_column(overflow="fold")
    for reason, count in reasons.most_common(REASONS):
        table.add_row(str(count), reason)
    if len(reasons) > REASONS:
        left = sum(count for _reason, count in reasons.most_common()[REASONS:])
        table.add_row(str(left), _("for {count} other reasons (--json)").format(count=len(reasons) - REASONS))
    return table


def percent(ratio: float | None) -> str:
    """A ratio in hundredths, with a decimal where it is small.

    >>> percent(0.0712), percent(0.24), percent(-0.031), percent(None)
    ('7.1 %', '24 %', '-3.1 %', '?')
    """
    if ratio is None:
        return numbers.UNKNOWN
    hundredths = 100 * ratio
    if hundredths > MOST:
        return f">{MOST} %"
    decimals = 1 if 0 < abs(hundredths) < 9.95 else 0
    return numbers.local(f"{hundredths:.{decimals}f} %")


def _hidden(shown: int, groups: int, rows: int, count: int) -> str:
    text = _("Shown {shown} of {count} groups (--limit). Every row: --csv; all of it: --json.")
    said = [text.format(shown=shown, count=groups)]
    if rows < count:
        drawn = _("{rows} of the {count} rows of the table were drawn (--sample).")
        said.insert(0, drawn.format(rows=rows, count=count))
    return " ".join(said)
