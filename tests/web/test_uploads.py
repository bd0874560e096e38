"""Traces that people bring are data, limited in size, and nothing else."""

import gzip
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from outboard.tracing import zoo
from outboard.web.fields import FieldError
from outboard.web.uploads import MOST, Uploads
from tests.web.pages import read

ORIGIN = {"Origin": "http://127.0.0.1"}


@pytest.fixture(scope="module")
def trace() -> bytes:
    entry = zoo.find("resnet18")
    return entry.path(entry.shipped()[0]).read_bytes()


def test_a_trace_is_forecast_like_any_other(client: TestClient, trace: bytes) -> None:
    state = "have=l4&host=&country=ES&hours=12"
    answer = client.post(
        "/upload", headers=ORIGIN, files={"file": ("C:\\me\\my net<b>.trace", trace)}, data={"state": state}
    )
    assert answer.status_code == 303
    where = answer.headers["location"]
    assert "w=upload%3A" in where
    assert "hours=12" in where
    opened = read(client.get(where).text)
    assert "on l4: Fits" in opened.one("h1").text
    chosen = next(one for one in opened.one("select", id="f-w").every("option") if "selected" in one.attributes)
    assert chosen.text == "my_net_b_.trace"
    assert "outboard estimate my_net_b_.trace" in opened.one("pre").text
    twin = client.get("/plan.json" + where.removeprefix("/")).json()
    assert twin["estimate"]["workload"] == "timm:resnet18"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "choose a file"),
        (b"import os", "is not a trace"),
        (gzip.compress(b"{}"), "is not a trace"),
        (gzip.compress(b'{"format": "outboard trace", "version": 1}\n{}'), "trace"),
        (gzip.compress(b"[" * 200_000), "trace"),
        (gzip.compress(b"\x00" * (65 << 20)), "too large when unpacked"),
    ],
)
def test_anything_else_is_refused_in_one_line(client: TestClient, content: bytes, problem: str) -> None:
    answer = client.post("/upload", headers=ORIGIN, files={"file": ("a.trace", content)})
    assert answer.status_code == 422
    title = read(answer.text).one("h1").text
    assert problem in title
    assert "Traceback" not in answer.text


def test_a_damaged_trace_is_refused(client: TestClient, trace: bytes) -> None:
    for cut in (trace[: len(trace) // 2], trace[:-9] + b"000000000"):
        answer = client.post("/upload", headers=ORIGIN, files={"file": ("a.trace", cut)})
        assert answer.status_code == 422


def test_an_upload_that_is_gone_says_so(client: TestClient) -> None:
    answer = client.get("/?w=upload:0123456789abcdef")
    assert answer.status_code == 422
    assert "bring it again" in answer.text


@pytest.mark.parametrize("name", ["upload:../../../etc/passwd", "upload:", "upload:*"])
def test_no_name_leads_out_of_the_folder(client: TestClient, name: str) -> None:
    assert client.get("/", params={"w": name}).status_code == 422


def test_the_oldest_go_first_and_all_go_in_the_end(trace: bytes) -> None:
    uploads = Uploads()
    body = gzip.decompress(trace)
    names = [uploads.add(gzip.compress(body, 1, mtime=stamp), "a.trace") for stamp in range(MOST + 1)]
    assert len(uploads.every()) == MOST
    with pytest.raises(FieldError, match="bring it again"):
        uploads.workload(names[0])
    folder = Path(uploads.workload(names[-1])).parent
    assert len(list(folder.iterdir())) == MOST
    uploads.close()
    assert not folder.exists()
