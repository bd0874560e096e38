"""``outboard validate`` as people meet it."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from outboard import schema
from tests.cli.conftest import Run
from tests.validation.tables import HEADING, ROWS, written


@pytest.fixture
def table(tmp_path: Path) -> str:
    return str(written(tmp_path, *ROWS))


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_page(run: Run, table: str, golden: Callable[[str, str], None], language: str) -> None:
    answer = run("validate", table, "--lang", language)
    assert (answer.status, answer.err) == (0, "")
    assert max(map(len, answer.out.splitlines())) <= 80
    golden(f"validate{'' if language == 'en' else '.es'}.txt", answer.out)


def test_the_document_satisfies_its_schema_and_is_never_translated(run: Run, table: str) -> None:
    answer = run("validate", table, "--json", "--group-by", "gpu")
    document = json.loads(answer.out)
    jsonschema.validate(document, schema.load("validate"))
    assert document == json.loads(run("validate", table, "--json", "--group-by", "gpu", "--lang", "es").out)
    assert (document["overall"]["rows"], document["overall"]["covered"]) == (6, 4)
    assert sum(group["rows"] for group in document["groups"]) == 6
    unknown = next(group for group in document["groups"] if group["name"] == "l40s")
    assert (unknown["covered"], unknown["median_ape"], unknown["band_coverage"]) == (0, None, None)
    assert [one["id"] for one in document["uncovered"]] == ["6", "7"]
    assert document["resolved"][0]["workload"] == "zoo:bert-large"


def test_the_csv_has_a_line_for_each_row_in_the_units_of_the_table(run: Run, table: str, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    assert run("validate", table, "--csv", str(out)).status == 0
    with out.open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert list(lines[0])[:8] == ["id", "forecast", "low", "high", "measured", "error", "inside", "reason"]
    assert [float(line["measured"]) for line in lines] == [2900, 130, 40, 9.5, 100, 100]
    assert float(lines[1]["forecast"]) / 130 - 1 == pytest.approx(float(lines[1]["error"]), rel=1e-5)
    assert lines[4]["forecast"] == "" and "language model" in lines[4]["reason"]


def test_a_sample_is_the_same_each_time_and_says_so(run: Run, table: str) -> None:
    asked = ("validate", table, "--sample", "3", "--seed", "7", "--json")
    document = json.loads(run(*asked).out)
    assert document == json.loads(run(*asked).out)
    assert (document["overall"]["rows"], document["rows_in_table"]) == (3, 6)
    assert "3 of the 6 rows of the table were drawn" in " ".join(run(*asked[:-1]).out.split())


def test_nothing_covered_is_a_clear_no(run: Run, tmp_path: Path) -> None:
    answer = run("validate", str(written(tmp_path, *ROWS[4:])))
    assert answer.status == 1
    assert answer.out.startswith("None of 2 rows is covered.")


def test_a_bad_table_is_one_line(run: Run, tmp_path: Path) -> None:
    answer = run("validate", str(written(tmp_path, ROWS[0].replace("2900", "fast"))))
    assert (answer.status, answer.out) == (2, "")
    assert "line 2, value: 'fast' is not a number" in answer.err
    assert len(answer.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--group-by", "colour"), "--group-by must be one of task, gpu, precision, family"),
        (("--sample", "0"), "--sample must be a whole number from 1"),
        (("--jobs", "none"), "--jobs must be a whole number from 1"),
        (("--csv", "/nowhere/out.csv"), "--csv: there is no folder /nowhere"),
    ],
)
def test_wrong_options(run: Run, table: str, arguments: tuple[str, ...], said: str) -> None:
    answer = run("validate", table, *arguments)
    assert answer.status == 2
    assert said in answer.err


def test_another_column_is_named_and_left_alone(run: Run, tmp_path: Path) -> None:
    answer = run("validate", str(written(tmp_path, f"{ROWS[0]},blue", heading=f"{HEADING},colour_of_the_case")))
    assert answer.status == 0
    assert "column colour_of_the_case means nothing here" in answer.err


def test_an_interruption_says_how_to_go_on(run: Run, table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("outboard.validation.predict", interrupted)
    answer = run("validate", table)
    assert answer.status == 130
    assert "interrupted after 0 of 6 rows" in answer.err
