"""The page in a real Chromium: every control, keyboard, no scripts, dark, print, phone, accessibility."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
AXE = Path(__file__).parent / "vendor" / "axe.min.js"
STATE = "w=zoo%3Aresnet50&task=train&precision=amp-fp16&have=rtx-3060-12gb%40tb3&host=&hours=20&months=24&country=ES"
VIEWS = (f"/?{STATE}", "/llm?on=rtx-3060-12gb%40tb3", "/machine", "/runs")
SERIOUS = {"serious", "critical"}
PATIENCE = 15_000  # [ms]

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
if not Path(CHROMIUM).exists():
    pytest.skip("there is no chromium on this machine", allow_module_level=True)


@pytest.fixture(scope="module")
def site(day_and_data: Path) -> Iterator[str]:
    """The real program, on a free port."""
    environment = {**os.environ, "LANGUAGE": "en", "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-c", "import sys; from outboard.cli import main; sys.exit(main())"]
    process = subprocess.Popen(
        [*command, "serve", "--port", "0", "--json"], stdout=subprocess.PIPE, text=True, env=environment
    )
    try:
        assert process.stdout is not None
        yield json.loads("".join(process.stdout.readline() for _line in range(3)))["address"].rstrip("/")
    finally:
        process.terminate()
        process.communicate(timeout=20)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as tool:
        opened = tool.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


@contextmanager
def tab(browser: Any, site: str, **options: Any) -> Iterator[Any]:
    """A page of its own; whatever it complains of or asks of others fails the test."""
    said = {"viewport": {"width": 1280, "height": 900}, "locale": "en-GB", **options}
    context = browser.new_context(**said)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    troubles: list[str] = []
    page.on("console", lambda one: troubles.append(one.text) if one.type == "error" else None)
    page.on("pageerror", lambda one: troubles.append(str(one)))
    page.on("request", lambda one: None if one.url.startswith((site, "data:")) else troubles.append(one.url))
    try:
        yield page
        # A question that is replaced while under way, or refused, is no trouble; it is noted all the same.
        assert [one for one in troubles if "422" not in one and not one.startswith("htmx:")] == []
    finally:
        context.close()


def until(page: Any, condition: str) -> None:
    """Wait for a condition. The policy of the page forbids Playwright's own way, which makes code of text there."""
    end = time.monotonic() + PATIENCE / 1000
    while not page.evaluate(condition):
        assert time.monotonic() < end, condition
        page.wait_for_timeout(20)


def settled(page: Any, plan: bool = True) -> None:
    """Wait until the answer stands, with ``plan`` until the plan does too."""
    busy = ".htmx-request, .htmx-swapping, .htmx-settling, #plan.pending" if plan else "#answer.htmx-request"
    until(page, f"!document.querySelector('{busy}')")


def drawn(page: Any) -> int:
    """Scroll through the page until every chart is there."""
    for place in page.locator("figure.chart").all():
        place.scroll_into_view_if_needed()
        place.locator(".draw svg").first.wait_for()
    return page.locator("figure.chart .draw svg").count()


CONTROLS = (
    ("f-w", "zoo:gpt2"),
    ("f-task", "infer"),
    ("f-precision", "fp32"),
    ("f-batch", "4"),
    ("f-size", "1024"),
    ("f-copy", "overlapped"),
    ("f-have", "l4, rtx-3090@tb4"),
    ("f-host", "framework-16"),
    ("f-os", "linux"),
    ("f-beside", "t4"),
    ("f-at", "rtx-3090@tb4"),
    ("f-months", "12"),
    ("f-samples", "50000"),
    ("f-epochs", "2"),
    ("f-runs", "3"),
    ("f-country", "DE"),
    ("f-budget", "900 EUR"),
    ("f-electricity", "0.30 EUR/kWh"),
    ("f-own_hour", "5 EUR/h"),
    ("f-goal", "soonest"),
    ("f-cloud", "yes"),
    ("f-cloud", "no"),
    ("f-leave", "no"),
    ("f-carry", "yes"),
    ("f-task", "train"),
    ("f-optimizer", "sgd"),
    ("f-accumulate", "4"),
)


def test_every_control_recomputes_and_the_address_follows(browser: Any, site: str) -> None:
    with tab(browser, site) as page:
        page.goto(f"{site}/?{STATE}&cloud=no")  # fewer places, so that each plan is quick
        page.eval_on_selector_all("#ask details", "all => all.forEach(one => one.open = true)")
        for control, value in CONTROLS:
            before = page.locator("#answer").text_content()  # with what is folded, the two files among it
            field = page.locator(f"#{control}")
            name = field.get_attribute("name")
            with page.expect_response(lambda one: "/?" in one.url) as answered:
                if field.evaluate("one => one.tagName") == "SELECT":
                    field.select_option(value)
                else:
                    field.fill(value)
                    field.press("Tab")
            assert answered.value.status == 200, control
            settled(page, plan=False)
            until(page, f"location.search.includes('{name}=')")
            assert page.locator("#answer").text_content() != before, control
        settled(page)
        told = page.locator("#verdict").inner_text()
        page.reload()
        assert page.locator("#verdict").inner_text() == told, "the address is the state"


def test_the_slider_moves_the_verdict_and_back_undoes_it(browser: Any, site: str) -> None:
    with tab(browser, site) as page:
        page.goto(f"{site}/?{STATE}")
        first = page.locator("#verdict").inner_text()
        slider = page.locator("#f-hours")
        slider.focus()
        with page.expect_response(lambda one: "/plan?" in one.url):
            for _step in range(3):
                page.keyboard.press("PageUp")
        settled(page)
        assert page.locator("#o-hours").inner_text() == slider.input_value() != "20"
        assert page.locator("#verdict").inner_text() != first
        assert page.evaluate("document.activeElement.id") == "f-hours", "focus stays where it was"
        page.go_back()
        until(page, "document.querySelector('#f-hours').value === '20'")
        assert page.locator("#verdict").inner_text() == first


def test_the_keyboard_alone_is_enough(browser: Any, site: str) -> None:
    with tab(browser, site) as page:
        page.goto(f"{site}/?{STATE}")
        page.keyboard.press("Tab")
        assert page.locator(":focus").inner_text() == "Skip to the answer"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "verdict"
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") == "f-w"
        with page.expect_response(lambda one: "/?" in one.url and "resnet18" in one.url):
            page.keyboard.press("ArrowDown")
        settled(page)
        assert "ResNet-18" in page.locator("h1").inner_text()
        assert page.evaluate("document.activeElement.id") == "f-w"
        seen = []
        for _step in range(60):
            page.keyboard.press("Tab")
            seen.append(page.evaluate("document.activeElement.tagName + ':' + document.activeElement.className"))
            outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert outline != "none" or "BODY" in seen[-1], seen[-1]
        assert any(one.startswith("SUMMARY") for one in seen)
        page.locator("#answer summary").first.focus()
        page.keyboard.press("Enter")
        assert page.locator("#answer details").first.evaluate("one => one.open")


def test_open_folds_stay_open_after_a_change(browser: Any, site: str) -> None:
    with tab(browser, site) as page:
        page.goto(f"{site}/?{STATE}")
        page.locator("#answer details.tree > summary").first.click()
        page.locator("#f-batch").fill("8")
        page.locator("#f-batch").press("Tab")
        settled(page)
        until(page, "document.querySelector('#answer details.tree').open")


def test_a_wrong_value_is_marked_where_it_stands(browser: Any, site: str) -> None:
    with tab(browser, site) as page:
        page.goto(f"{site}/?{STATE}")
        page.locator("#f-budget").evaluate("one => one.closest('details').open = true")
        page.locator("#f-budget").fill("a lot")
        page.locator("#f-budget").press("Tab")
        page.locator("#verdict.wrong").wait_for()
        assert "budget" in page.locator("h1").inner_text()
        assert page.locator("#f-budget").get_attribute("aria-invalid") == "true"
        page.locator("#f-budget").fill("900 EUR")
        page.locator("#f-budget").press("Tab")
        page.locator("#verdict:not(.wrong)").wait_for()
        assert page.locator("#f-budget").get_attribute("aria-invalid") is None


def test_charts_are_drawn_by_the_browser_in_both_themes(browser: Any, site: str) -> None:
    colours = {}
    for scheme in ("light", "dark"):
        with tab(browser, site, color_scheme=scheme) as page:
            page.goto(f"{site}/?{STATE}")
            assert drawn(page) == 5
            text = page.locator("#chart-link .draw svg text").first
            colours[scheme] = (
                page.evaluate("getComputedStyle(document.body).backgroundColor"),
                text.evaluate("one => getComputedStyle(one).fill"),
            )
    assert colours["light"][0] != colours["dark"][0]
    assert colours["light"][1] != colours["dark"][1]


@pytest.mark.parametrize("language", ["en", "es"])
def test_it_works_without_scripts(browser: Any, site: str, language: str) -> None:
    with tab(browser, site, java_script_enabled=False, locale=language) as page:
        page.goto(f"{site}/?{STATE}")
        page.locator("#f-hours").evaluate("one => one.value = '60'")
        page.locator("#ask button[type=submit]").click()
        assert "hours=60" in page.url
        assert page.locator("html").get_attribute("lang") == language
        assert page.locator("p.advice").inner_text()
        images = page.locator("figure.chart img")
        assert images.count() == 5
        for image in images.all():
            image.scroll_into_view_if_needed()
            image.evaluate("one => one.decode()")
            assert image.evaluate("one => one.naturalWidth") > 300


@pytest.mark.parametrize("language", ["en", "es"])
def test_nothing_is_wider_than_a_phone(browser: Any, site: str, language: str) -> None:
    with tab(browser, site, viewport={"width": 390, "height": 800}, locale=language, has_touch=True) as page:
        for view in VIEWS:
            page.goto(site + view)
            if page.locator("figure.chart").count():
                drawn(page)
            page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
            wide = page.evaluate(
                "[...document.querySelectorAll('body *')].filter(one => one.getBoundingClientRect().right > 391 &&"
                " !one.closest('.scroll, pre')).map(one => one.outerHTML.slice(0, 200)).slice(-3)"
            )
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, (view, wide)


def test_it_prints_without_its_form_and_with_its_folds_open(browser: Any, site: str, tmp_path: Path) -> None:
    with tab(browser, site) as page:
        page.goto(f"{site}/?{STATE}")
        drawn(page)
        page.evaluate(
            "addEventListener('beforeprint', () => { window.opened ="
            " [...document.querySelectorAll('main details')].every(one => one.open); })"
        )
        page.emulate_media(media="print")
        assert not page.locator("#ask").is_visible()
        assert page.locator("#verdict").is_visible()
        written = tmp_path / "page.pdf"
        page.pdf(path=written)
        assert written.read_bytes().startswith(b"%PDF")
        assert written.stat().st_size > 50_000
        assert page.evaluate("window.opened") is True


def test_a_trace_is_brought_and_forecast(browser: Any, site: str) -> None:
    from outboard.tracing import zoo

    entry = zoo.find("resnet18")
    with tab(browser, site) as page:
        page.goto(f"{site}/?{STATE}&lang=es")
        page.locator("#file").set_input_files(entry.path(entry.shipped()[0]))
        page.locator("form.upload button").click()
        page.wait_for_url("**upload%3A**")
        assert page.locator("html").get_attribute("lang") == "es"
        assert page.locator("#f-w option:checked").inner_text().endswith(".trace")


def test_the_view_of_language_models_recomputes(browser: Any, site: str) -> None:
    with tab(browser, site) as page:
        page.goto(f"{site}/llm?on=rtx-3060-12gb%40tb3")
        for control, value in (
            ("f-context", "32768"),
            ("f-users", "4"),
            ("f-cache", "q8_0"),
            ("f-on", "l4"),
            ("f-quant", "q4_k_m"),
            ("f-model", "qwen3-14b"),
        ):
            before = page.locator("#answer").inner_text()
            field = page.locator(f"#{control}")
            with page.expect_response(lambda one: "/llm?" in one.url):
                if field.evaluate("one => one.tagName") == "SELECT":
                    field.select_option(value)
                else:
                    field.fill(value)
                    field.press("Tab")
            settled(page)
            assert page.locator("#answer").inner_text() != before, control


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(browser: Any, site: str, scheme: str) -> None:
    source = AXE.read_text(encoding="utf-8")
    with tab(browser, site, color_scheme=scheme) as page:
        for view in (*VIEWS, "/?hours=x") if scheme == "light" else VIEWS[:1]:
            page.goto(site + view)
            if page.locator("figure.chart").count():
                drawn(page)
            page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
            page.evaluate(source)
            found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
            told = [
                (one["id"], one["nodes"][0]["html"][:160], one["nodes"][0].get("failureSummary", "")[:300])
                for one in found
                if one["impact"] in SERIOUS
            ]
            assert told == [], view
