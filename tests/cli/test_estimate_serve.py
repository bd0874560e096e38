"""``outboard estimate --task serve``."""

import json

import pytest

from tests.cli.conftest import Run

ASKED = ("estimate", "llama-3.1-8b", "--task", "serve", "--on", "rtx-3090@tb3")


def test_the_page_has_rates_watts_and_money(run: Run) -> None:
    answer = run(*ASKED, "--quant", "q4_k_m", "--batch", "4", "--api-price", "2 USD/Mtok")
    text = " ".join(answer.out.split())
    assert answer.status == 0 and text.startswith("Fits in q4_k_m")
    assert "is paid off after" in text and "writes together" in text and "W with the host" in text
    assert "a million written tokens" in text


def test_the_document_has_the_same(run: Run) -> None:
    document = json.loads(run(*ASKED, "--seq-len", "2048", "--quant", "q4_k_m", "--json").out)
    assert document["context"] == 2048 and document["fits"] and document["users"] == 1
    cost = document["cost"]
    assert cost["watts"] > 350 and cost["energy_usd_per_million"] > 0 and cost["api_usd_per_million"] is None


def test_an_api_that_is_cheapest_is_said_to_be(run: Run) -> None:
    answer = run(*ASKED, "--quant", "q4_k_m", "--api-price", "0.001 USD/Mtok", "--electricity", "0.30 EUR/kWh")
    assert "The API is cheapest" in " ".join(answer.out.split())


def test_what_does_not_fit_says_what_does(run: Run) -> None:
    answer = run("estimate", "llama-3.3-70b", "--task", "serve", "--on", "rtx-3090", "--quant", "q4_k_m")
    assert answer.status == 1 and "42 of 80 layers do" in " ".join(answer.out.split())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((*ASKED, "--optimizer", "sgd"), "--optimizer means nothing to --task serve"),
        ((*ASKED, "--faster"), "--faster means nothing to --task serve"),
        ((*ASKED, "--api-price", "2 USD"), "--api-price"),
        ((*ASKED, "--electricity", "2 USD"), "--electricity"),
        (("estimate", "zoo:resnet50", "--on", "rtx-3090", "--quant", "q4_k_m"), "goes with --task serve only"),
        (("estimate", "zoo:resnet50", "--task", "serve", "--on", "rtx-3090"), "unknown language model"),
        (("compare", "zoo:bert-base", "--task", "serve", "--on", "rtx-3090"), "no step to trace"),
    ],
)
def test_mistakes_are_one_clear_line(arguments: tuple[str, ...], said: str, run: Run) -> None:
    answer = run(*arguments)
    assert answer.status == 2 and said in answer.err and "Traceback" not in answer.err
