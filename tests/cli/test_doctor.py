"""``outboard doctor`` as people and programs see it."""

import io
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from outboard import schema
from tests.cli.conftest import Run
from tests.compat.logs import FAULTS, HARMLESS, QUIET
from tests.probe import recordings

FRAMEWORK = ("--host", "framework-13-amd", "--gpu", "rtx-5080", "--link", "usb4-40", "--os", "linux")
MAC = ("--host", "apple-silicon", "--gpu", "rtx-3090@tb4")
GOLDEN = {
    "doctor.txt": (FRAMEWORK, 0),
    "doctor.es.txt": ((*FRAMEWORK, "--lang", "es"), 0),
    "doctor-impossible.txt": (MAC, 1),
    "doctor-undecided.txt": (("--gpu", "rtx-3060-12gb", "--link", "tb4"), 0),
    "doctor-explain.txt": (("--host", "intel-nuc", "--gpu", "rx-7900-xtx@tb4", "--os", "linux", "--explain"), 0),
    "doctor-security.txt": (
        ("--gpu", "rtx-3090@tb4", "--host", "intel-nuc", "--os", "linux", "--fact", "tb_security=dponly"),
        1,
    ),
}


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    monkeypatch.chdir(tmp_path)

    def write(*lines: str) -> str:
        Path("dmesg.txt").write_text("\n".join(lines), encoding="utf-8")
        return "dmesg.txt"

    return write


@pytest.mark.parametrize("name", GOLDEN)
def test_output_is_what_it_was(name: str, run: Run, golden: Callable[[str, str], None]) -> None:
    arguments, status = GOLDEN[name]
    answer = run("doctor", *arguments)
    assert (answer.status, answer.err) == (status, "")
    assert max(map(len, answer.out.splitlines())) <= 80
    golden(name, answer.out)


def test_a_log_is_explained(run: Run, log: Callable[..., str], golden: Callable[[str, str], None]) -> None:
    answer = run("doctor", "--log", log(*FAULTS["tunnel-dropped"], *HARMLESS["virtual-port"]))
    assert answer.status == 1
    golden("doctor-log.txt", answer.out)


def test_a_log_and_a_machine_say_each_thing_once(run: Run, log: Callable[..., str]) -> None:
    answer = run("doctor", "--gpu", "rtx-3090@pcie4-x16", "--os", "linux", "--log", log(*FAULTS["gpu-lost"]))
    assert answer.status == 1
    assert answer.out.count("Cure: In this order") == 1
    assert "Works: rtx-3090" in answer.out


def test_a_log_comes_in_on_stdin(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        buffer = io.BytesIO(QUIET.encode() + b"\xff\xfe")

    monkeypatch.setattr(sys, "stdin", Stdin)
    answer = run("doctor", "--log", "-")
    assert answer.status == 0
    assert answer.out.startswith("Nothing that is known to be wrong stands in these ")


@pytest.mark.parametrize("arguments", [arguments for arguments, _status in GOLDEN.values()])
def test_json_satisfies_the_schema_and_is_never_translated(run: Run, arguments: tuple[str, ...]) -> None:
    answer = run("doctor", *arguments, "--json")
    document = json.loads(answer.out)
    jsonschema.validate(document, schema.load("doctor"))
    assert json.loads(run("doctor", *arguments, "--json", "--lang", "es").out) == document


def test_json_of_a_log_satisfies_the_schema(run: Run, log: Callable[..., str]) -> None:
    document = json.loads(run("doctor", *FRAMEWORK, "--log", log(*FAULTS["gpu-lost"]), "--json").out)
    jsonschema.validate(document, schema.load("doctor"))
    assert document["log"]["verdict"] == "fault"
    assert document["machine"]["seen"] == ["fallen-off", "xid-79"]
    assert document["verdict"] == "workaround"
    assert document["findings"][0]["rule"] == "nv-blackwell-tb-lock"


WRONG = {
    "no such recording": (("--root", "/nowhere"), "--root: there is no folder /nowhere"),
    "no such host": (("--host", "framwork-13"), "unknown host 'framwork-13'; nearest: framework-1"),
    "no such box": (("--enclosure", "razor core x"), "unknown enclosure 'razor core x'; nearest: razer-core-x"),
    "no such system": (("--os", "beos"), "os cannot be 'beos'; one of: linux, windows, macos, wsl2"),
    "no such fact": (("--gpu", "t4", "--fact", "colour=red"), "unknown fact 'colour'"),
    "no such log": (("--log", "/nowhere/dmesg"), "/nowhere/dmesg: cannot be read: No such file or directory"),
}


@pytest.mark.parametrize(("arguments", "message"), WRONG.values(), ids=WRONG)
def test_wrong_usage_is_one_line(run: Run, arguments: tuple[str, ...], message: str) -> None:
    answer = run("doctor", *arguments)
    assert (answer.status, answer.out) == (2, "")
    assert message in answer.err
    assert answer.err.count("\n") == 1


def test_the_link_of_the_gpu_is_used_unless_another_is_named(run: Run) -> None:
    machine = json.loads(run("doctor", "--gpu", "rtx-3090@tb3", "--json").out)["machine"]
    assert machine["link"] == "tb3"
    assert "link" not in json.loads(run("doctor", "--gpu", "rtx-3090x2", "--json").out)["machine"]


def test_it_answers_at_once(run: Run) -> None:
    run("doctor", *FRAMEWORK)
    start = time.process_time()
    run("doctor", *FRAMEWORK)
    assert time.process_time() - start < 0.5


SEEN = {"nuc": 0, "laptop": 0, "desktop": 0}


@pytest.mark.parametrize("name", SEEN)
def test_a_recorded_computer_is_looked_at(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Callable[[str, str], None], name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    recordings.write(recordings.ALL[name], Path("there"))
    answer = run("doctor", "--root", "there")
    assert (answer.status, answer.err) == (SEEN[name], "")
    assert max(map(len, answer.out.splitlines())) <= 80
    golden(f"doctor-{name}.txt", answer.out)
    document = json.loads(run("doctor", "--root", "there", "--json").out)
    jsonschema.validate(document, schema.load("doctor"))
    assert document["here"]["host"] in {"intel-nuc", "framework-13-amd", ""}


def test_this_computer_is_looked_at_and_can_be_recorded(run: Run, tmp_path: Path) -> None:
    document = json.loads(run("doctor", "--record", str(tmp_path / "here"), "--json").out)
    jsonschema.validate(document, schema.load("doctor"))
    again = json.loads(run("doctor", "--root", str(tmp_path / "here"), "--json").out)
    assert again["here"] == document["here"]


def test_a_card_is_imagined_at_a_recorded_computer(run: Run, tmp_path: Path) -> None:
    recordings.write(recordings.LAPTOP, tmp_path)
    answer = run("doctor", "--root", str(tmp_path), "--gpu", "rtx-5080", "--link", "usb4-40", "--json")
    document = json.loads(answer.out)
    assert document["machine"]["host"] == "framework-13-amd"
    assert {"tb-not-authorized", "nv-blackwell-tb-lock"} <= {one["rule"] for one in document["findings"]}
