"""Fixtures that start the engines once for a whole test run."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engines import slurm as slurm_engine
from tests.engines import sshd as sshd_engine

SCRIPT = Path(__file__).with_name("train.py")


@pytest.fixture(scope="session")
def sshd_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sshd_engine.Sshd]:
    why = sshd_engine.missing()
    if why:
        pytest.skip(why)
    server = sshd_engine.Sshd(tmp_path_factory.mktemp("sshd"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def sshd(sshd_server: sshd_engine.Sshd, monkeypatch: pytest.MonkeyPatch) -> sshd_engine.Sshd:
    """A server that Outboard reaches as ``ssh:box``."""
    monkeypatch.setenv("OUTBOARD_SSH", sshd_server.command)
    return sshd_server


@pytest.fixture(scope="session")
def slurm_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[slurm_engine.Slurm]:
    why = slurm_engine.missing()
    if why:
        pytest.skip(why)
    cluster = slurm_engine.Slurm(tmp_path_factory.mktemp("slurm"))
    cluster.start()
    yield cluster
    cluster.stop()


@pytest.fixture
def slurm(slurm_cluster: slurm_engine.Slurm, monkeypatch: pytest.MonkeyPatch) -> slurm_engine.Slurm:
    """A cluster whose login node this machine is."""
    for name, value in slurm_cluster.environment.items():
        monkeypatch.setenv(name, value)
    return slurm_cluster


@pytest.fixture
def workdir(tmp_path: Path) -> Path:
    """A folder with somebody's training script, its name as unfriendly as names can be."""
    folder = tmp_path / 'my job\'s "work" $(touch injected)'
    folder.mkdir()
    shutil.copy(SCRIPT, folder / "train.py")
    return folder


@pytest.fixture(scope="session")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What the script ends with when nothing interrupts it."""
    folder = tmp_path_factory.mktemp("expected")
    bare = {name: value for name, value in os.environ.items() if not name.startswith("OUTBOARD_")}
    subprocess.run([sys.executable, str(SCRIPT)], cwd=folder, check=True, env={**bare, "EACH": "0"}, timeout=60)
    return json.loads((folder / "results" / "final.json").read_text())


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of our own."""
    folder = tmp_path / "data"
    monkeypatch.setenv("OUTBOARD_DATA_DIR", str(folder))
    return folder
