"""Rebuild the traces that ship: ``python -m outboard.tracing.zoo.build [MODEL ...] [--missing]``. Needs torch.

``--missing`` builds only what is not there or comes from another recorder. Nothing is taken from the cache.
"""

import argparse
import sys
import time

from outboard.errors import OutboardError
from outboard.tracing import file
from outboard.tracing.fingerprint import recorder_hash
from outboard.tracing.live import record_trace
from outboard.tracing.zoo.entries import Entry, Variant, entries, find
from outboard.types.job import Job


def build(entry: Entry, variant: Variant) -> int:
    """Trace one variant and write its file; returns its size [B]."""
    job = Job.model_validate(variant.job_fields() | {"workload": entry.workload})
    trace = record_trace(job).with_info(command=f"python -m outboard.tracing.zoo.build {entry.name}")
    path = entry.path(variant)
    path.parent.mkdir(parents=True, exist_ok=True)
    file.save(trace, path)
    return path.stat().st_size


def stale(entry: Entry, variant: Variant) -> bool:
    """Whether the file of a variant is missing, unreadable or made by another recorder than the present one."""
    try:
        return file.load_bare(entry.path(variant)).info.versions.get("recorder") != recorder_hash()
    except OutboardError:
        return True


def remove_others(entry: Entry) -> None:
    """Delete files of variants that are no longer in the table."""
    wanted = {entry.path(variant) for variant in entry.variants}
    for path in (entry.path(entry.variants[0])).parent.glob("*.trace"):
        if path not in wanted:
            path.unlink()


def main(arguments: list[str] | None = None) -> int:
    """Build the named models, or all; returns 1 if any refused."""
    parser = argparse.ArgumentParser(description="rebuild the traces that ship")
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--missing", action="store_true", help="only what is missing or stale")
    options = parser.parse_args(arguments)
    failed = 0
    for entry in [find(name) for name in options.models] or entries():
        remove_others(entry)
        for variant in entry.variants:
            if options.missing and not stale(entry, variant):
                continue
            began = time.monotonic()
            try:
                size = build(entry, variant)
            except OutboardError as error:
                failed = 1
                print(f"{entry.name} {variant.stem}: {error}", file=sys.stderr)
                continue
            print(f"{entry.name} {variant.stem}: {size} B in {time.monotonic() - began:.1f} s", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
