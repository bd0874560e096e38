"""Writes reports and pictures. The charts are drawn by vl-convert, which carries its own renderer and fonts."""

import json
from pathlib import Path
from typing import Any

from outboard.errors import MissingExtraError, OutsideError
from outboard.i18n import _
from outboard.planner.answer import Answer
from outboard.planner.report.charts import Spec, charts
from outboard.planner.report.page import page

VEGA_LITE = "5.20"  # the latest of the fifth series that vl-convert carries


def write_html(answer: Answer, path: Path) -> None:
    """Write the whole report into one file."""
    drawn = [
        [(spec, svg(spec)) for spec in charts(study, plan)]
        for study, plan in zip(answer.studies, answer.plans, strict=True)
    ]
    write_file(path, page(answer, drawn).encode())


def write_plot(answer: Answer, path: Path) -> None:
    """Write the charts of the first job as one picture, SVG or PNG by the ending of ``path``."""
    spec = together(charts(answer.studies[0], answer.plans[0]))
    write_file(path, svg(spec).encode() if path.suffix.lower() == ".svg" else png(spec))


def together(specs: list[Spec]) -> Spec:
    """Return the charts as one, two in each row."""
    inner = [{key: value for key, value in spec.items() if key != "$schema"} for spec in specs]
    return {
        "$schema": specs[0]["$schema"],
        "concat": inner,
        "columns": 2,
        "resolve": {"scale": {"color": "independent"}},
    }


def svg(spec: Spec) -> str:
    """Draw one specification."""
    return _renderer().vegalite_to_svg(json.dumps(spec), vl_version=VEGA_LITE)


def png(spec: Spec) -> bytes:
    """Draw one specification as pixels, twice as fine as a screen."""
    return _renderer().vegalite_to_png(json.dumps(spec), vl_version=VEGA_LITE, scale=2)


def _renderer() -> Any:
    try:
        import vl_convert
    except ImportError:
        raise MissingExtraError("vl-convert-python", "report", _("drawing charts")) from None
    return vl_convert


def write_file(path: Path, content: bytes) -> None:
    """Write ``content``. Raises :class:`OutsideError` where that cannot be."""
    try:
        path.write_bytes(content)
    except OSError as error:
        raise OutsideError(_("{path} cannot be written: {error}").format(path=path, error=error)) from None
