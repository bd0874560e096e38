"""Spanish and English: from the browser, from the address, and never mixed."""

import pytest
from starlette.testclient import TestClient

from tests.web.pages import read


@pytest.mark.parametrize(
    ("header", "query", "language"),
    [
        ("es-MX,es;q=0.9", "", "es"),
        ("de,en;q=0.5", "", "en"),
        ("es", "?lang=en", "en"),
        ("en", "?lang=es", "es"),
        ("en", "?lang=klingon", "en"),
    ],
)
@pytest.mark.parametrize("path", ["/", "/llm", "/machine", "/runs"])
def test_the_language_is_the_browsers_unless_the_address_says_another(
    client: TestClient, path: str, header: str, query: str, language: str
) -> None:
    answer = client.get(path + query, headers={"Accept-Language": header})
    assert answer.headers["content-language"] == language
    assert read(answer.text).one("html").attributes["lang"] == language
    assert "Accept-Language" in answer.headers["vary"]


def test_a_page_in_one_language_leaves_no_word_in_the_next(client: TestClient) -> None:
    query = "w=zoo:gpt2&task=train&precision=amp-fp16&hours=21"
    english, spanish = client.get(f"/?{query}&lang=en").text, client.get(f"/?{query}&lang=es").text
    assert client.get(f"/?{query}&lang=en").text == english
    assert "Cabe" in read(spanish).one("h1").text
    assert "Fits" in read(english).one("h1").text
    assert "Cabe" not in english


def test_numbers_and_money_are_written_as_in_the_language(client: TestClient) -> None:
    spanish = read(client.get("/?lang=es").text)
    money = [one.text for one in spanish.every("td", class_="n opt") if "€" in one.text]
    assert money
    assert all(one.endswith("€") for one in money)
    english = read(client.get("/?lang=en").text)
    assert all(one.text.startswith("€") for one in english.every("td", class_="n opt") if "€" in one.text)


def test_a_language_that_was_chosen_stays_in_the_links(client: TestClient) -> None:
    spanish = read(client.get("/?hours=12&lang=es").text)
    switch = spanish.one("p", id="languages")
    assert {one.attributes["href"] for one in switch.every("a")} == {"?hours=12&lang=en", "?hours=12&lang=es"}
    assert spanish.one("form", id="ask").one("input", name="lang").attributes["value"] == "es"
    assert all("lang=es" in one.attributes["href"] for one in spanish.one("nav").every("a"))


def test_errors_are_told_in_the_language(client: TestClient) -> None:
    said = {code: read(client.get(f"/?batch=none&lang={code}").text).one("html") for code in ("en", "es")}
    assert {code: one.attributes["lang"] for code, one in said.items()} == {"en": "en", "es": "es"}
