"""``outboard estimate`` with --make-it-fit, --max-batch and --max-seq-len."""

import json
from pathlib import Path

import jsonschema
import pytest

from outboard import schema
from tests.cli.conftest import Run

TRAINING = ("estimate", "zoo:resnet50", "--task", "train", "--on", "rtx-3060-12gb@tb3")
CONFIG = {
    "model_type": "gpt2", "n_embd": 64, "n_layer": 1, "n_head": 4, "vocab_size": 500, "n_positions": 128,
}  # fmt: skip


def test_every_change_is_listed_with_what_it_saves_and_costs(run: Run) -> None:
    answer = run(*TRAINING, "--batch", "512", "--make-it-fit")
    assert answer.status == 1
    head, first = answer.out.split("\n\n")[1].splitlines()[:2]
    assert head.split() == ["change", "saves", "time"]
    assert "accumulation steps" in first
    assert "not enough alone" in answer.out


def test_the_list_is_in_the_document_too(run: Run) -> None:
    document = json.loads(run(*TRAINING, "--batch", "512", "--make-it-fit", "--json").out)
    jsonschema.validate(document, schema.load("estimate"))
    assert document["remedies"][0]["fits"] and document["remedies"][0]["saved_bytes"] > 0


def test_the_largest_batch_is_one_number(run: Run) -> None:
    answer = run(*TRAINING, "--max-batch")
    assert answer.status == 0
    whole = json.loads(run(*TRAINING, "--json").out)
    assert int(answer.out) == whole["batch"]["safe_max"]
    assert json.loads(run(*TRAINING, "--max-batch", "--json").out)["max_batch"] == int(answer.out)


def test_the_longest_sequence_is_one_line(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    (tmp_path / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    asked = ("estimate", f"hf:{tmp_path}", "--on", "rtx-3060-12gb", "--seq-len", "64", "--batch", "4", "--max-seq-len")
    assert run(*asked).out == "128 tokens at batch 4; the model takes no longer ones\n"
    assert json.loads(run(*asked, "--json").out)["max_seq_len"] == 128


def test_images_have_no_longest_sequence_and_one_question_is_asked_at_a_time(run: Run) -> None:
    answer = run(*TRAINING, "--max-seq-len")
    assert answer.status == 2 and "reads no sequences" in answer.err
    answer = run(*TRAINING, "--max-seq-len", "--max-batch")
    assert answer.status == 2 and "choose one of" in answer.err
