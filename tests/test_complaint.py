"""What pydantic found wrong is said in the program's own words."""

from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, ValidationError

from outboard import i18n
from outboard.complaint import complaint


class Sample(BaseModel):
    count: Annotated[int, Field(ge=1, le=8)] = 1
    share: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] = 0.5
    goal: Literal["cheapest", "soonest"] = "cheapest"
    sure: bool = True
    names: tuple[str, ...] = ()


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"count": 0}, "must be 1 or more"),
        ({"count": 9}, "must be 8 or less"),
        ({"count": "many"}, "must be a whole number"),
        ({"count": 1.5}, "must be a whole number"),
        ({"share": 0}, "must be greater than 0.0"),
        ({"share": 1}, "must be less than 1.0"),
        ({"share": "nan"}, "must be a finite number"),
        ({"share": "half"}, "must be a number"),
        ({"goal": "best"}, "must be one of cheapest or soonest"),
        ({"sure": "perhaps"}, "must be true or false"),
        ({"names": 3}, "must be a list"),
        ({"names": [3]}, "must be a text"),
    ],
)
def test_each_kind_of_mistake(said: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Sample.model_validate(said)
    assert complaint(caught.value.errors()[0]) == words


def test_it_speaks_the_language_in_use() -> None:
    with pytest.raises(ValidationError) as caught:
        Sample.model_validate({"count": 0})
    try:
        i18n.use("es")
        assert complaint(caught.value.errors()[0]) == "debe ser 1 o más"
    finally:
        i18n.use("en")
