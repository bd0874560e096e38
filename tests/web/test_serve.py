"""The command: one clear line for whatever stands in the way."""

import importlib.util
import socket

import pytest

from tests.cli.conftest import Run, plain_terminal, run, trace_cache

__all__ = ["plain_terminal", "run", "trace_cache"]


@pytest.mark.parametrize("port", ["-1", "65536", "eighty"])
def test_a_port_is_a_number(run: Run, port: str) -> None:
    answer = run("serve", "--port", port)
    assert answer.status == 2
    assert "--port" in answer.err
    assert len(answer.err.splitlines()) == 1


def test_a_port_in_use_is_a_failure_outside(run: Run) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        answer = run("serve", "--port", str(taken.getsockname()[1]))
    assert answer.status == 3
    assert "cannot listen on 127.0.0.1" in answer.err


def test_a_short_token_is_refused_before_anything_listens(run: Run) -> None:
    answer = run("serve", "--host", "0.0.0.0", "--token", "secret", "--port", "0")
    assert answer.status == 2
    assert "--token" in answer.err
    assert "secret" not in answer.err


def test_without_its_libraries_it_says_what_to_install(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "outboard.cli.serve.find_spec", lambda name: None if name == "starlette" else found(name), raising=True
    )
    answer = run("serve", "--port", "0")
    assert answer.status == 2
    assert "pip install 'outboard[web]'" in answer.err
