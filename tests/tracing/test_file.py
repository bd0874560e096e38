"""Trace files: what goes in comes out, and whatever is wrong with a file is one clear error."""

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outboard.errors import FileError
from outboard.tracing import file
from outboard.tracing.optimizer import attach, detach
from outboard.types.trace import Affine, Trace

Same = Callable[[object, object], bool]


def reload(trace: Trace) -> Trace:
    return file.from_bytes(file.to_bytes(trace), "t.trace")


def rewritten(trace: Trace, **header: object) -> bytes:
    """The file of a trace with other values in its header, or another body."""
    head, body = gzip.decompress(file.to_bytes(trace)).split(b"\n", 1)
    body = header.pop("body", body)
    return gzip.compress(json.dumps({**json.loads(head), **header}).encode() + b"\n" + body)  # type: ignore[operator]


def test_a_round_trip_changes_nothing(trace: Trace, tmp_path: Path, same: Same) -> None:
    file.save(trace, tmp_path / "a.trace")
    assert same(file.load_bare(tmp_path / "a.trace"), trace)
    assert [path.name for path in tmp_path.iterdir()] == ["a.trace"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1), st.data())
def test_any_number_survives(trace: Trace, same: Same, numbers: list[float], data: st.DataObject) -> None:
    count = len(trace.tensors)
    draw = st.lists(st.sampled_from(numbers), min_size=count, max_size=count)
    size = Affine(np.array(data.draw(draw)), np.array(data.draw(draw)))
    odd = replace(trace, tensors=replace(trace.tensors, size=size))
    assert same(reload(odd), odd)


def test_equal_traces_are_equal_files(trace: Trace) -> None:
    assert file.to_bytes(trace) == file.to_bytes(trace)


def test_the_optimizer_is_not_stored_but_remembered(trace: Trace, tmp_path: Path, same: Same) -> None:
    ours = attach(trace, "adamw-8bit")
    file.save(ours, tmp_path / "a.trace")
    assert same(file.load_bare(tmp_path / "a.trace"), detach(ours))
    assert same(file.load(tmp_path / "a.trace"), ours)


def test_a_damaged_file_is_never_half_a_trace(trace: Trace) -> None:
    data = file.to_bytes(trace)
    for cut in (3, 12, len(data) // 2, len(data) - 1):
        with pytest.raises(FileError, match="damaged or cut short"):
            file.from_bytes(data[:cut], "t.trace")
    flipped = bytearray(data)
    flipped[len(data) // 2] ^= 0xFF
    with pytest.raises(FileError, match="damaged or cut short"):
        file.from_bytes(bytes(flipped), "t.trace")


def test_another_checksum_is_damage(trace: Trace) -> None:
    with pytest.raises(FileError, match="damaged"):
        file.from_bytes(rewritten(trace, sha256="0" * 64), "t.trace")


def test_another_version_says_which_side_is_old(trace: Trace) -> None:
    with pytest.raises(FileError, match=r"t\.trace: has trace format 99, this Outboard reads 1; update Outboard"):
        file.from_bytes(rewritten(trace, version=99), "t.trace")
    with pytest.raises(FileError, match=r"format 0.*trace the model again"):
        file.from_bytes(rewritten(trace, version=0), "t.trace")


@pytest.mark.parametrize(
    "data", [b"", b"hello", b"PK\x03\x04zip", gzip.compress(b"hello"), gzip.compress(b'{"a": 1}\n')]
)
def test_what_is_no_trace_is_called_so(data: bytes) -> None:
    with pytest.raises(FileError, match="is not a trace; make one with: outboard trace"):
        file.from_bytes(data, "t.trace")


@pytest.mark.parametrize(
    "change", [{"pool": []}, {"operators": {}}, {"info": {"a": 1}}, {"tensors": None}, {"parameters": 3}]
)
def test_values_that_do_not_fit_are_refused(trace: Trace, change: dict[str, object]) -> None:
    import hashlib

    plain = json.loads(gzip.decompress(file.to_bytes(trace)).split(b"\n", 1)[1])
    body = json.dumps({**plain, **change}).encode()
    with pytest.raises(FileError, match="is not a complete trace"):
        file.from_bytes(rewritten(trace, body=body, sha256=hashlib.sha256(body).hexdigest()), "t.trace")


def test_missing_files_and_folders_are_named(trace: Trace, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read"):
        file.load(tmp_path / "no.trace")
    with pytest.raises(FileError, match="cannot be written"):
        file.save(trace, tmp_path / "no" / "a.trace")
