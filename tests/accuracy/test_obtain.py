"""The script for outsiders, on a repository like the published one."""

import csv
import subprocess
from pathlib import Path

from accuracy import obtain
from outboard.validation import prepare, read

HEADING = "model,{0}_samples_per_sec,{0}_step_time,{0}_batch_size,{0}_img_size\n"
INFER = HEADING.format("infer") + "resnet50,4201.5,243.7,1024,224\n,,,,\n"
TRAIN = HEADING.format("train") + "resnet50,801.25,638.9,512,224\n"


def repository(folder: Path) -> str:
    """A repository with two tables of results, and its only commit."""
    results = folder / "results"
    results.mkdir(parents=True)
    (results / "benchmark-infer-amp-nhwc-pt240-cu124-rtx4090-dynamo.csv").write_text(INFER, encoding="utf-8")
    (results / "benchmark-train-amp-nchw-pt112-cu113-rtx3090.csv").write_text(TRAIN, encoding="utf-8")
    (results / "results-imagenet.csv").write_text("model,top1\n", encoding="utf-8")
    git = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "results"]):
        subprocess.run([*git, *command], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    return head.stdout.strip()


def test_published_results_become_a_table_of_measurements(tmp_path: Path) -> None:
    commit = repository(tmp_path / "published")
    obtain.fetch(f"file://{tmp_path / 'published'}", commit, tmp_path / "clone")
    table = tmp_path / "vision_throughput.csv"
    assert obtain.write(tmp_path / "clone" / "results", table) == 2
    with table.open(encoding="utf-8") as file:
        first, second = csv.DictReader(file)
    assert (first["gpu"], first["compiled"], first["memory_format"]) == ("rtx-4090", "dynamo", "nhwc")
    assert (second["gpu"], second["task"], second["note"]) == ("rtx-3090", "train", "torch 1.12 cu113")
    cases = prepare(read(table))
    assert [case.reason for case in cases] == ["", ""]
    assert cases[1].job is not None and cases[1].job.software == "torch-1"
