"""Write docs/plans.md: the plan of each situation in this folder, as of one day. ``python examples/plans_page.py``"""

import contextlib
import io
import os
from datetime import date
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "plans.md"
TODAY = date(2026, 12, 1)
ROWS = 4
SITUATIONS = ("student", "nomad", "sensitive-data", "startup", "dentist", "apple-silicon")
HEAD = """# Six situations and their plans

Each folder of `examples/` holds a person's circumstances (`me.yaml`) and one or more jobs. This page shows the files
and what `outboard plan` makes of them on {today}, with the prices that ship. It is written by `python
examples/plans_page.py`; how hours become money stands in [methodology/cost.md](methodology/cost.md).

A plan recommends the cheapest place that meets every condition, unless `goal:` says otherwise. The sign `✓` marks the
recommendation, `·` the places that no other beats in both money and time.
"""


def section(name: str) -> str:
    """The files of one situation and their plan."""
    folder = ROOT / "examples" / name
    files = [folder / "me.yaml", *sorted(folder.glob("job*.yaml"))]
    shown = "\n\n".join(f"```yaml\n# {path.name}\n{path.read_text(encoding='utf-8').strip()}\n```" for path in files)
    command = f"cd examples/{name}; outboard plan {' '.join(path.name for path in files[1:])} --limit {ROWS}"
    return f"## {name.replace('-', ' ').capitalize()}\n\n{shown}\n\n```console\n$ {command}\n{plan(files)}```\n"


def plan(files: list[Path]) -> str:
    """What the command prints."""
    from outboard.cli.render.plan import render
    from outboard.planner.answer import answer

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        render(answer(files[1:], files[0], today=TODAY), ROWS)
    return out.getvalue()


def main() -> None:
    """Write the page."""
    os.environ.update(
        {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb", "LANGUAGE": "en", "OUTBOARD_DATA_DIR": "/nowhere"}
    )
    sections = [HEAD.format(today=TODAY.isoformat()), *(section(name) for name in SITUATIONS)]
    PAGE.write_text("\n".join(sections), encoding="utf-8")


if __name__ == "__main__":
    main()
