"""One job over the whole catalogue in 3 s and 400 MB without torch; ten jobs over 60 places in 5 s."""

import subprocess
import sys

ONE = """
import pathlib, re, sys, time
began = time.process_time()
from outboard.planner import circumstances, jobs
from outboard.planner.plan import plan
from outboard.types.job import JobFile
said = dict(workload="zoo:resnet50", precision="amp-fp16", data=dict(samples=1281167, epochs=90),
            repeat=dict(runs_per_month=2))
found = plan(jobs.resolve(JobFile.model_validate(said)), circumstances.load(None))
assert len(found.places) >= 400 and "torch" not in sys.modules and "scipy" not in sys.modules
# Not getrusage: its peak may be that of the process that started this one.
status = pathlib.Path("/proc/self/status")
peak = int(re.search(r"VmHWM:\\s+(\\d+)", status.read_text())[1]) / 1024 if status.exists() else 0.0
print(time.process_time() - began, peak)
"""
TEN = """
import time
from datetime import date
from outboard.planner import circumstances, jobs
from outboard.planner.answer import planned
from outboard.planner.portfolio import portfolio
from outboard.types.job import JobFile
from outboard.types.situation import Situation
said = lambda i: dict(name=f"job{i}", workload=f"hours:{i + 1} h on an RTX 3090, bound by fp32", memory="10 GB",
                      repeat=dict(runs_per_month=i + 1))
asked = [jobs.resolve(JobFile.model_validate(said(i))) for i in range(10)]
me = circumstances.resolve(Situation.model_validate(dict(ports=["tb4"], country="ES")))
answer = planned(asked, me, date(2026, 12, 1))
import scipy.optimize
began = time.process_time()
found = portfolio(answer.studies, answer.plans)
print(time.process_time() - began, found.gap)
"""


def measured(code: str) -> list[float]:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [float(number) for number in done.stdout.split()]


def test_one_job_over_the_whole_catalogue() -> None:
    seconds, megabytes = measured(ONE)
    assert seconds <= 3.0 and megabytes <= 400


def test_ten_jobs_over_sixty_places() -> None:
    seconds, gap = measured(TEN)
    assert seconds <= 5.0 and gap <= 0.01
