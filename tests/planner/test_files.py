"""Files that people write: what is wrong is one line with file, key, value and the right form."""

from pathlib import Path

import pytest
from pydantic import BaseModel

from outboard.errors import FileError, UsageError
from outboard.planner import circumstances, files, jobs
from outboard.types.job import JobFile
from outboard.types.situation import Situation

JOB = """
name: resnet50-imagenet
workload: timm:resnet50
task: train
precision: amp-bf16
batch_size: auto
image_size: 224
optimizer: sgd
data: {samples: 1281167, epochs: 90, kind: jpeg, bytes_per_sample: 110 kB}
repeat: {runs_per_month: 2}
"""
ME = """
host: auto
owned: [{device: rtx-3060-12gb, link: tb3}]
country: ES
electricity: 0.18 EUR/kWh
horizon: 24 months
budget: 1500 EUR
constraints: {data_may_leave: true, portable: true, deadline: 3 days}
access: {slurm: {login: me@login.example.edu, partition: gpu, gpus: [a100-40gb], wait: 1 h .. 24 h}, student: true}
time_value: 15 EUR/h
"""


def written(folder: Path, text: str, name: str = "file.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_the_job_of_the_design_is_read(tmp_path: Path) -> None:
    asked = jobs.load(written(tmp_path, JOB))
    assert asked.name == "resnet50-imagenet" and asked.said.job.image_size == 224
    assert asked.samples == 1281167 * 90
    assert asked.data_bytes == pytest.approx(1281167 * 110e3)
    assert asked.runs_per_month(circumstances.load(None)) == 2.0


def test_the_situation_of_the_design_is_read(tmp_path: Path) -> None:
    me = circumstances.load(written(tmp_path, ME))
    assert me.owned[0].name == "rtx-3060-12gb@tb3" and me.links == ("tb3",)
    assert me.currency == "EUR" and me.horizon == pytest.approx(2.0) and me.deadline == pytest.approx(72.0)
    assert me.budget == pytest.approx(1500 * 1.13) and me.portable is not None
    assert me.slurm is not None and me.slurm.places[0].device.id == "a100-sxm4-40gb"


def test_a_job_without_a_name_is_called_after_its_file(tmp_path: Path) -> None:
    path = written(tmp_path, "workload: 'hours:1 h on a T4, bound by fp32'", "render.yaml")
    assert jobs.load(path).name == "render"


def test_norway_is_a_country_and_not_false(tmp_path: Path) -> None:
    assert circumstances.load(written(tmp_path, "country: NO")).currency == "NOK"


@pytest.mark.parametrize(
    ("model", "text", "said"),
    [
        (JobFile, "workload: zoo:resnet50\nepoch: 3", "epoch: unknown key"),
        (JobFile, "workload: zoo:resnet50\ndata: {samples: 5, epoch: 2}", "data.epoch: unknown key; nearest: epochs"),
        (JobFile, "task: train", "workload: is missing; write it like 'timm:resnet50'"),
        (JobFile, "workload: x\ndata: {samples: lots}", "data.samples: 'lots'"),
        (JobFile, "workload: x\ndata: {samples: 5, bytes_per_sample: heavy}", "data.bytes_per_sample: 'heavy'"),
        (JobFile, "workload: x\nrepeat: {runs_per_month: -1}", "repeat.runs_per_month: '-1'"),
        (JobFile, "workload: x\nrepeat: {runs_per_month: .inf}", "repeat.runs_per_month"),
        (JobFile, "workload: x\nrepeat: {runs: 1, runs_per_week: 2}", "contradict each other"),
        (JobFile, "workload: x\nworkload: y", "workload: stands twice"),
        (JobFile, "- workload", "holds no keys"),
        (JobFile, "", "holds no keys"),
        (JobFile, "a: [", "is not YAML"),
        (JobFile, "? [a]\n: b", "is not YAML"),
        (Situation, "ownd: []", "ownd: unknown key; nearest: owned"),
        (Situation, "owned: [{device: rtx-3090, lnk: tb3}]", "owned[0].lnk: unknown key; nearest: link"),
        (Situation, "constraints: {portable: maybe}", "constraints.portable: 'maybe'"),
        (Situation, "access: {slurm: {gpus: [t4]}}", "access.slurm.wait: is missing"),
        (Situation, "goal: fast", "goal: 'fast'"),
        (Situation, "shared_by: 0", "shared_by: '0'"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, model: type[BaseModel], text: str, said: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(FileError) as raised:
        files.read(path, model)
    assert str(raised.value).startswith(f"{path}: ")
    assert said in str(raised.value) and "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("country: Spain", "country: unknown country 'Spain' (nearest: ES); write it like 'ES'"),
        ("budget: 1500", "budget: '1500' has no currency; write it like '1500 EUR'"),
        ("budget: -5 EUR", "budget: '-5 EUR' is negative"),
        ("budget: 5 XYZ", "budget: unknown currency 'XYZ'"),
        ("horizon: 0 months", "horizon: '0 months' is not longer than zero"),
        ("horizon: 24", "horizon: '24' is not a time with its unit"),
        ("electricity: 0.18 EUR", "electricity: '0.18 EUR' is not an amount per kWh"),
        ("electricity: -0.18 EUR/kWh", "electricity: '-0.18 EUR/kWh' is negative"),
        ("time_value: 15", "time_value: '15' has no currency; write it like '15 EUR/h'"),
        ("access: {slurm: {gpus: [t4], wait: a while}}", "access.slurm.wait: 'a while' is not a time"),
        ("access: {slurm: {gpus: [rtx 9999], wait: 1 h}}", "access.slurm.gpus[0]: unknown device 'rtx 9999'"),
        ("access: {tiers: [kagle]}", "access.tiers[0]: unknown free tier 'kagle'"),
        ("host: commodore", "host: unknown host 'commodore'"),
        ("ports: [scsi]", "ports[0]: unknown link 'scsi'"),
        ("owned: [{device: rtx 9999}]", "owned[0].device: unknown device"),
        ("connection: fast", "connection: 'fast' is not a quantity"),
        ("constraints: {portable: {max_weight: 4}}", "constraints.portable.max_weight: '4' is not a quantity"),
        ("constraints: {deadline: soon}", "constraints.deadline: 'soon' is not a time"),
    ],
)
def test_a_situation_that_cannot_be_is_one_line(tmp_path: Path, text: str, said: str) -> None:
    path = written(tmp_path, text, "me.yaml")
    with pytest.raises(UsageError) as raised:
        circumstances.load(path)
    assert str(raised.value).startswith(f"{path}: {said}") and "\n" not in str(raised.value)


def test_a_file_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file"):
        circumstances.load(tmp_path / "me.yaml")
    with pytest.raises(FileError, match="cannot be read"):
        files.read(tmp_path, JobFile)
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileError, match="cannot be read"):
        files.read(tmp_path / "binary.yaml", JobFile)


def test_a_job_of_unknown_length_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="data: is missing"):
        jobs.load(written(tmp_path, "workload: zoo:resnet50"))
