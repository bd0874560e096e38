"""Whatever stands in a recording, looking at it ends well: other kernels, half files, files that somebody edited."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from outboard.errors import FileError
from outboard.probe import look
from outboard.probe.document import document
from tests.probe import recordings


class Memory:
    """A recording that is no folder."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files
        self.links: dict[str, str] = json.loads(files.get("/links.json", "{}"))

    def text(self, path: str) -> str:
        return self.files.get(path, "")

    def names(self, path: str) -> list[str]:
        return sorted({name[len(path) + 1 :].partition("/")[0] for name in self.files if name.startswith(f"{path}/")})

    def target(self, path: str) -> str:
        return self.links.get(path, "")

    def output(self, command: str) -> str:
        return self.files.get(f"/commands/{command}.txt", "")


machines = st.sampled_from(list(recordings.ALL.values()))
broken = st.one_of(
    st.text(max_size=40),
    st.sampled_from(["0x", "0x0 0x", "-1", "255", "Unknown", "1, 2, 3, 4", '{"address": 1}', "[]", "nan Gb/s", "²"]),
)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_no_content_of_a_file_breaks_it(data: st.DataObject) -> None:
    files = dict(data.draw(machines))
    for path in data.draw(st.lists(st.sampled_from(sorted(files)), max_size=4)):
        if path != "/links.json":
            files[path] = data.draw(broken)
    for name in data.draw(st.lists(st.sampled_from(["nvml", "nvidia-smi", "lspci", "torch", "platform"]), max_size=2)):
        files[f"/commands/{name}.txt"] = data.draw(broken)
    try:
        json.dumps(document(look(Memory(files))), allow_nan=False)
    except FileError:
        raise AssertionError("a file of a recording is not a file of ours") from None
