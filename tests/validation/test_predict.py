"""Predictions: the product's own numbers, shared traces, and a run that carries on."""

from pathlib import Path

import pytest

import outboard as ob
from outboard import validation
from outboard.errors import JobError
from outboard.tracing import trace
from outboard.types.job import Job
from outboard.types.trace import Trace
from outboard.validation.cases import prepared
from outboard.validation.journal import Journal, key
from tests.validation.made import measurement
from tests.validation.tables import ROWS, written


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return written(tmp_path, *ROWS)


def test_forecasts_are_those_of_estimate(table: Path) -> None:
    found = validation.predict(validation.prepare(validation.read(table)))
    infer = ob.estimate(
        "zoo:resnet50", "rtx-3090", task="infer", precision="amp-fp16", batch_size=256, input_copy="resident"
    )
    train = ob.estimate(
        "zoo:resnet50", "rtx-4090", task="train", precision="amp-fp16", batch_size=128, input_copy="resident"
    )
    memory = ob.estimate("zoo:gpt2", "a10", task="train", precision="amp-fp16", batch_size=8, input_copy="resident")
    terms = (infer.step.throughput, train.step.seconds, None, memory.memory.peak)
    for one, term in zip(found, terms, strict=False):
        if term is not None:
            assert (one.outcome.forecast, one.outcome.low, one.outcome.high) == (term.value, term.low, term.high)


def test_a_rate_without_a_batch_is_that_of_the_batch_that_estimate_chooses() -> None:
    case = prepared(measurement(batch_size=None))
    chosen = ob.estimate("zoo:resnet50", "rtx-3090", task="train", input_copy="resident")
    assert validation.predict([case])[0].outcome.forecast == chosen.step.throughput.value


def test_tokens_are_samples_times_their_length() -> None:
    columns = {"task": "train", "seq_len": "512"}
    samples = measurement(workload="zoo:gpt2", columns=columns)
    tokens = measurement(workload="zoo:gpt2", columns=columns, unit="tokens/s", si_unit="tokens/s")
    one, other = validation.predict([prepared(samples), prepared(tokens)])
    assert one.outcome.forecast is not None
    assert other.outcome.forecast == pytest.approx(512 * one.outcome.forecast)


def test_without_the_update_a_step_is_shorter() -> None:
    columns = {"quantity": "step_time"}
    made = [prepared(measurement(quantity="step_time", columns={"optimizer": name})) for name in ("sgd", "none")]
    with_update, without = validation.predict(made)
    assert columns and with_update.outcome.forecast is not None and without.outcome.forecast is not None
    assert without.outcome.forecast < with_update.outcome.forecast


@pytest.mark.parametrize("kind", ["allocated", "reserved", "device"])
def test_each_kind_of_memory_is_held_against_its_own(kind: str) -> None:
    case = prepared(measurement(quantity="peak_memory", si_unit="B", columns={"memory_kind": kind}))
    memory = ob.estimate("zoo:resnet50", "rtx-3090", task="train", batch_size=64, input_copy="resident").memory
    term = {"allocated": memory.peak, "reserved": memory.reserved, "device": memory.required}[kind]
    assert validation.predict([case])[0].outcome.forecast == term.value


def test_rows_of_a_model_share_its_trace_and_may_have_another_source() -> None:
    asked: list[Job] = []

    def traces(job: Job) -> Trace | None:
        asked.append(job)
        return None if job.task == "infer" else trace(job)

    made = [measurement(batch_size=batch, gpu=gpu) for batch in (8, 64) for gpu in ("rtx-3090", "t4")]
    made.append(measurement(columns={"task": "infer"}))
    found = validation.predict([prepared(one) for one in made], traces)
    assert len(asked) == 2
    assert [one.covered for one in found] == [True] * 4 + [False]
    assert found[-1].outcome.reason == "there is no trace of it"


def test_one_model_that_fails_costs_no_other() -> None:
    def traces(job: Job) -> Trace:
        if job.task == "infer":
            raise JobError("the model refuses")
        if job.precision == "fp16":
            raise ZeroDivisionError("a\nbug")
        return trace(job)

    columns = ({}, {"task": "infer"}, {"precision": "fp16"})
    found = validation.predict([prepared(measurement(columns=one)) for one in columns], traces)
    reasons = ["", "the model refuses", "tracing failed: ZeroDivisionError: a bug"]
    assert [one.outcome.reason for one in found] == reasons


def test_processes_find_the_same(table: Path) -> None:
    cases = validation.prepare(validation.read(table))
    assert validation.predict(cases, processes=2) == validation.predict(cases)


def test_an_interrupted_run_carries_on(table: Path, tmp_path: Path) -> None:
    cases = validation.prepare(validation.read(table))
    asked: list[str] = []

    def interrupted(job: Job) -> Trace:
        if len(asked) == 2:
            raise KeyboardInterrupt
        asked.append(job.workload)
        return trace(job)

    with pytest.raises(KeyboardInterrupt):
        validation.predict(cases, interrupted, journal=Journal(folder=tmp_path))
    asked.clear()

    def counted(job: Job) -> Trace:
        asked.append(job.workload)
        return trace(job)

    told: list[int] = []
    found = validation.predict(cases, counted, journal=Journal(folder=tmp_path), done=told.append)
    assert len(asked) == 2  # of four traces, two were done
    assert sum(told) == len(cases)
    assert found == validation.predict(cases)
    asked.clear()
    assert validation.predict(cases, counted, journal=Journal(folder=tmp_path)) == found
    assert asked == []


def test_what_the_next_run_may_do_better_is_not_kept(tmp_path: Path) -> None:
    case = prepared(measurement())

    def short_of_memory(job: Job) -> Trace:
        raise MemoryError

    def refused(job: Job) -> Trace:
        raise JobError("the model refuses")

    validation.predict([case], short_of_memory, journal=Journal(folder=tmp_path))
    assert Journal(folder=tmp_path).get(case) is None
    validation.predict([case], refused, journal=Journal(folder=tmp_path))
    kept = Journal(folder=tmp_path).get(case)
    assert kept is not None and kept.reason == "the model refuses"


def test_what_changes_a_forecast_changes_its_key() -> None:
    columns = (
        {},
        {"precision": "bf16"},
        {"optimizer": "sgd"},
        {"optimizer": "none"},
        {"num_gpus": "2"},
        {"link": "tb3"},
        {"input_copy": "serial"},
        {"memory_kind": "device"},
    )
    keys = {key(prepared(measurement(columns=one))) for one in columns}
    keys.add(key(prepared(measurement(batch_size=65))))
    assert len(keys) == len(columns) + 1
    assert key(prepared(measurement(value=7.0, id="x"))) == key(prepared(measurement()))


def test_a_damaged_journal_is_passed_over(tmp_path: Path) -> None:
    case = prepared(measurement())
    journal = Journal(folder=tmp_path)
    validation.predict([case], journal=journal)
    journal.path.write_text('{"key": "cut sho\n[]\n{"key": "x", "forecast": 1}\n', encoding="utf-8")
    assert Journal(folder=tmp_path).get(case) is None


def test_a_journal_that_cannot_be_written_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert validation.predict([prepared(measurement())], journal=Journal(folder=tmp_path / "file"))[0].covered
