"""Reading tables: units become SI, and whatever is wrong is one line that says where and what would be right."""

from pathlib import Path

import pytest

from outboard import validation
from outboard.errors import FileError
from outboard.validation.table import ignored
from tests.validation.tables import HEADING, ROWS, written

REFERENCE = Path(__file__).parents[3] / "shared" / "reference"
GOOD = ROWS[0]


def test_rows_arrive_in_si_with_what_was_written(tmp_path: Path) -> None:
    rows = validation.read(written(tmp_path, *ROWS))
    assert [row.quantity for row in rows[:4]] == ["throughput", "step_time", "step_time", "peak_memory"]
    assert rows[1].value == pytest.approx(0.130)
    assert rows[1].written == pytest.approx(130)
    assert rows[3].value == 9.5 * 2**30
    assert (rows[0].line, rows[0].id, rows[0].batch_size, rows[0].text("task")) == (2, "2", 256, "infer")


def test_a_unit_tells_the_quantity_and_a_rate_its_unit(tmp_path: Path) -> None:
    bare = validation.read(written(tmp_path, "zoo:gpt2,t4,12,GB", heading="workload,gpu,value,unit"))[0]
    assert (bare.quantity, bare.value) == ("peak_memory", 12e9)
    rate = validation.read(written(tmp_path, "zoo:gpt2,t4,12,throughput", heading="workload,gpu,value,quantity"))[0]
    assert (rate.unit, rate.si_unit) == ("samples/s", "samples/s")


@pytest.mark.parametrize("separator", [";", "\t"])
def test_spreadsheets_may_separate_otherwise(tmp_path: Path, separator: str) -> None:
    path = written(tmp_path, GOOD.replace(",", separator), heading=HEADING.replace(",", separator))
    assert validation.read(path)[0].gpu == "RTX 3090"


def test_a_byte_order_mark_blank_lines_and_short_lines_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(f"\ufeff{HEADING},note,link\n\n{GOOD}\n,,,,,,,\n", encoding="utf-8")
    assert [row.line for row in validation.read(path)] == [3]


def test_synonyms_are_read_as_the_word_they_stand_for(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        f"{GOOD},channels_last,dynamo,yes".replace("infer", "inference").replace("amp-fp16", "16-mixed"),
        heading=f"{HEADING},memory_format,compiled,grad_checkpointing",
    )
    columns = validation.read(path)[0].columns
    assert (columns["memory_format"], columns["compiled"], columns["grad_checkpointing"]) == ("nhwc", "compiled", "yes")
    assert (columns["task"], columns["precision"]) == ("infer", "amp-fp16")


def test_what_programs_write_for_nothing_is_nothing(tmp_path: Path) -> None:
    path = written(tmp_path, f"{GOOD},nan,N/A,none", heading=f"{HEADING},seq_len,link,optimizer")
    assert validation.read(path)[0].columns == {
        "task": "infer",
        "precision": "amp-fp16",
        "batch_size": "256",
        "optimizer": "none",
    }


def test_a_word_of_an_open_list_stays_as_it_is(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD.replace("amp-fp16", "Q4_K_M"))
    assert validation.read(path)[0].text("precision") == "Q4_K_M"


def test_other_columns_are_left_alone_and_named(tmp_path: Path) -> None:
    path = written(tmp_path, f"{GOOD},blue", heading=f"{HEADING},colour_of_the_case")
    assert len(validation.read(path)) == 1
    assert ignored(path) == ["colour_of_the_case"]


WRONG = {
    "missing column": (HEADING.replace("gpu,", ""), [GOOD.replace("RTX 3090,", "")], "line 1: column gpu is missing"),
    "misspelt column": (HEADING.replace("workload", "worklod"), [GOOD], "perhaps worklod is meant"),
    "nearly known": (HEADING.replace("precision", "precison"), [GOOD], "perhaps precision is meant"),
    "twice": (HEADING.replace("task", "gpu"), [GOOD], "column gpu stands there twice"),
    "neither quantity nor unit": ("workload,gpu,value", ["zoo:gpt2,t4,12"], "column quantity is missing"),
    "unknown quantity": (
        HEADING,
        [GOOD.replace("throughput", "speed")],
        "unknown quantity 'speed'; one of: throughput",
    ),
    "unit of another": (HEADING, [GOOD.replace("images/s", "ms")], "line 2, unit: 'ms' is no unit of throughput"),
    "unit needed": (HEADING, [GOOD.replace("throughput,2900,images/s", "step_time,5,")], "one of: s, ms"),
    "no number": (HEADING, [GOOD, GOOD.replace("2900", "fast")], "line 3, value: 'fast' is not a number"),
    "decimal comma": (HEADING, [GOOD.replace("2900", '"2,9"')], "'2,9' is not a number; write it like 12.5"),
    "negative": (HEADING, [GOOD.replace("2900", "-3")], "line 2, value: -3 cannot have been measured"),
    "zero": (HEADING, [GOOD.replace("2900", "0")], "a number greater than 0"),
    "infinite": (HEADING, [GOOD.replace("2900", "inf")], "inf cannot have been measured"),
    "no value": (HEADING, [GOOD.replace("2900", "")], "line 2, value: is empty"),
    "no workload": (HEADING, [GOOD.replace("zoo:resnet50", "")], "line 2, workload: is empty"),
    "endless name": (HEADING, [GOOD.replace("RTX 3090", "x" * 300)], "line 2, gpu: is too long for a name"),
    "half a batch": (HEADING, [GOOD.replace("256", "2.5")], "batch_size: '2.5' is not a whole number from 1"),
    "no batch": (HEADING, [GOOD.replace("256", "0")], "batch_size: '0' is not a whole number from 1"),
    "too many cells": (HEADING, [GOOD + ",more"], "line 2: has 9 cells, the heading has 8"),
    "unknown word": (
        f"{HEADING},memory_format",
        [GOOD + ",nwhc"],
        "memory_format: 'nwhc' is not known there; one of: nchw",
    ),
    "no rows": (HEADING, [], "holds no measurement"),
    "no CSV": ("{", ["a: 1}"], "is missing; begin with a line like: workload,task"),
    "open quote": (HEADING, ['"zoo:gpt2,' + GOOD], "is no CSV"),
}


@pytest.mark.parametrize(("heading", "rows", "said"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_said_in_one_line(tmp_path: Path, heading: str, rows: list[str], said: str) -> None:
    path = written(tmp_path, *rows, heading=heading)
    with pytest.raises(FileError) as caught:
        validation.read(path)
    assert said in str(caught.value)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"   \n", b"PK\x03\x04\x00\x00", b"\xff\xfe\x00w", b"\x89PNG\r\n\x1a\n"])
def test_what_is_no_table_at_all(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises(FileError, match=r"is (empty|no CSV)|missing"):
        validation.read(path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read: No such file"):
        validation.read(tmp_path / "nowhere.csv")


@pytest.mark.skipif(not REFERENCE.is_dir(), reason="no tables of published measurements beside the checkout")
@pytest.mark.parametrize(
    "name", ["vision_throughput", "training_many_gpus", "precision_sweep", "transformers_fp32", "llm_inference"]
)
def test_published_tables_are_read(name: str) -> None:
    rows = validation.read(REFERENCE / f"{name}.csv")
    assert len({row.id for row in rows}) == len(rows) > 50
