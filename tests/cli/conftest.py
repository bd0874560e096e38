"""Runs the program in this process as a person would see it: 80 columns, no colours, English."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from outboard import cli
from outboard.cli import language

GOLDEN = Path(__file__).parent.parent / "golden"


@dataclass(frozen=True)
class Answer:
    """What one command left behind."""

    status: int
    out: str
    err: str


Run = Callable[..., Answer]


@pytest.fixture(scope="session")
def trace_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def plain_terminal(monkeypatch: pytest.MonkeyPatch, trace_cache: Path) -> Iterator[None]:
    monkeypatch.setenv("OUTBOARD_CACHE_DIR", str(trace_cache))
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "FORCE_COLOR", "OUTBOARD_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {
        "LANGUAGE": "en",
        "COLUMNS": "80",
        "NO_COLOR": "1",
        "TERM": "dumb",
        "OUTBOARD_TODAY": "2026-12-01",
    }.items():
        monkeypatch.setenv(name, value)
    language.use("en")
    yield
    language.use("en")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: str) -> Answer:
        status = cli.main(arguments)
        captured = capsys.readouterr()
        return Answer(status, captured.out, captured.err)

    return call


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with the file that says what it should be; ``--update-golden`` writes the file instead."""

    def check(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"{path} is missing: pytest tests/cli --update-golden"
        assert text == path.read_text(encoding="utf-8")

    return check
