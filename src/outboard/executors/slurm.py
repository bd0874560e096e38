"""On a Slurm cluster: a batch script, from the login node itself or over SSH to it.

The script's time comes from the forecast's upper band and is cut to what the partition allows. Before the limit Slurm
sends USR1, the keeper lets the command save, and the script puts itself back into the queue: that is how a run longer
than the limit goes on. Works with and without ``sacct``.
"""

import json
import math
import re
import shlex
from dataclasses import replace

from outboard.errors import FileError, OutsideError
from outboard.executors.asked import ASKED, KEEPER, asked
from outboard.executors.detached import Detached, seen
from outboard.executors.shell import Here, Over, UnreachableError
from outboard.executors.ssh import base, send
from outboard.i18n import _
from outboard.keeper.signs import AGAIN
from outboard.types.run import Launch, RunState, Seen
from outboard.units import parse

MARGIN = 1.25  # on the forecast's upper band: loading data, saving, a busy file system
LEAST = 600.0  # a shorter limit saves nobody anything [s]
UNKNOWN = 24 * 3600.0  # of a job that nobody can forecast, where the partition says nothing [s]
PLAIN = re.compile(r"[^A-Za-z0-9._+-]")
WORD = re.compile(r"^[A-Za-z0-9._:,=+*@/-]*$")
WAITING = ("PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_HOLD", "RESV_DEL_HOLD", "SPECIAL_EXIT")
RUNNING = ("RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "SIGNALING", "STAGE_OUT")


class Slurm(Detached):
    """``login`` empty: this machine is the login node."""

    requeue = True

    def __init__(self, login: str = "", folder: str | None = None) -> None:
        super().__init__(Over(login) if login else Here(), folder or base())

    def check(self) -> None:
        """Also Slurm's own commands."""
        super().check()
        for program in ("sbatch", "squeue", "scancel", "scontrol"):
            if not self.shell.has(program):
                raise OutsideError(_("{place}: {program} is missing there").format(place=self.name(), program=program))

    def workdir(self, launch: Launch, folder: str) -> str:
        """A copy on the cluster; on the login node itself the person's own folder, which the nodes see too."""
        return str(launch.workdir) if isinstance(self.shell, Here) else f"{folder}/work"

    def bring(self, launch: Launch, folder: str) -> None:
        """Send where it is not there already."""
        if not isinstance(self.shell, Here):
            send(self.shell, launch, self.workdir(launch, folder))
        elif not launch.workdir.is_dir():
            raise FileError(launch.workdir, _("no such folder"), "run.workdir")

    def script(self, launch: Launch) -> str:
        """The batch script, and what the keeper that it starts executes."""
        folder = f"{self.base}/{launch.id}" if self.base.startswith("/") else f"$HOME/{self.base}/{launch.id}"
        return batch_script(self._within(launch), folder) + "\n" + super().script(launch)

    def start(self, launch: Launch, folder: str) -> str:
        """Submit; return the number of the job."""
        told = asked(launch, folder, self.workdir(launch, folder), requeue=True)
        self.shell.write(f"{folder}/{ASKED}", json.dumps(told, sort_keys=True).encode())
        self.shell.write(f"{folder}/batch.sh", batch_script(self._within(launch), folder).encode())
        self.shell.call(["rm", "-f", f"{folder}/stop"])
        command = [self.shell.python, f"{folder}/{KEEPER}", "exec", "--", "sbatch", "--parsable", f"{folder}/batch.sh"]
        answer = self.shell.call(command, json.dumps(launch.secrets).encode()).decode()
        number = answer.strip().splitlines()[-1].partition(";")[0] if answer.strip() else ""
        if not number.isdigit():
            raise OutsideError(_("sbatch gave no job number: {answer}").format(answer=" ".join(answer.split())))
        return number

    def _within(self, launch: Launch) -> Launch:
        """The launch with the time that its partition allows at most; a longer one would wait for ever."""
        wanted = launch.section.slurm.partition or launch.partition
        try:
            text = self.shell.call(["sinfo", "--noheader", "--format", "%P|%l"]).decode("utf-8", "replace")
        except OutsideError:
            return launch
        allowed = partition_limit(text, wanted)
        known = [hours for hours in (allowed, launch.walltime) if hours is not None]
        return replace(launch, walltime=min(known, default=None))

    def see(self, folder: str, reference: str) -> Seen:
        """What Slurm says of the job, and what its keeper says of the run."""
        try:
            # First Slurm, then the keeper: a job that ends in between has said so, and is not taken for dead.
            name, why = self._queue(self._job(folder, reference))
            told = seen({"alive": True, "age": 0.0, "state": self._state(folder)})
        except UnreachableError as error:
            return Seen("unreachable", str(error))
        return judged(name, why, told)

    def stop(self, folder: str, reference: str, now: bool = False) -> None:
        """Leave the wish for a keeper that runs; a job that still waits, or must end now, is cancelled."""
        reference = self._job(folder, reference)
        name, _why = self._queue(reference)
        if name in RUNNING and not now:
            super().stop(folder, reference)
            return
        super().stop(folder, reference, now)
        self.shell.call(["scancel", reference])
        state = self._state(folder)
        self.shell.write(f"{folder}/state.json", json.dumps({**state, "state": "stopped", "why": "as asked"}).encode())

    def _job(self, folder: str, reference: str) -> str:
        """The job's number now: where a job may not be requeued it submits its successor."""
        known = self.shell.read(f"{folder}/job").decode("ascii", "replace").strip().partition(";")[0]
        return known if known.isdigit() and int(known) >= int(reference or 0) else reference

    def _state(self, folder: str) -> dict[str, object]:
        """What the keeper said. Whether it lives is Slurm's to say: locks may not reach over a network file system."""
        try:
            return json.loads(self.shell.call(self._keeper("status", folder)))["state"]
        except ValueError:  # read while it was replaced over a network file system
            return {}

    def _queue(self, reference: str) -> tuple[str, str]:
        """The state of a job and its reason; from ``squeue``, else what the controller or the accounts remember."""
        asking = [
            ["squeue", "--noheader", "--jobs", reference, "--states", "all", "--format", "%T|%r"],
            ["scontrol", "show", "job", "--oneliner", reference],
            ["sacct", "--noheader", "--parsable2", "--allocations", "--jobs", reference, "--format", "State,Reason"],
        ]
        for command in asking:
            try:
                text = self.shell.call(command).decode("utf-8", "replace").strip()
            except UnreachableError:
                raise
            except OutsideError:  # unknown by now, or no accounts are kept
                continue
            if text:
                return _job_state(text)
        return "", ""


def _job_state(text: str) -> tuple[str, str]:
    line = text.splitlines()[-1]
    if named := re.search(r"JobState=(\S+) Reason=(\S+)", line):
        return named.group(1), named.group(2)
    name, _bar, why = line.partition("|")
    return name.split()[0] if name.split() else "", why


def judged(job: str, why: str, told: Seen) -> Seen:
    """Put what Slurm says and what the keeper said together."""
    if job in WAITING:
        return Seen("queued", why, told.told)
    if job in RUNNING:
        known: RunState = (
            told.state if told.state in ("running", "waiting", "done", "failed", "stopped") else "starting"
        )
        return Seen(known, told.why, told.told)
    if told.over:
        return told
    if job == "TIMEOUT":
        return Seen("dead", _("its time limit ended it before it had saved; outboard resume carries it on"), told.told)
    said = job or _("unknown to Slurm")
    return Seen("dead", _("the job is {state}; outboard resume carries it on").format(state=said), told.told)


def batch_script(launch: Launch, folder: str) -> str:
    """The script as it is submitted. What goes into its head is reduced to harmless characters."""
    said = launch.section.slurm
    head = {
        "job-name": PLAIN.sub("_", launch.name)[:60] or "outboard",
        "time": limit(launch),
        "partition": _word("partition", said.partition or launch.partition),
        "account": _word("account", said.account),
        "qos": _word("qos", said.qos),
        "gres": _word("gres", said.gres) or ("" if launch.vendor == "cpu" else f"gpu:{launch.devices}"),
        "cpus-per-task": str(said.cpus) if said.cpus else "",
        "mem": _memory(launch),
        "nodes": "1",
        "ntasks": "1",
        "signal": f"B:USR1@{math.ceil(parse(said.notice, 's'))}",
        "open-mode": "append",
        "output": "/dev/null",
        "export": _exported(launch),
    }
    lines = [f"#SBATCH --{name}={value}" for name, value in head.items() if value]
    return "\n".join(["#!/bin/bash", *lines, "#SBATCH --requeue", BODY.format(folder=_path(folder), again=AGAIN)])


BODY = """
# The keeper runs the command and lets it save when Slurm says that the time is up.
folder={folder}
mask=$(umask)
umask 077
exec >> "$folder/slurm.txt" 2>&1
echo "$SLURM_JOB_ID" > "$folder/job"
umask "$mask"
python3 "$folder/keeper.pyz" keep "$folder" &
keeper=$!
trap 'kill -USR1 $keeper 2>/dev/null' USR1
trap 'kill -TERM $keeper 2>/dev/null' TERM INT
while :; do
    wait $keeper
    status=$?
    kill -0 $keeper 2>/dev/null || break
done
if [ $status -eq {again} ]; then
    # One that was preempted is in the queue again already; where jobs may not be requeued, a successor is submitted.
    if scontrol show job --oneliner "$SLURM_JOB_ID" | grep -q " Requeue=0 "; then
        sbatch --parsable --dependency="afterany:$SLURM_JOB_ID" "$folder/batch.sh" > "$folder/job"
    else
        scontrol requeue "$SLURM_JOB_ID"
    fi
    exit 0
fi
exit $status
"""


def partition_limit(text: str, wanted: str) -> float | None:
    """Read from ``sinfo`` how long jobs of a partition may run [h]; the one with a star is the default.

    >>> partition_limit("gpu*|1-12:00:00\\nlong|infinite\\nshort|30:00", ""), partition_limit("short|30:00", "short")
    (36.0, 0.5)
    """
    for line in text.splitlines():
        name, _bar, said = line.strip().partition("|")
        if name.rstrip("*") == wanted or (not wanted and name.endswith("*")):
            days, dash, rest = said.rpartition("-")
            parts = rest.split(":")
            if not all(part.isdigit() for part in parts) or (dash and not days.isdigit()):
                return None  # infinite, or something that this version of Slurm says otherwise
            if dash:
                parts += ["0"] * (3 - len(parts))
            seconds = sum(int(part) * 60**place for place, part in enumerate(reversed(parts)))
            return (int(days or 0) * 86400 + seconds) / 3600.0
    return None


def limit(launch: Launch) -> str:
    """``--time``: what the job says, else the forecast's upper band with a margin, cut to what the partition allows."""
    said = launch.section.slurm.time
    if said:
        seconds = parse(said, "s")
    elif launch.hours is not None and math.isfinite(launch.hours):
        seconds = max(LEAST, launch.hours * 3600.0 * MARGIN)
    else:
        seconds = UNKNOWN
    if launch.walltime is not None and math.isfinite(launch.walltime):
        seconds = min(seconds, launch.walltime * 3600.0)
    minutes = math.ceil(seconds / 60.0)
    days, minutes = divmod(minutes, 24 * 60)
    return f"{days}-{minutes // 60:02d}:{minutes % 60:02d}:00"


def _memory(launch: Launch) -> str:
    said = launch.section.slurm.memory
    needed = parse(said, "bytes") if said else launch.memory
    return f"{math.ceil(needed / (1 << 20))}M" if needed else ""


def _exported(launch: Launch) -> str:
    """Names only: ``sbatch`` takes the values from its own environment, which is where secrets travel."""
    return ",".join(["ALL", *launch.section.secrets])


def _word(key: str, value: str) -> str:
    if not WORD.match(value):
        raise FileError(
            "run", _("'{value}' holds characters that no batch script may").format(value=value), f"slurm.{key}"
        )
    return value


def _path(folder: str) -> str:
    return f'"{folder}"' if folder.startswith("$HOME/") and WORD.match(folder[5:]) else shlex.quote(folder)
