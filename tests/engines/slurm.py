"""A Slurm cluster of one machine: controller, nodes and munge, all our own, with GPUs that are device files."""

import os
import pwd
import secrets
import shutil
import socket
import subprocess
import time
from pathlib import Path

from tests.engines.sshd import free_port

PROGRAMS = ("slurmctld", "slurmd", "munged", "sbatch", "squeue", "scontrol", "scancel")


def missing() -> str | None:
    """What keeps it from starting here."""
    if os.getuid() != 0:
        return "a Slurm of our own needs root"
    for program in PROGRAMS:
        if shutil.which(program, path=_path()) is None:
            return f"{program} is not installed"
    return None


def _path() -> str:
    return f"{os.environ['PATH']}:/usr/sbin:/sbin"


class Slurm:
    """Partitions ``main`` (requeued by ``urgent``) and ``urgent``; every command needs ``environment``."""

    def __init__(self, folder: Path, nodes: int = 2) -> None:
        self.folder = folder
        self.nodes = [f"n{number}" for number in range(1, nodes + 1)]
        self.running: list[subprocess.Popen[bytes]] = []
        for name in ("state", "spool", "log", "munge", "dev"):
            (folder / name).mkdir(mode=0o755, parents=True, exist_ok=True)
        folder.chmod(0o755)
        key = folder / "munge" / "key"
        key.write_bytes(secrets.token_bytes(1024))
        key.chmod(0o600)
        for number in range(2):
            device = folder / "dev" / f"nvidia{number}"
            if not device.exists():
                os.mknod(device, 0o666 | 0o020000, os.makedev(1, 3))
        (folder / "slurm.conf").write_text(self._configuration())
        gres = "\n".join(f"NodeName={node} Name=gpu Type=test File={folder}/dev/nvidia[0-1]" for node in self.nodes)
        (folder / "gres.conf").write_text(gres + "\n")
        (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")

    @property
    def environment(self) -> dict[str, str]:
        """What makes Slurm's commands talk to this cluster."""
        return {"SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": _path()}

    def _configuration(self) -> str:
        folder, host = self.folder, socket.gethostname().partition(".")[0]
        lines = [
            "ClusterName=test",
            f"SlurmctldHost={host}(127.0.0.1)",
            f"SlurmctldPort={free_port()}",
            "AuthType=auth/munge",
            f"AuthInfo=socket={folder}/munge/socket",
            "CredType=cred/munge",
            f"SlurmUser={pwd.getpwuid(os.getuid()).pw_name}",
            f"StateSaveLocation={folder}/state",
            f"SlurmdSpoolDir={folder}/spool/%n",
            f"SlurmctldPidFile={folder}/slurmctld.pid",
            f"SlurmdPidFile={folder}/slurmd-%n.pid",
            f"SlurmctldLogFile={folder}/log/slurmctld.txt",
            f"SlurmdLogFile={folder}/log/slurmd-%n.txt",
            "ProctrackType=proctrack/linuxproc",
            "TaskPlugin=task/none",
            "SelectType=select/cons_tres",
            "SelectTypeParameters=CR_Core",
            "SlurmdParameters=config_overrides",
            "MpiDefault=none",
            "GresTypes=gpu",
            "ReturnToService=2",
            "JobRequeue=1",
            "PreemptType=preempt/partition_prio",
            "PreemptMode=REQUEUE",
            "KillWait=5",
            "SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=0",
            "SlurmctldTimeout=10",
            "SlurmdTimeout=10",
            "InactiveLimit=0",
            "MinJobAge=300",
            "JobAcctGatherType=jobacct_gather/none",
            "AccountingStorageType=accounting_storage/none",
        ]
        lines += [
            f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={free_port()} CPUs=2 RealMemory=4000 "
            "Gres=gpu:test:2 State=UNKNOWN"
            for node in self.nodes
        ]
        all_nodes = ",".join(self.nodes)
        lines += [
            f"PartitionName=main Nodes={all_nodes} Default=YES MaxTime=60 PriorityTier=1 State=UP GraceTime=5",
            f"PartitionName=urgent Nodes={all_nodes} MaxTime=60 PriorityTier=10 PreemptMode=OFF State=UP",
        ]
        return "\n".join(lines) + "\n"

    def start(self) -> None:
        """Bring it up, and wait until nodes take jobs."""
        munge = self.folder / "munge"
        self._run(
            *("munged", "--foreground", "--force", f"--key-file={munge}/key", f"--socket={munge}/socket"),
            *(f"--pid-file={munge}/pid", f"--log-file={munge}/log", f"--seed-file={munge}/seed"),
        )
        self._wait(lambda: (munge / "socket").exists(), "munged")
        self._run("slurmctld", "-D", "-c")
        for node in self.nodes:
            self._run("slurmd", "-D", "-N", node)
        self._wait(self._idle, "nodes")

    def stop(self) -> None:
        """End every job and every daemon."""
        self.call("scancel", "--signal=KILL", "--user", str(os.getuid()), check=False)
        self.call("scancel", "--user", str(os.getuid()), check=False)
        time.sleep(0.5)
        for process in reversed(self.running):
            process.terminate()
        for process in self.running:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def call(self, *command: str, check: bool = True) -> str:
        """Run one of Slurm's commands; return what it prints."""
        done = subprocess.run(
            command, env={**os.environ, **self.environment}, capture_output=True, text=True, timeout=60, check=False
        )
        if check and done.returncode:
            raise RuntimeError(f"{command}: {done.stderr}")
        return done.stdout

    def _idle(self) -> bool:
        states = self.call("sinfo", "-h", "-N", "-o", "%N %T", check=False).split("\n")
        return sum(line.endswith("idle") for line in {line.strip() for line in states}) >= len(self.nodes)

    def _run(self, *command: str) -> None:
        with (self.folder / "log" / "daemons.txt").open("ab") as log:
            found = subprocess.Popen(
                command, env={**os.environ, **self.environment}, stdout=log, stderr=log, start_new_session=True
            )
        self.running.append(found)

    def _wait(self, ready: "object", what: str, patience: float = 30.0) -> None:
        until = time.monotonic() + patience
        while time.monotonic() < until:
            if ready():  # type: ignore[operator]
                return
            time.sleep(0.1)
        log = self.folder / "log"
        said = "\n".join(path.read_text(errors="replace")[-2000:] for path in sorted(log.iterdir()))
        raise RuntimeError(f"{what} did not come up: {said}")
