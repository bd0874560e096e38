"""From rows to jobs and places."""

from pathlib import Path

import pytest

from outboard import validation
from outboard.validation.cases import prepared
from outboard.validation.settings import rules
from tests.validation.made import measurement

REFERENCE = Path(__file__).parents[3] / "shared" / "reference"


def test_what_is_not_said_is_what_goes_without_saying() -> None:
    case = prepared(measurement())
    assert case.job is not None and case.place is not None
    assert (case.job.task, case.job.precision, case.job.input_copy) == ("train", "fp32", "resident")
    assert (case.job.optimizer, case.job.compiled, case.updates) == ("adamw", False, True)
    assert (case.job.image_size, case.job.seq_len, case.job.batch_size) == (None, None, 64)
    assert (case.place.name, case.place.count) == ("rtx-3090", 1)


def test_everything_can_be_said() -> None:
    columns = {
        "task": "infer",
        "precision": "bf16",
        "num_gpus": "2",
        "link": "tb3",
        "compiled": "compiled",
        "image_size": "160",
        "input_copy": "overlapped",
        "attention": "math",
        "memory_format": "nhwc",
    }
    case = prepared(measurement(columns=columns))
    assert case.job is not None and case.place is not None
    assert (case.job.precision, case.job.attention, case.job.memory_format) == ("bf16", "eager", "nhwc")
    assert (case.job.image_size, case.job.compiled, case.job.input_copy) == (160, True, "overlapped")
    assert case.place.name == "rtx-3090x2@tb3"


def test_a_count_in_the_name_of_the_gpu_holds() -> None:
    case = prepared(measurement(gpu="2x RTX 3090"))
    assert case.place is not None and case.place.count == 2
    assert case.labels["gpu"] == "rtx-3090"


def test_a_batch_of_all_gpus_is_shared_out() -> None:
    columns = {"num_gpus": "4", "batch_scope": "global"}
    case = prepared(measurement(columns=columns))
    assert case.job is not None and case.job.batch_size == 16
    assert "cannot be shared evenly by 4 GPUs" in prepared(measurement(batch_size=30, columns=columns)).reason


def test_no_optimizer_leaves_the_update_out() -> None:
    case = prepared(measurement(columns={"optimizer": "none"}))
    assert case.job is not None
    assert not case.updates


SERVED = {"workload": "gguf:llama-3-8b", "quantity": "decode_rate", "columns": {"task": "serve", "precision": "q4_0"}}


def test_a_served_model_is_forecast_without_a_trace() -> None:
    one, many = (prepared(measurement(**SERVED, batch_size=users)) for users in (1, 8))
    assert one.job is None and one.term is not None and many.term is not None
    assert one.term.value and one.term.low and one.term.low < one.term.value
    assert many.term.value and one.term.value < many.term.value < 8 * one.term.value
    named = SERVED | {"workload": "gguf:Llama-3-8B.Q4_0", "columns": {"task": "serve"}}
    assert prepared(measurement(**named, batch_size=8)).term == many.term


def test_memory_of_a_served_model_is_what_llama_cpp_reports() -> None:
    said = {"task": "serve", "precision": "q4_0", "seq_len": "512"}
    row = measurement(workload="gguf:llama-2-7b", quantity="peak_memory", columns=said, batch_size=1)
    term = prepared(row).term
    assert term is not None and term.value is not None and 3800 < term.value / 2**20 < 3910


REASONS = {
    "serving": (SERVED | {"quantity": "throughput"}, "only rates and memory"),
    "engine": (SERVED | {"columns": {"note": "vLLM 0.6.3", "precision": "awq"}}, "serving with vllm is not forecast"),
    "quantisation": (SERVED | {"columns": {"precision": "int4"}}, "quantisation int4 is not forecast; what is: f16"),
    "language model": ({"quantity": "decode_rate", "columns": {"precision": "q4_0"}}, "unknown language model"),
    "method": ({"columns": {"method": "ia3"}}, "method ia3 is not forecast; what is: full, lora"),
    "precision": ({"columns": {"precision": "int4"}}, "precision int4 is not forecast; what is: fp32, tf32"),
    "optimizer": ({"columns": {"optimizer": "lion"}}, "optimizer lion is not forecast; what is: sgd"),
    "parallel": ({"columns": {"parallel": "horovod", "num_gpus": "2"}}, "parallel horovod is not forecast"),
    "task": ({"columns": {"task": "distil"}}, "task distil is not forecast; what is: train"),
    "compiled": ({"columns": {"compiled": "tensorrt"}}, "compiled tensorrt is not forecast; what is: eager, compiled"),
    "gpu": ({"gpu": "rtx 3091"}, "unknown device 'rtx 3091'; nearest: rtx-3090"),
    "link": ({"columns": {"link": "string"}}, "unknown link 'string'"),
    "no batch": ({"batch_size": None, "quantity": "step_time"}, "nothing to hold step time against"),
    "experts": ({"workload": "zoo:switchxl4"}, "its experts are chosen by values"),
}


@pytest.mark.parametrize(("changes", "said"), REASONS.values(), ids=REASONS)
def test_what_cannot_be_covered_says_why(changes: dict, said: str) -> None:
    case = prepared(measurement(**changes))
    assert (case.job, case.place) == (None, None)
    assert said in case.reason


def test_settings_of_published_tables_fill_only_what_the_row_leaves_empty() -> None:
    source = "huggingface/pytorch-image-models@0:results/x.csv"
    said = {"source": source, "task": "train"}
    case = prepared(measurement(columns=said))
    assert case.job is not None
    assert (case.job.optimizer, case.job.attention) == ("momentum", "eager")
    own = prepared(measurement(columns={**said, "optimizer": "adamw"}))
    assert own.job is not None and own.job.optimizer == "adamw"


def test_fp32_of_containers_with_tf32_is_tf32_and_is_grouped_as_written() -> None:
    case = prepared(measurement(columns={"source": "lambdal/deeplearning-benchmark@0", "precision": "fp32"}))
    assert case.job is not None and case.job.precision == "tf32"
    assert case.labels["precision"] == "fp32"


def test_every_rule_cites_where_it_is_from() -> None:
    assert all(len(rule.citation) > 20 and (rule.set or rule.replace) for rule in rules())


@pytest.mark.skipif(not REFERENCE.is_dir(), reason="no tables of published measurements beside the checkout")
@pytest.mark.parametrize(
    ("name", "least"),
    [("vision_throughput", 1.0), ("training_many_gpus", 1.0), ("transformers_fp32", 0.9), ("precision_sweep", 0.3)],
)
def test_published_rows_have_a_job_and_a_place(name: str, least: float) -> None:
    cases = validation.prepare(validation.read(REFERENCE / f"{name}.csv"))
    assert sum(not case.reason for case in cases) >= least * len(cases)
