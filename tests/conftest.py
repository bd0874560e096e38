"""What every test may ask for."""

import pytest

pytest_plugins = ("tests.engines.fixtures",)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write tests/golden again from what the program prints now"
    )
