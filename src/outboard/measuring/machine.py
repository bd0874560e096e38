"""Which machine this is: the name under which figures are kept, without serial, host or user names."""

import hashlib
import os
import re
import sys
from dataclasses import dataclass
from functools import cache

# FLOP of fp32 in a cycle and core: two units of eight lanes that multiply and add (AVX2, four of four on Apple's and
# recent ARM cores), twice that with AVX-512.
LANES, WIDE = 32.0, 64.0
CLOCK = 3e9  # where the system names none [Hz]


@dataclass(frozen=True)
class Machine:
    """What of the computer decides how fast its processor is."""

    processor: str
    cores: int  # that this process may use: torch obeys OMP_NUM_THREADS too
    memory: float  # [B]
    clock: float  # [Hz]
    wide: bool

    @property
    def key(self) -> str:
        """The same on every start, another after the processor, the cores or the memory change."""
        said = f"{self.processor}|{self.cores}|{round(self.memory / 2**30)}"
        return hashlib.sha256(said.encode()).hexdigest()[:16]

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.processor}, {self.cores} cores"

    @property
    def peak(self) -> float:
        """Arithmetic of all cores at that clock [FLOP/s]."""
        return self.cores * self.clock * (WIDE if self.wide else LANES)


@cache
def this() -> Machine:
    """The machine that we are on."""
    from outboard.probe import Live, system

    source = Live()
    text = source.text("/proc/cpuinfo")
    megahertz = re.search(r"^cpu MHz\s*:\s*([\d.]+)", text, re.MULTILINE)
    fastest = source.text("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq")
    clock = float(fastest) * 1e3 if fastest.isdigit() else float(megahertz[1]) * 1e6 if megahertz else CLOCK
    seen = system.read(source)
    return Machine(
        processor=seen.processor or sys.platform,
        cores=_cores(),
        memory=seen.memory or float(_pages()),
        clock=clock,
        wide="avx512f" in text,
    )


def _cores() -> int:
    told = os.environ.get("OMP_NUM_THREADS", "")
    return min(int(told), _allowed()) if told.isdigit() and int(told) else _allowed()


def _allowed() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _pages() -> int:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 8 * 2**30
