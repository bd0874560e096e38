"""``outboard measure`` and ``outboard store`` from end to end, with a plan of one small step."""

import json

import pytest

from outboard.cli import main
from outboard.measuring import profile
from outboard.probe.measure import Step, host

pytest.importorskip("torch")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("OUTBOARD_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr(profile, "plan", lambda device, quick: [Step("disk", "cpu", lambda: host.disk(0.0))])
    return tmp_path


def test_the_machine_is_measured_and_a_missing_gpu_said(capsys):
    assert main(["measure", "--json", "--quick"]) == 0
    out, err = capsys.readouterr()
    names = [one["name"] for one in json.loads(out)["figures"]]
    assert names == ["disk.write", "disk.read"]
    if not profile.gpu():
        assert "no GPU" in err


def test_a_job_is_run_exported_and_imported_once(capsys, folder):
    job = ["torchvision:squeezenet1_1", "--batch", "1", "--image-size", "64", "--optimizer", "sgd"]
    assert main(["measure", *job, "--quick"]) == 0
    assert "Forecast before" in capsys.readouterr().out
    table = folder / "out.csv"
    assert main(["store", "export", str(table)]) == 0
    assert main(["store", "import", str(table)]) == 0
    assert "0 of 1 rows are new" in capsys.readouterr().out
    assert "step_time" in table.read_text() and "squeezenet1_1" in table.read_text()


def test_a_wrong_action_is_told(capsys):
    assert main(["store", "delete"]) == 2
    assert "export" in capsys.readouterr().err
