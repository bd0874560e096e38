import pytest

from outboard.executors.local import Local
from tests.executors.contract import Contract


class TestLocal(Contract):
    @pytest.fixture
    def executor(self, tmp_path):
        return Local(str(tmp_path / "runs"))
