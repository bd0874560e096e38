"""The three forms of an option that describes a job; all are None when not given."""

import inspect

from outboard.cli import parameters
from outboard.cli.choices import Reader, one_of


def choice(name: str, flag: str, values: tuple[str, ...], help: str, default: str) -> inspect.Parameter:
    """An option with one of some words as its value."""
    return parameters.option(name, flag, "|".join(values), f"{help} [{default}]", one_of(flag, values))


def number(name: str, flag: str, metavar: str, read: Reader, help: str) -> inspect.Parameter:
    """An option whose value ``read`` understands."""
    return parameters.option(name, flag, metavar, help, read)


def switch(name: str, flags: str, help: str) -> inspect.Parameter:
    """An option without a value, which nobody may have given."""
    return parameters.flag(name, flags, help, default=None)
