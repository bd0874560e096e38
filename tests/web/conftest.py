"""One application for all tests of the page, opened on a case that does not depend on the machine."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from outboard.web.app import create
from outboard.web.question import Question

BASE = "http://127.0.0.1"


@pytest.fixture(scope="session", autouse=True)
def day_and_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        data = tmp_path_factory.mktemp("data")
        patch.setenv("OUTBOARD_TODAY", "2026-12-01")
        patch.setenv("OUTBOARD_DATA_DIR", str(data))
        yield data


@pytest.fixture(scope="session")
def client(day_and_data: Path) -> Iterator[TestClient]:
    application = create(usual=Question())
    yield TestClient(application, base_url=BASE, follow_redirects=False)
    application.state.outboard.answers.uploads.close()
