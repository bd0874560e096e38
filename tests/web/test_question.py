"""An address is a question, and a question is an address."""

from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outboard.tracing import zoo
from outboard.web import question
from outboard.web.fields import FieldError
from outboard.web.question import Question, offered, read


def again(asked: Question) -> Question:
    return read(dict(parse_qsl(asked.query(), keep_blank_values=True)))


def test_nothing_said_is_the_usual_question() -> None:
    assert read({}) == Question()
    assert again(Question()) == Question()


@given(
    hours=st.integers(0, 168),
    months=st.integers(1, 120),
    task=st.sampled_from(["train", "finetune", "infer"]),
    have=st.lists(st.sampled_from(["rtx-3090@tb3", "l4", "rtx-4090x2@pcie4-x16", "t4"]), max_size=4, unique=True),
    batch=st.one_of(st.just("auto"), st.integers(1, 4096).map(str)),
    flags=st.tuples(*[st.sampled_from(["yes", "no"])] * 3),
    samples=st.one_of(st.just(""), st.integers(1, 10**9).map(str)),
)
def test_every_question_survives_its_address(
    hours: int, months: int, task: str, have: list[str], batch: str, flags: tuple[str, str, str], samples: str
) -> None:
    cloud, leave, carry = flags
    said = {"hours": str(hours), "months": str(months), "task": task, "have": ", ".join(have), "batch": batch}
    asked = read({**said, "cloud": cloud, "leave": leave, "carry": carry, "samples": samples})
    assert again(asked) == asked


def test_a_link_says_what_another_machine_would_take_for_granted() -> None:
    mine = read({}, Question(have=("l4",), country="MX", host="framework-16"))
    assert again(mine) == mine


@pytest.mark.parametrize(
    ("field", "value", "right"),
    [
        ("w", "python:evil.py:main", "zoo:resnet50"),
        ("w", "timm:resnet50", "zoo:resnet50"),
        ("w", "/etc/passwd.trace", "zoo:resnet50"),
        ("w", "zoo:resnet5", "nearest: zoo:resnet50"),
        ("task", "sleep", "train, finetune, infer"),
        ("precision", "fp7", "fp32"),
        ("batch", "0", "from 1 to"),
        ("batch", "many", "or auto"),
        ("have", "rtx-3060@warp", "warp"),
        ("have", "rtx-9999", "rtx-9999"),
        ("host", "toaster", "toaster"),
        ("hours", "169", "from 0 to 168"),
        ("hours", "nan", "from 0 to 168"),
        ("hours", "inf", "from 0 to 168"),
        ("months", "1.5", "whole number"),
        ("country", "XX", "XX"),
        ("budget", "1500", "1500 EUR"),
        ("budget", "1.500 EUR", "two ways"),
        ("electricity", "0.2 EUR", "EUR/kWh"),
        ("own_hour", "5", "EUR/h"),
        ("goal", "best", "cheapest"),
        ("cloud", "perhaps", "yes, no"),
        ("samples", "-1", "from 1 to"),
        ("epochs", "0", "from 0.001"),
        ("os", "beos", "linux, windows, macos"),
        ("have", "a" * 401, "longer than 400"),
        ("budget", "1500\x00EUR", "cannot be printed"),
        ("beside", ", ".join(["l4"] * 13), "12 places at most"),
    ],
)
def test_what_is_wrong_is_said_with_field_and_what_would_be_right(field: str, value: str, right: str) -> None:
    with pytest.raises(FieldError) as caught:
        read({field: value})
    assert caught.value.field == field
    assert right in str(caught.value)


def test_a_place_is_needed() -> None:
    with pytest.raises(FieldError, match="at least one place"):
        read({"have": "", "beside": ""})


def test_a_decimal_comma_is_a_number() -> None:
    assert read({"hours": "7,5"}).hours == 7.5


def test_a_precision_that_was_never_recorded_is_replaced_and_told() -> None:
    asked = read({"w": "zoo:llama-3.1-8b", "task": "infer", "precision": "amp-fp16"})
    assert asked.precision == "fp16"
    assert "amp-fp16" in asked.notes[0]


@pytest.mark.parametrize("entry", zoo.entries(), ids=lambda entry: entry.name)
def test_whatever_the_controls_offer_is_recorded(entry: zoo.Entry) -> None:
    workload = f"zoo:{entry.name}"
    for task in ("train", "finetune", "infer"):
        first = read({"w": workload, "task": task})
        has = offered(workload, task, first.precision)
        assert has is not None
        for precision in has.precisions:
            for size in has.sizes:
                asked = read({"w": workload, "task": task, "precision": precision, "size": str(size)})
                assert (asked.precision, asked.size, asked.notes) == (precision, size, ())


def test_it_opens_on_what_this_machine_has(monkeypatch: pytest.MonkeyPatch) -> None:
    from outboard.planner import detect, questions

    monkeypatch.setattr(question, "_seen", lambda: ["rtx-4070@tb4"])
    monkeypatch.setattr(detect, "host", lambda: "framework-16")
    monkeypatch.setattr(questions, "country_here", lambda: "MX")
    found = question.here()
    assert (found.have, found.host, found.country) == (("rtx-4070@tb4",), "framework-16", "MX")


def test_it_opens_in_any_case(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> list[str]:
        raise OSError("no such device")

    monkeypatch.setattr(question, "_seen", fails)
    assert question.here() == Question()
