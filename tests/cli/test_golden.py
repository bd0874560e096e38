"""What real commands print, word for word. After a change that is meant: ``make golden``, and read the difference."""

import re
from collections.abc import Callable

import pytest

from tests.cli.conftest import Run

RECORDER = re.compile("recorder [0-9a-f]{12}")  # changes whenever the shipped traces are made again
ZOO = ("zoo:resnet50", "--task", "train")
COMMANDS = {
    "estimate.txt": ("estimate", *ZOO, "--on", "rtx-3060-12gb@tb3"),
    "estimate.es.txt": ("estimate", *ZOO, "--on", "rtx-3060-12gb@tb3", "--lang", "es"),
    "estimate-explain.txt": ("estimate", *ZOO, "--on", "rtx-4090x2@pcie4-x8", "--batch", "64", "--explain"),
    "estimate-too-large.txt": ("estimate", *ZOO, "--on", "rtx-3060-12gb@tb3", "--batch", "512"),
    "estimate-faster.txt": ("estimate", *ZOO, "--on", "rtx-3060-12gb@tb3", "--precision", "amp-fp16", "--faster"),
    "estimate-input.txt": (
        *("estimate", *ZOO, "--on", "rtx-3060-12gb@tb3", "--input-kind", "jpeg", "--workers", "1", "--syncs", "2"),
    ),
    "estimate-curve.txt": ("estimate", *ZOO, "--on", "rtx-3060-12gb@tb3", "--curve", "batch"),
    "estimate-shards.txt": (
        *("estimate", "zoo:llama-3.1-8b", "--precision", "bf16", "--batch", "1", "--on", "a100-sxm4-80gbx8"),
        *("--parallel", "fsdp"),
    ),
    "estimate-offload.txt": (
        *("estimate", "zoo:llama-3.2-3b", "--precision", "bf16", "--batch", "1", "--on", "rtx-3090@tb3"),
        *("--offload", "optimizer", "--ram", "64 GB"),
    ),
    "compare.txt": ("compare", *ZOO, "--on", "rtx-3060-12gb@tb3", "--on", "rtx-3060-12gb@pcie4-x16"),
    "compare-all.txt": ("compare", *ZOO, "--all", "--limit", "5"),
    "devices.txt": ("devices", "--min-vram", "16 GB", "--sort", "bandwidth"),
    "links.txt": ("links", "thunderbolt"),
    "hosts.txt": ("hosts", "framework"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_output_is_what_it_was(name: str, run: Run, golden: Callable[[str, str], None]) -> None:
    answer = run(*COMMANDS[name])
    assert answer.status == (1 if "too-large" in name else 0)
    assert max(map(len, answer.out.splitlines())) <= 80
    golden(name, RECORDER.sub("recorder 0123456789ab", answer.out))
