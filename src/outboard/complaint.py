"""What pydantic found wrong with a value, in the words and the language of the program."""

from typing import TYPE_CHECKING

from outboard.i18n import _

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


def complaint(error: "ErrorDetails") -> str:
    """Return what is wrong with a value, without naming it.

    >>> complaint({"type": "greater_than", "loc": ("seq_len",), "msg": "", "input": 0, "ctx": {"gt": 0}})
    'must be greater than 0'
    """
    text = _texts().get(error["type"])
    if text is None:
        return error["msg"].removeprefix("Value error, ")
    context = error.get("ctx", {})
    return text.format(**{**context, "expected": str(context.get("expected", "")).replace("'", "")})


def _texts() -> dict[str, str]:
    number, whole = _("must be a number"), _("must be a whole number")
    group, items = _("must be a group of keys"), _("must be a list")
    return {
        "literal_error": _("must be one of {expected}"),
        "greater_than": _("must be greater than {gt}"),
        "greater_than_equal": _("must be {ge} or more"),
        "less_than": _("must be less than {lt}"),
        "less_than_equal": _("must be {le} or less"),
        "float_parsing": number,
        "float_type": number,
        "finite_number": _("must be a finite number"),
        "int_parsing": whole,
        "int_parsing_size": whole,
        "int_from_float": whole,
        "int_type": whole,
        "bool_parsing": _("must be true or false"),
        "bool_type": _("must be true or false"),
        "string_type": _("must be a text"),
        "model_type": group,
        "model_attributes_type": group,
        "dict_type": group,
        "list_type": items,
        "tuple_type": items,
    }
