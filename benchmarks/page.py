"""Measures how quick the page is, beside what it promises: ``python benchmarks/page.py``.

A change is what the browser asks for when a control moves: the answer on fit and rate at once, and after it the plan.
Each question is asked once only, so that no answer is found ready; the models of the zoo have been read, as they are
half a minute after the page starts. Seconds of the server's processor stand beside those of the clock, because other
work on the machine makes only the latter larger.
"""

import argparse
import gzip
import http.client
import json
import os
import random
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlencode, urlsplit

PROGRAM = [sys.executable, "-c", "import sys; from outboard.cli import main; sys.exit(main())"]
PLACES = ("rtx-3060-12gb@tb3", "rtx-3090@tb3", "rtx-4090@tb4", "rtx-4060-ti-16gb@oculink-pcie4-x4", "l4", "t4")
MODELS = ("resnet50", "resnet18", "bert-base", "gpt2", "vit_base_patch16_224", "llama-3.2-1b", "efficientnet_b0")
PART = {"HX-Request": "true", "Accept-Encoding": "gzip"}
READY = 30.0  # until the zoo has been read [s]
TICK = os.sysconf("SC_CLK_TCK")


def questions(count: int, seed: int) -> list[str]:
    """Questions that differ, as people who move controls ask them."""
    draw = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < count:
        said = {
            "w": f"zoo:{draw.choice(MODELS)}",
            "task": draw.choice(("train", "infer")),
            "have": draw.choice(PLACES),
            "hours": str(draw.randint(1, 168)),
            "batch": draw.choice(("auto", "auto", str(draw.randint(1, 64)))),
            "months": str(draw.choice((12, 24, 36))),
        }
        found.setdefault(urlencode(said))
    return list(found)


class Site:
    """A page that was started for this."""

    def __init__(self) -> None:
        environment = {**os.environ, "LANGUAGE": "en", "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            [*PROGRAM, "serve", "--port", "0", "--json"], stdout=subprocess.PIPE, text=True, env=environment
        )
        assert self.process.stdout is not None
        told = json.loads("".join(self.process.stdout.readline() for _line in range(3)))
        self.place = urlsplit(told["address"]).netloc

    def get(self, path: str) -> tuple[float, bytes]:
        """Seconds, and what came."""
        begun = time.perf_counter()
        connection = http.client.HTTPConnection(self.place, timeout=60)
        connection.request("GET", path, headers=PART)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        if answer.status != 200:
            sys.exit(f"{path}: {answer.status}")
        return time.perf_counter() - begun, body

    def cpu(self) -> float:
        """Seconds of the processor so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def close(self) -> None:
        """End it."""
        self.process.terminate()
        self.process.wait()


def told(name: str, seconds: list[float], cpu: float, target: float | None) -> dict[str, object]:
    """One line, printed and kept."""
    ordered = sorted(seconds)
    p95 = ordered[min(int(0.95 * len(ordered)), len(ordered) - 1)]
    row = {
        "name": name,
        "median_ms": round(1e3 * statistics.median(ordered), 1),
        "p95_ms": round(1e3 * p95, 1),
        "longest_ms": round(1e3 * ordered[-1], 1),
        "cpu_ms_each": round(1e3 * cpu / len(ordered), 1),
        "target_ms": target,
    }
    print(
        f"{name:42} median {row['median_ms']:7} p95 {row['p95_ms']:7} longest {row['longest_ms']:7}"
        f" cpu {row['cpu_ms_each']:7} ms" + (f"  (promised {target:.0f})" if target else ""),
        flush=True,
    )
    return row


def measured(site: Site, count: int, people: int) -> list[dict[str, object]]:
    """Every figure."""
    rows = []
    asked = questions(count, 1)

    def series(name: str, paths: list[str], target: float | None) -> None:
        before = site.cpu()
        seconds = [site.get(path)[0] for path in paths]
        rows.append(told(name, seconds, site.cpu() - before, target))

    series("a change, never asked before", [f"/?{one}" for one in asked], 100.0)
    series("the plan after it", [f"/plan?{one}" for one in asked[: count // 4]], None)
    series("the same again, plan and all", [f"/?{one}" for one in asked[: count // 4]], 100.0)
    series("language models", [f"/llm?on={place}&users={n}" for place in PLACES for n in (1, 2, 3)], 100.0)
    for name, paths in (
        (f"{people} at once, each another question", [f"/?{one}" for one in questions(people, 2)]),
        (f"{people} at once, the page it opens with", ["/"] * people),
    ):
        before = site.cpu()
        with ThreadPoolExecutor(people) as pool:
            seconds = [one for one, _body in pool.map(site.get, paths)]
        rows.append(told(name, seconds, site.cpu() - before, 500.0))
    rows.append(weight(site))
    return rows


def weight(site: Site) -> dict[str, object]:
    """What a browser loads for the first page, compressed."""
    connection = http.client.HTTPConnection(site.place, timeout=60)
    connection.request("GET", "/")
    page = connection.getresponse().read()
    connection.close()
    parts = [part.split('"')[0] for part in page.decode().split('"/static/')[1:]]
    loaded = [gzip.compress(site_bytes(site, f"/static/{part}"), 5) for part in dict.fromkeys(parts)]
    total = len(gzip.compress(page, 5)) + sum(map(len, loaded))
    print(f"{'page, scripts and styles, compressed':42} {total / 1e3:.0f} kB  (promised 400)")
    return {"name": "weight", "bytes": total, "target_bytes": 400_000}


def site_bytes(site: Site, path: str) -> bytes:
    """A file as it is."""
    connection = http.client.HTTPConnection(site.place, timeout=60)
    connection.request("GET", path)
    body = connection.getresponse().read()
    connection.close()
    return body


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=80, help="questions in a row [80]")
    parser.add_argument("--people", type=int, default=20, help="how many ask at once [20]")
    parser.add_argument("--json", metavar="FILE", help="also write the figures there")
    options = parser.parse_args()
    site = Site()
    try:
        time.sleep(READY)
        rows = measured(site, options.count, options.people)
    finally:
        site.close()
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
