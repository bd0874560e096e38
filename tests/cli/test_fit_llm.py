"""``outboard fit-llm``."""

import json
from pathlib import Path

import pytest

from outboard.cli import serving_options
from outboard.perf.serving.quantisation import BITS, MIXES
from tests.cli.conftest import Run
from tests.gguf.writer import llama, write

ON = ("--on", "rtx-3060-12gb@tb3")


def test_every_quantisation_that_the_option_takes_is_known() -> None:
    assert set(serving_options.QUANTISATIONS) <= set(MIXES) and set(serving_options.CACHES) <= set(BITS)


def test_the_list_says_how_many_fit_and_which_is_the_largest(run: Run) -> None:
    answer = run("fit-llm", *ON)
    assert answer.status == 0
    assert " of 42 models fit on rtx-3060-12gb@tb3" in " ".join(answer.out.split())
    assert "Llama 3.1 8B" in answer.out and "DeepSeek-V3" not in answer.out


def test_one_model_is_shown_in_every_quantisation(run: Run) -> None:
    answer = run("fit-llm", "llama-3.1-8b", *ON, "--rate", "5")
    assert answer.status == 0 and answer.out.startswith("Fits in q8_0")
    assert "22/32: " in answer.out and "users at once with 5 tokens/s" in " ".join(answer.out.split())


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


def words(text: str) -> str:
    return " ".join(text.split())


def test_what_fits_in_part_says_how_much_of_it_and_how_fast(run: Run) -> None:
    answer = run("fit-llm", "llama-3.3-70b", "--on", "rtx-3090@tb3")
    assert answer.status == 1
    assert "42 of 80 layers fit in q4_k_m, the rest on the processor: about" in words(answer.out)
    assert "assumed: --host-bandwidth" in words(answer.out)


def test_layers_on_the_gpu_can_be_chosen(run: Run) -> None:
    asked = ("fit-llm", "llama-3.1-8b", *ON, "--quant", "q8_0", "--host-bandwidth", "40 GB/s", "--json")
    [all_of_them], [some] = (json.loads(run(*asked, *more).out)["models"] for more in ((), ("--layers-on-gpu", "20")))
    assert some["required_bytes"] < all_of_them["required_bytes"] and some["host_bytes"] > all_of_them["host_bytes"]
    assert some["decode"]["value"] < all_of_them["decode"]["value"] and some["layers"] == 32


def test_the_curve_and_the_draft_are_shown_and_told(run: Run) -> None:
    asked = ("fit-llm", "qwen2.5-14b", *ON, "--quant", "q8_0", "--curve", "--draft", "qwen2.5-0.5b")
    answer = run(*asked)
    assert "on the host" in answer.out and "0/48" in answer.out and "as a draft" in answer.out
    document = json.loads(run(*asked, "--json").out)
    assert document["curve"][0]["layers_on_gpu"] == 0 and document["draft"]["acceptance"] == 0.7


def test_several_gpus_share_every_layer(run: Run) -> None:
    asked = ("fit-llm", "llama-3.3-70b", "--on", "rtx-3090x2", "--quant", "q4_k_m")
    turn, shared = (json.loads(run(*asked, "--split", way, "--json").out)["models"][0] for way in ("layer", "tensor"))
    assert turn["decode"]["value"] < shared["decode"]["value"]
    assert "every layer shared by 2 GPUs" in words(run(*asked, "--split", "tensor").out)


def test_experts_stay_on_the_host(run: Run) -> None:
    answer = run("fit-llm", "qwen3-30b-a3b", *ON, "--experts-on-host", "--quant", "q4_k_m")
    assert answer.status == 0 and "experts on the host" in words(answer.out)


def test_this_machine_is_asked_with_auto(run: Run) -> None:
    answer = run("fit-llm", "qwen2.5-0.5b", "--on", "auto", "--quant", "q4_k_m", "--json")
    assert answer.status == 0 and json.loads(answer.out)["place"]


def test_a_model_file_is_asked_about_by_its_path(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "tiny.gguf", *llama())
    answer = run("fit-llm", f"gguf:{path}", *ON)
    assert answer.status == 0 and answer.out.startswith("Fits in q4_k_m: Tiny")
    path.write_bytes(path.read_bytes()[:100])
    answer = run("fit-llm", f"gguf:{path}", *ON)
    assert answer.status == 2 and "tiny.gguf" in answer.err and "Traceback" not in answer.err
