"""The batch script, which people read before they submit it."""

import shlex
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outboard.errors import FileError
from outboard.executors.shell import Over
from outboard.executors.slurm import Slurm, batch_script, limit
from outboard.types.run import Launch, RunSection


def asked(name="tiny", slurm=None, **said):
    section = RunSection.model_validate({"command": "python train.py", "slurm": slurm or {}})
    return Launch(id="run-1", name=name, generation=1, section=section, workdir=Path("/w"), **said)


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ({"hours": 2.0}, "0-02:30:00"),  # the forecast's upper band, and a quarter
        ({"hours": 0.01}, "0-00:10:00"),  # never too short to be worth it
        ({"hours": 100.0, "walltime": 24.0}, "1-00:00:00"),  # cut to what the partition allows
        ({}, "1-00:00:00"),  # unknown is a day, not for ever
        ({"hours": float("inf")}, "1-00:00:00"),
    ],
)
def test_the_time_is_finite_and_from_the_forecast(said, wanted):
    assert limit(asked(**said)) == wanted


def test_what_is_said_stands_before_what_is_forecast():
    text = batch_script(asked(slurm={"time": "8 h", "memory": "32 GB", "gres": "gpu:a100:1", "cpus": 8}), "/r/run-1")
    for line in ("--time=0-08:00:00", "--mem=30518M", "--gres=gpu:a100:1", "--cpus-per-task=8", "--requeue"):
        assert f"#SBATCH {line}\n" in text
    assert "--signal=B:USR1@180" in text


def test_the_command_is_shown_with_the_script():
    assert Slurm(folder="/r").script(asked()).rstrip().endswith("python train.py")


@pytest.mark.parametrize("key", ["partition", "account", "qos", "gres"])
def test_words_of_the_head_hold_no_commands(key):
    with pytest.raises(FileError, match=key):
        batch_script(asked(slurm={key: "gpu\n#SBATCH --uid=0"}), "/r/run-1")


@given(st.text(min_size=1), st.text(alphabet=st.characters(exclude_characters="\0"), min_size=1))
def test_no_name_and_no_folder_adds_a_line_or_a_command(name, folder):
    plain = batch_script(asked(), "/r/run-1")
    text = batch_script(asked(name), f"/{folder}")
    assert text.count("#SBATCH") - f"/{folder}".count("#SBATCH") == plain.count("#SBATCH")
    head = text.split("# The keeper")[0]
    assert head.count("\n") == plain.split("# The keeper")[0].count("\n")


@given(st.lists(st.text(alphabet=st.characters(exclude_characters="\0", exclude_categories=["Cs"])), min_size=1))
def test_arguments_reach_a_far_shell_as_they_are(arguments):
    """What ssh hands to the far shell, read by a real one."""
    line = shlex.join(["printf", "%s\\0", *arguments])
    done = subprocess.run(["/bin/sh", "-c", line], capture_output=True, check=True)
    assert done.stdout == b"".join(one.encode() + b"\0" for one in arguments)
    assert Over("box").host == "box"
