"""Wrong usage: one clear line on stderr, exit status 2, nothing on stdout."""

import pytest

from tests.cli.conftest import Run

PLACE = ("--on", "rtx-3060-12gb@tb3")
WRONG = {
    "no command of that name": (["estimat"], "No such command 'estimat'. Did you mean 'estimate'?"),
    "no workload": (["estimate"], "WORKLOAD is missing; see: outboard estimate --help"),
    "no such option": (["estimate", "zoo:resnet50", "--onn", "x"], "there is no option --onn; nearest: --on"),
    "option without value": (["estimate", "zoo:resnet50", "--on"], "option --on needs a value"),
    "no place": (["estimate", "zoo:resnet50"], "say where with --on PLACE"),
    "compare nowhere": (["compare", "zoo:resnet50"], "say where with --on PLACE, once for each place, or with --all"),
    "batch 0": (
        ["estimate", "zoo:resnet50", *PLACE, "--batch", "0"],
        "--batch must be a whole number from 1 or 'auto', not '0'",
    ),
    "negative batch": (["estimate", "zoo:resnet50", *PLACE, "--batch", "-3"], "--batch must be a whole number from 1"),
    "batch in words": (["estimate", "zoo:resnet50", *PLACE, "--batch", "many"], "not 'many'"),
    "unknown precision": (
        ["estimate", "zoo:resnet50", *PLACE, "--precision", "fp12"],
        "--precision must be one of fp32, tf32, fp16, bf16, amp-fp16, amp-bf16, fp64, not 'fp12'",
    ),
    "unknown task": (["estimate", "zoo:resnet50", *PLACE, "--task", "dream"], "--task must be one of train, finetune"),
    "a size without unit": (["devices", "--min-vram", "16"], "--min-vram: '16' has no unit"),
    "not a size": (["devices", "--min-vram", "much"], "--min-vram: 'much' is not a quantity in bytes"),
    "unknown language": (["devices", "--lang", "fr"], "--lang must be one of en, es, not 'fr'"),
    "unknown schema": (["schema", "estimat"], "unknown schema 'estimat'"),
}


@pytest.mark.parametrize(("arguments", "message"), WRONG.values(), ids=WRONG)
def test_wrong_usage_is_one_line(run: Run, arguments: list[str], message: str) -> None:
    answer = run(*arguments)
    assert answer.status == 2
    assert answer.out == ""
    assert answer.err.startswith("error: ")
    assert message in answer.err
    assert answer.err.count("\n") == 1


def test_complaints_are_translated(run: Run) -> None:
    assert run("--lang", "es", "estimate").err == "error: falta WORKLOAD; véase: outboard estimate --help\n"
