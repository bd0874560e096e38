"""``outboard fit-llm``."""

import json

import pytest

from outboard.cli import fit_llm
from outboard.perf.serving.quantisation import BITS, MIXES
from tests.cli.conftest import Run

ON = ("--on", "rtx-3060-12gb@tb3")


def test_every_quantisation_that_the_option_takes_is_known() -> None:
    assert set(fit_llm.QUANTISATIONS) <= set(MIXES) and set(fit_llm.CACHES) <= set(BITS)


def test_the_list_says_how_many_fit_and_which_is_the_largest(run: Run) -> None:
    answer = run("fit-llm", *ON)
    assert answer.status == 0
    assert " of 42 models fit on rtx-3060-12gb@tb3" in " ".join(answer.out.split())
    assert "Llama 3.1 8B" in answer.out and "DeepSeek-V3" not in answer.out


def test_one_model_is_shown_in_every_quantisation(run: Run) -> None:
    answer = run("fit-llm", "llama-3.1-8b", *ON, "--rate", "5")
    assert answer.status == 0 and answer.out.startswith("Fits in q8_0")
    assert "does not fit" in answer.out and "users at once with 5 tokens/s" in " ".join(answer.out.split())


def test_what_fits_nowhere_is_a_clear_no(run: Run) -> None:
    answer = run("fit-llm", "llama-3.1-405b", *ON)
    assert answer.status == 1 and answer.out.startswith("Does not fit")


def test_the_document_has_bytes_and_bands(run: Run) -> None:
    document = json.loads(run("fit-llm", "qwen2.5-7b", *ON, "--quant", "q4_k_m", "--json").out)
    [one] = document["models"]
    assert one["fits"] and one["required_bytes"] < one["room_bytes"]
    assert one["decode"]["low"] < one["decode"]["value"] < one["decode"]["high"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "--on PLACE"),
        ((*ON, "--rate", "5"), "--rate"),
        (("llama-3.1-9b", *ON), "llama-3.1-8b"),
        ((*ON, "--quant", "q9"), "--quant"),
        ((*ON, "--context", "0"), "--context"),
    ],
)
def test_mistakes_are_one_clear_line(arguments: tuple[str, ...], said: str, run: Run) -> None:
    answer = run("fit-llm", *arguments)
    assert answer.status == 2 and said in answer.err
