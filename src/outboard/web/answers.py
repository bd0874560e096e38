"""What is computed for a question, each part kept for whoever asks the same again. All of it is pure arithmetic."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import replace
from datetime import date
from typing import Any, TypeVar

import yaml

from outboard import api, catalog, clock, compat
from outboard.compat import Verdict
from outboard.i18n import here, speaking
from outboard.measuring import is_here
from outboard.perf.sweep import sweep
from outboard.planner import circumstances, files, jobs, prices, with_levers
from outboard.planner.answer import Answer, Ground, ground, planned
from outboard.planner.pictures.sensitivity import sensitivity
from outboard.store import path as store_path
from outboard.tracing import zoo
from outboard.types.estimate import Estimate
from outboard.types.job import Job, JobFile
from outboard.types.situation import Situation
from outboard.types.trace import Trace
from outboard.web import charts, written
from outboard.web.charts import Chart
from outboard.web.fit import Fit
from outboard.web.question import Question, read
from outboard.web.uploads import Uploads

Found = TypeVar("Found")
PAUSE = 0.05  # whoever asks meanwhile comes first [s]
OF_LOOP = ("batch_size", "grad_accumulation", "input_copy")  # what no trace depends on
KEPT = 128  # answers of each kind; the largest, a plan with its worlds, is a few MB


class Kept:
    """Remembers the newest answers, and lets whoever asks what is being computed wait for it."""

    def __init__(self, most: int = KEPT) -> None:
        self._most = most
        self._found: OrderedDict[Hashable, Any] = OrderedDict()
        self._locks: dict[Hashable, threading.Lock] = {}
        self._lock = threading.Lock()

    def has(self, key: Hashable) -> bool:
        """Whether an answer is there already."""
        return key in self._found

    def get(self, key: Hashable, make: Callable[[], Found]) -> Found:
        """The answer for ``key``; ``make`` computes it once, however many ask at once. Errors are not kept."""
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
                return self._found[key]
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            if key not in self._found:
                made = make()
                with self._lock:
                    self._found[key] = made
                    while len(self._found) > self._most:
                        self._found.popitem(last=False)
            with self._lock:
                self._locks.pop(key, None)
            return self._found[key]


class Answers:
    """Computes and remembers. ``uploads`` holds the traces that people brought."""

    def __init__(self, uploads: Uploads) -> None:
        self.uploads = uploads
        self._work, self._fits, self._levered = Kept(96), Kept(), Kept()
        self._plans, self._pictures, self._grounds = Kept(32), Kept(32), Kept(8)

    def workload(self, asked: Question) -> str:
        """The workload as a job names it. Raises :class:`FieldError` for an upload that is gone."""
        return self.uploads.workload(asked.w)

    def work(self, asked: Question) -> tuple[Job, Trace]:
        """The job in full, and its trace."""
        said = written.job_fields(asked)
        loop = {name: said.pop(name) for name in OF_LOOP if name in said}
        job, trace = self._work.get((asked.w, *said.items()), lambda: api.prepare(self.workload(asked), **said))
        # The same trace whatever the batch: its model of memory stays built.
        return job.model_copy(update=loop), trace

    def fit(self, asked: Question) -> Fit:
        """What ``outboard compare`` gives for all places, and more on the one in sight."""
        key = (asked.w, *written.job_fields(asked).items(), asked.every, asked.focus, here(), self._measured(asked))
        return self._fits.get(key, lambda: self._fit(asked))

    @staticmethod
    def _measured(asked: Question) -> int:
        """When something was measured last, where this machine's processor is among the places."""
        if not any(map(is_here, asked.every)):
            return 0
        where = store_path()
        files = (where, where.with_name(where.name + "-wal"))
        return max((one.stat().st_mtime_ns for one in files if one.exists()), default=0)

    def _fit(self, asked: Question) -> Fit:
        job, trace = self.work(asked)
        places = [api.find_place(name) for name in asked.every]
        found = sweep(job, trace, places)
        index = asked.every.index(asked.focus)
        place, seen = places[index], found[index]
        known = seen.step.throughput.value is not None and place.device.vendor != "cpu"
        link = sensitivity(job, trace, place, seen.batch) if known else None
        return Fit(job, trace, tuple(sorted(found, key=api.rank)), seen, place, link)

    def levered(self, asked: Question) -> Estimate:
        """The forecast of the place in sight, with what would make it fit: what ``outboard estimate`` gives."""
        fit = self.fit(asked)
        if fit.here.verdict == "fits":
            return fit.here
        key = (asked.w, *written.job_fields(asked).items(), asked.focus, here())
        place = fit.place
        return self._levered.get(key, lambda: with_levers(fit.here, fit.job, fit.trace, place, others=api.every_place))

    def files(self, asked: Question) -> tuple[dict[str, Any], dict[str, Any]]:
        """The job and the circumstances, as the two files of ``outboard plan``."""
        return written.job_file(asked, self.workload(asked), self.fit(asked).rate), written.me_file(asked)

    def has_plan(self, asked: Question) -> bool:
        """Whether the plan is there already."""
        return self._plans.has(self._plan_key(asked))

    def plan(self, asked: Question) -> Answer:
        """What ``outboard plan`` gives."""
        return self._plans.get(self._plan_key(asked), lambda: self._plan(asked))

    def pictures(self, asked: Question) -> dict[str, Chart]:
        """The charts of the plan."""
        return self._pictures.get(self._plan_key(asked), lambda: charts.of_plan(self.plan(asked)))

    def _plan_key(self, asked: Question) -> Hashable:
        # What only the list of other places says does not matter to a plan; the place in sight sets what an hour is.
        return (replace(asked, beside=(asked.focus,), at=asked.focus), *self.day(), here())

    @staticmethod
    def day() -> tuple[date, int]:
        """What answers grow old with: the day, and the table of prices."""
        newest = prices.path()
        return clock.today(), newest.stat().st_mtime_ns if newest.exists() else 0

    def _plan(self, asked: Question) -> Answer:
        # By way of their text, so that the files offered for download give this very plan.
        job, me = (yaml.load(written.as_yaml(one), yaml.BaseLoader) for one in self.files(asked))
        resolved = jobs.resolve(files.checked(job, JobFile, "job.yaml"), "job.yaml")
        situation = circumstances.resolve(files.checked(me, Situation, "me.yaml"), "me.yaml")
        return planned([resolved], situation, clock.today(), self.ground(asked))

    def ground(self, asked: Question) -> Ground:
        """What plans for the same person share: prices and the places that could be had."""
        said = written.as_yaml(written.me_file(asked))

        def gathered() -> Ground:
            situation = files.checked(yaml.load(said, yaml.BaseLoader), Situation, "me.yaml")
            return ground(circumstances.resolve(situation, "me.yaml"), clock.today())

        return self._grounds.get((said, *self.day(), here()), gathered)

    def compatibility(self, asked: Question) -> Verdict | None:
        """Whether the place in sight works at the host; None for this machine's processor."""
        place = api.find_place(asked.focus)
        if place.device.vendor == "cpu":
            return None
        host = catalog.host(asked.host) if asked.host else None
        facts: dict[str, Any] = {"os": asked.os} if asked.os else {}
        facts["precision"] = asked.precision
        return compat.verdict(compat.assemble(host, place.device, place.link, None, count=place.count, **facts))


def warm(answers: Answers, asked: Question, languages: tuple[str, ...]) -> None:
    """Compute the question that the page opens with, then read every model of the zoo, so that nobody waits for it."""
    for language in languages:
        with speaking(language):
            answers.fit(asked)
            answers.pictures(asked)
    place = api.find_place(asked.focus)
    for entry in zoo.entries():
        for task in ("train", "infer"):
            usual = replace(asked, w=f"zoo:{entry.name}", task=task)
            sweep(*answers.work(read({}, usual)), [place])  # builds its model of memory
            time.sleep(PAUSE)
