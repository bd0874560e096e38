import pytest

from outboard.executors.slurm import Slurm
from tests.executors.contract import Contract


class TestSlurm(Contract):
    @pytest.fixture
    def executor(self, tmp_path, slurm):
        return Slurm(folder=str(tmp_path / "runs"))
