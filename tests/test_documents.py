"""The documents tell the truth: their commands run and print what they say, their links lead somewhere."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from outboard.planner import files
from outboard.types.job import JobFile
from outboard.types.situation import Situation

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

import commands_page  # noqa: E402
import transcripts  # noqa: E402

PAGES = sorted(
    path
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
)
EXAMPLES = [
    pytest.param(example, id=f"{name}: {example.commands[0][:60]}")
    for name in transcripts.DOCUMENTS
    for example in transcripts.examples((ROOT / name).read_text(encoding="utf-8"))
]
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)\)")


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_prints_what_the_document_says(example: Any) -> None:
    if not transcripts.can_run(example):
        pytest.skip("recording a model needs torch: pip install 'outboard[models]'")
    assert transcripts.run(example) == example.text, "make docs"


def test_the_page_of_commands_is_current() -> None:
    assert commands_page.PAGE.read_text(encoding="utf-8") == commands_page.page(), "make docs"


def test_the_python_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = PYTHON.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})
    assert capsys.readouterr().out.startswith("fits ")


@pytest.mark.parametrize("model", [JobFile, Situation])
def test_every_key_of_the_files_is_explained(model: type[BaseModel]) -> None:
    page = (ROOT / "docs" / "files.md").read_text(encoding="utf-8")
    assert [key for key in _keys(model) if not re.search(rf"\b{key}\b", page)] == []


def _keys(model: type[BaseModel]) -> set[str]:
    inner = {part for field in model.model_fields.values() for part in files.models(field.annotation)}
    return set(model.model_fields).union(*(_keys(part) for part in inner))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if "://" not in target and not target.startswith("mailto:"):
            assert (page.parent / target).exists(), target
