"""The published schemas: valid, current, and true of what is printed."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import jsonschema
import pytest

from outboard import schema
from outboard.schema import documents
from tests.cli import made
from tests.cli.conftest import Run

SCRIPTS = Path(__file__).parent.parent.parent / "scripts"


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", schema.names())
def test_a_schema_is_valid_and_printed_as_it_is(run: Run, name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schema.load(name))
    assert json.loads(run("schema", name).out) == schema.load(name)


def test_the_schemas_are_what_the_script_writes() -> None:
    written = script("schemas").schemas()
    assert sorted(written) == schema.names()
    for name, body in written.items():
        assert schema.load(name) == body, f"{name}: make schemas"


@pytest.mark.parametrize("tree", [False, True])
def test_a_forecast_satisfies_its_schema(tree: bool) -> None:
    made_here = made.estimate()
    jsonschema.validate(documents.estimate(made_here, tree), schema.load("estimate"))
    jsonschema.validate(documents.compare([made_here, made_here], tree), schema.load("compare"))


def test_the_names_are_listed(run: Run) -> None:
    assert run("schema").out.split() == schema.names()
    assert json.loads(run("schema", "--json").out) == schema.names()
