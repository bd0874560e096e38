"""Who may ask, under which name, and what a browser may do with the answer."""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from outboard.errors import OutsideError, UsageError
from outboard.web import server
from outboard.web.app import create
from outboard.web.guard import COOKIE, Rules
from outboard.web.question import Question
from outboard.web.uploads import LARGEST

TOKEN = "a-token-that-nobody-guesses"


@pytest.fixture(scope="module")
def locked() -> Iterator[TestClient]:
    rules = Rules(frozenset({"box.example", "127.0.0.1"}), TOKEN)
    application = create(rules, Question())
    yield TestClient(application, base_url="http://box.example:8765", follow_redirects=False)
    application.state.outboard.answers.uploads.close()


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8765", "localhost:8765", "LOCALHOST", "[::1]:8765"])
def test_the_names_of_this_machine_are_answered(client: TestClient, host: str) -> None:
    assert client.get("/runs", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "evil.example:8765", "127.0.0.1:x", ""])
def test_another_name_that_points_here_is_refused(client: TestClient, host: str) -> None:
    assert client.get("/runs", headers={"Host": host}).status_code == 421
    assert client.get("/static/page.css", headers={"Host": host}).status_code == 421


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "null"},
        {"Origin": "http://evil.example"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Origin": "http://127.0.0.1", "Sec-Fetch-Site": "cross-site"},
    ],
)
def test_a_form_of_another_site_is_refused(client: TestClient, headers: dict[str, str]) -> None:
    assert client.post("/upload", headers=headers, files={"file": ("a.trace", b"x")}).status_code == 403


def test_every_answer_carries_the_headers(client: TestClient) -> None:
    for path in ("/", "/static/page.css", "/nothing", "/?hours=x", "/plan.json"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"


def test_no_page_holds_a_script_or_style_of_its_own(client: TestClient) -> None:
    for path in ("/", "/llm", "/machine", "/runs", "/?hours=x"):
        text = client.get(path).text
        assert "<style" not in text
        assert " style=" not in text
        assert " onclick" not in text
        scripts = [part.partition(">")[0] for part in text.split("<script")[1:]]
        assert all("src=" in one for one in scripts)


def test_no_page_names_another_machine(client: TestClient) -> None:
    import re

    for path in ("/", "/llm", "/machine", "/runs"):
        text = client.get(path).text
        loaded = re.findall(r'(?:src|href|srcset|action|hx-get)="([^"]*)"', text)
        assert loaded
        assert all(one.startswith(("/", "?", "#")) and not one.startswith("//") for one in loaded)


def test_without_the_token_nothing_is_told(locked: TestClient) -> None:
    for path in ("/", "/plan.json", "/static/page.css", "/?token=wrong", "/runs.json"):
        assert locked.get(path).status_code == 401
    assert locked.get("/", headers={"Cookie": f"{COOKIE}=wrong"}).status_code == 401


def test_the_token_becomes_a_cookie_and_leaves_the_address(locked: TestClient) -> None:
    answer = locked.get(f"/llm?on=l4&token={TOKEN}")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/llm?on=l4"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    locked.cookies.clear()
    assert locked.get("/llm?on=l4", headers={"Cookie": f"{COOKIE}={TOKEN}"}).status_code == 200


def test_only_this_machine_needs_no_token() -> None:
    assert server.rules("127.0.0.1", None).token == ""
    assert server.rules("localhost", None).token == ""
    assert len(server.rules("192.168.1.5", None).token) >= 32
    assert server.rules("0.0.0.0", None).token != server.rules("0.0.0.0", None).token
    assert server.rules("192.168.1.5", TOKEN).token == TOKEN
    assert "192.168.1.5" in server.rules("192.168.1.5", None).hosts


def test_a_short_token_is_refused() -> None:
    with pytest.raises(UsageError, match="16 characters"):
        server.rules("0.0.0.0", "secret")


def test_the_token_is_not_in_what_rules_print() -> None:
    assert TOKEN not in repr(server.rules("0.0.0.0", TOKEN))


def test_a_port_in_use_is_one_clear_line() -> None:
    first = server.listen("127.0.0.1", 0)
    try:
        with pytest.raises(OutsideError, match="--port"):
            server.listen("127.0.0.1", first.getsockname()[1])
    finally:
        first.close()


def test_too_much_is_refused_by_what_it_says_and_by_what_it_is(client: TestClient) -> None:
    headers = {"Origin": "http://127.0.0.1"}
    large = b"x" * (LARGEST + (1 << 20))
    assert client.post("/upload", headers=headers, files={"file": ("a.trace", large)}).status_code == 413

    def chunks() -> Iterator[bytes]:
        yield b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.trace"\r\n\r\n'
        for _piece in range(80):
            yield b"x" * 65536
        yield b"\r\n--b--\r\n"

    typed = {**headers, "Content-Type": "multipart/form-data; boundary=b"}
    assert client.post("/upload", headers=typed, content=chunks()).status_code == 413


def test_a_long_address_is_refused(client: TestClient) -> None:
    assert client.get("/?have=" + "l4," * 4000).status_code == 414


@pytest.mark.parametrize("path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static/vendor/../../guard.py"])
def test_static_files_stay_in_their_folder(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404
