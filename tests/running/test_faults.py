"""What goes wrong while a model is trained: it ends as if nothing had."""

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from outboard.executors.asked import asked
from outboard.executors.local import Local
from outboard.keeper import processes
from outboard.keeper.folder import Folder
from tests.executors.contract import launch
from tests.running.conftest import apart

SLOW = {"EACH": "0.15"}


def kill(pids):
    for pid in pids:
        processes.send(pid, signal.SIGKILL)
    return pids


def keepers(folder):
    """The keeper and its guardian."""
    found = []
    for folder_ in Path("/proc").iterdir():
        try:
            words = (folder_ / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if str(folder.path).encode() in words:
            found.append(int(folder_.name))
    return found


def test_the_script_is_killed(outboard, job, same):
    id = outboard.start(job(variables=SLOW), "--on", "local")
    outboard.step(id, 7)
    assert kill(processes.leftovers(outboard.run(id).folder))
    outboard.until(id, "done")
    same()
    events = [event for event in outboard.folder(id).events() if event["event"] == "ended"]
    assert events[0]["failure"]["kind"] == "killed"
    assert events[0]["next"] == "again"


def test_torchrun_and_its_worker_are_killed(outboard, job, same, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    id = outboard.start(job(run={"processes": 1}, variables={"EACH": "0.4"}), "--on", "local")
    outboard.step(id, 6)
    by_name = {pid: Path(f"/proc/{pid}/cmdline").read_text() for pid in processes.leftovers(outboard.run(id).folder)}
    worker = [pid for pid, text in by_name.items() if "train.py" in text and "torchrun" not in text]
    assert kill(worker)
    wait_for_attempt(outboard, id, 2)
    outboard.step(id, 11)
    by_name = {pid: Path(f"/proc/{pid}/cmdline").read_text() for pid in processes.leftovers(outboard.run(id).folder)}
    assert kill([pid for pid, text in by_name.items() if "torchrun" in text and "bash" not in text])
    outboard.until(id, "done")
    same()


def wait_for_attempt(outboard, id, number):
    until = time.monotonic() + 60.0
    while outboard.folder(id).state().get("attempt", 0) < number:
        assert time.monotonic() < until
        time.sleep(0.1)


def test_the_keeper_is_killed_and_its_guardian_starts_another(outboard, job, same):
    id = outboard.start(job(variables=SLOW), "--on", "local")
    outboard.step(id, 7)
    guardian, keeper = sorted(keepers(outboard.folder(id)))[:2]
    kill([keeper])
    outboard.until(id, "done")
    same()
    assert guardian != keeper


def test_everything_is_killed_as_by_a_reboot(outboard, job, same):
    id = outboard.start(job(variables=SLOW), "--on", "local")
    outboard.step(id, 7)
    kill([*keepers(outboard.folder(id)), *processes.leftovers(outboard.run(id).folder)])
    seen = outboard.until(id, "dead", patience=20.0)
    assert "outboard resume" in seen["why"]
    assert f"{id} goes on at local." in outboard("resume", "--dead")
    outboard.until(id, "done")
    same()
    assert "No run is dead." in outboard("resume", "--dead")


def test_outboard_itself_is_killed_while_it_waits(outboard, job, same):
    process = apart("run", str(job(variables=SLOW)), "--on", "local", "--yes", "--wait")
    until = time.monotonic() + 30.0
    while not (found := json.loads(outboard("runs", "--json"))["runs"]) or not found[0]["measured"]["step"]:
        assert time.monotonic() < until
        time.sleep(0.1)
    process.kill()
    process.communicate()
    outboard.until(found[0]["id"], "done")
    same()


def test_waiting_carries_on_what_died(outboard, job, same):
    process = apart("run", str(job(variables=SLOW)), "--on", "local", "--yes", "--wait")
    until = time.monotonic() + 30.0
    while not (found := json.loads(outboard("runs", "--json"))["runs"]) or (found[0]["measured"]["step"] or 0) < 6:
        assert time.monotonic() < until
        time.sleep(0.1)
    id = found[0]["id"]
    kill([*keepers(outboard.folder(id)), *processes.leftovers(outboard.run(id).folder)])
    out, err = process.communicate(timeout=90)
    assert process.returncode == 0, out + err
    assert b"carrying it on" in err
    same()
    assert outboard.seen(id)["generation"] == 2


def test_a_torn_checkpoint_is_passed_over(outboard, job, same):
    id = outboard.start(job(variables={"FAULTS": "torn"}), "--on", "local")
    outboard.until(id, "done")
    same()
    torn = [event for event in outboard.folder(id).events() if event["event"] == "torn checkpoint passed over"]
    assert torn[0]["path"].endswith("step-00000099.pt")


def test_a_hang_is_noticed(outboard, job, same):
    id = outboard.start(job(run={"hang": "3 s"}, variables={"FAULTS": "hang"}), "--on", "local")
    outboard.until(id, "done")
    same()
    ended = [event for event in outboard.folder(id).events() if event["event"] == "ended"]
    assert ended[0]["failure"]["kind"] == "hung"


def test_a_full_disk_fails_with_a_reason_and_loses_nothing(outboard, job, same, workdir):
    if os.getuid() != 0:
        pytest.skip("mounting a small disk needs root")
    folder = workdir / "checkpoints"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(folder)], check=True)
    try:
        id = outboard.start(job(variables={"TOTAL": "20", "EVERY": "1"}, run={"tries": 2}), "--on", "local")
        seen = outboard.until(id, "failed")
        assert "No space left on device" in seen["why"]
        assert seen["measured"]["checkpoint"]["step"] >= 1
        subprocess.run(["mount", "-o", "remount,size=1m", str(folder)], check=True)
        outboard("resume", id)
        outboard.until(id, "done")
        same()
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_lost_gpu_is_waited_for_and_used_again(outboard, job, same, gpu):
    id = outboard.start(job(run={"gpu_wait": "60 s"}, variables={"FAULTS": "cuda"}), "--on", "local")
    gpu.falls_off_when(Path(outboard.run(id).job["workdir"]) / "fault-cuda")
    outboard.until(id, "waiting")
    assert "unspecified launch failure" in outboard.seen(id)["why"]
    gpu.comes_back()
    outboard.until(id, "done")
    same()
    assert "the GPU is back" in [event["event"] for event in outboard.folder(id).events()]


def test_a_gpu_that_stays_away_sends_the_run_to_the_next_place(outboard, job, same, gpu, sshd):
    written = job(run={"gpu_wait": "1 s"}, variables={"FAULTS": "cuda"})
    gpu.falls_off_when(written.parent / "fault-cuda")
    text = outboard("run", written, "--on", "local", "--yes", "--wait", "--fallback", "ssh:box")
    assert "lost its GPU" in outboard.errors
    assert "ssh:box" in text
    same()


@pytest.fixture
def gpu(tmp_path, monkeypatch):
    """A driver's tool that shows one GPU, as long as no file says otherwise."""

    class Gpu:
        def falls_off_when(self, path):
            tool.write_text(f'#!/bin/sh\n[ -e "{gone}" ] && exit 0\n[ -e "{escaped(path)}" ] || echo GPU-1\nexit 0\n')

        def comes_back(self):
            tool.write_text("#!/bin/sh\necho GPU-1\n")

    def escaped(path):
        return str(path).replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$")

    gone = tmp_path / "gone"
    folder = tmp_path / "bin"
    folder.mkdir()
    tool = folder / "nvidia-smi"
    tool.write_text("#!/bin/sh\necho GPU-1\n")
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return Gpu()


def test_two_outboards_resume_one_run_and_one_of_them_does(outboard, job, same):
    id = outboard.start(job(variables=SLOW), "--on", "local")
    outboard.step(id, 6)
    outboard("stop", id)
    outboard.until(id, "stopped")
    both = [apart("resume", id) for _each in range(2)]
    said = [(one.communicate(timeout=60), one.returncode) for one in both]
    codes = sorted(code for _text, code in said)
    assert codes == [0, 2], said
    outboard.until(id, "done")
    same()


def test_the_clock_jumps(workdir, tmp_path, expected):
    library = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")
    if not library.exists():
        pytest.skip("libfaketime is not installed")
    shift = tmp_path / "shift"
    shift.write_text("+0\n")
    executor = Local(str(tmp_path / "runs"))
    asked_for = launch(workdir, variables=SLOW, hang="30 s", command="env -u LD_PRELOAD python3 train.py")
    folder = Folder(executor.prepare(asked_for))
    (folder.path / "run.json").write_text(json.dumps(asked(asked_for, str(folder.path), str(workdir))))
    faked = {"LD_PRELOAD": str(library), "FAKETIME_TIMESTAMP_FILE": str(shift), "FAKETIME_NO_CACHE": "1"}
    keeping = subprocess.Popen(
        [sys.executable, str(folder.path / "keeper.pyz"), "keep", str(folder.path)],
        env={**os.environ, **faked, "DONT_FAKE_MONOTONIC": "1"},
    )
    for step, text in ((4, "+3d\n"), (10, "-2d\n")):
        wait(lambda step=step: folder.state().get("progress", {}).get("step", 0) >= step)
        shift.write_text(text)
    assert keeping.wait(60) == 0
    assert json.loads((workdir / "results" / "final.json").read_text()) == expected
    ended = [event for event in folder.events() if event["event"] == "ended"]
    assert len(ended) == 1, "a jump of the clock is no failure"


def test_the_cable_to_the_ssh_host_is_cut(outboard, job, same, sshd):
    id = outboard.start(job(variables=SLOW), "--on", "ssh:box")
    outboard.step(id, 4)
    sshd.stop()
    seen = outboard.seen(id)
    assert seen["state"] == "unreachable"
    assert "does not answer" in seen["why"]
    assert "may still be running" in program_error(outboard, "resume", id)
    time.sleep(1.0)
    sshd.start()
    outboard.until(id, "done")
    same()


def program_error(outboard, *arguments):
    outboard(*arguments, code=3)
    return outboard.errors


def test_moves_from_here_to_ssh_to_slurm_and_back(outboard, job, same, sshd, slurm):
    id = outboard.start(job(variables={"EACH": "0.8"}), "--on", "local")
    for to in ("ssh:box", "slurm", "local"):
        outboard.step(id, 2 + (outboard.seen(id)["measured"]["step"] or 0))
        outboard("move", id, "--to", to, "--yes")
        assert outboard.seen(id)["where"] == to
    seen = outboard.until(id, "done")
    same()
    assert seen["generation"] == 4
    log = outboard("logs", id)
    assert log.count("begins at step") == 4, "the log went along"


def test_slurm_preempts_and_the_run_is_requeued(outboard, job, same, slurm):
    id = outboard.start(job(variables={"EACH": "2"}), "--on", "slurm")
    outboard.step(id, 3)
    number = outboard.run(id).reference
    urgent = slurm.call(
        *("sbatch", "--parsable", "--partition=urgent", "--exclusive", "--nodes=2", "--output=/dev/null"),
        *("--wrap", "sleep 3"),
    ).strip()
    wait(lambda: "PENDING" in slurm.call("squeue", "-h", "-j", number, "-o", "%T", check=False))
    assert outboard.seen(id)["state"] == "queued"
    wait(lambda: not slurm.call("squeue", "-h", "-j", urgent, check=False).strip())
    start_now(slurm, number)
    outboard.until(id, "done")
    same()
    assert "begins at step 0" in outboard("logs", id)
    assert not (Path(outboard.run(id).folder) / "slurm.txt").read_text().count("Submitted")
    assert not slurm.call("squeue", "-h").strip(), "no second job of it"


def test_slurm_ends_its_time_and_the_run_goes_on_in_another(outboard, job, same, slurm):
    said = {"time": "1 min", "notice": "58 s", "memory": "100 MB", "cpus": 1, "gres": "gpu:1"}
    id = outboard.start(job(run={"slurm": said}, variables={"EACH": "4"}), "--on", "slurm")
    outboard.step(id, 2)
    number = outboard.run(id).reference
    wait(lambda: "PENDING" in slurm.call("squeue", "-h", "-j", number, "-o", "%T", check=False), 60.0)
    job_again = slurm.call("scontrol", "show", "job", number)
    assert "Restarts=1" in job_again
    text = (Path(outboard.run(id).folder) / "run.json").read_text().replace('"EACH": "4"', '"EACH": "0"')
    (Path(outboard.run(id).folder) / "run.json").write_text(text)
    start_now(slurm, number)
    outboard.until(id, "done")
    same()


def start_now(slurm, number):
    """Skip the two minutes that a requeued job waits; its nodes need a moment to forget that they ended it."""
    time.sleep(4.0)
    slurm.call("scontrol", "update", f"JobId={number}", "StartTime=now")


def wait(ready, patience=40.0):
    until = time.monotonic() + patience
    while not ready():
        assert time.monotonic() < until
        time.sleep(0.2)
