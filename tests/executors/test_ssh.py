import pytest

from outboard.executors.ssh import Ssh
from tests.executors.contract import Contract


class TestSsh(Contract):
    @pytest.fixture
    def executor(self, tmp_path, sshd):
        return Ssh("box", str(tmp_path / "there's runs"))
