"""The numbered migrations, and how a file is brought from any released schema to the newest."""

import re
import sqlite3
from functools import cache
from pathlib import Path

from outboard.errors import FileError
from outboard.i18n import _

FOLDER = Path(__file__).with_name("migrations")
NUMBERED = re.compile(r"^(\d{4})_\w+\.sql$")


@cache
def migrations() -> tuple[str, ...]:
    """The scripts in order; the first brings an empty file to version 1."""
    return tuple(one.read_text(encoding="utf-8") for one in sorted(FOLDER.iterdir()) if NUMBERED.match(one.name))


def migrate(connection: sqlite3.Connection, where: Path, upto: int | None = None) -> None:
    """Apply what is missing, all of it or nothing: two processes may try at once, and either may be killed.

    Raises :class:`~outboard.errors.FileError` for a file that a newer Outboard wrote.
    """
    scripts = migrations()[:upto]
    if _version(connection) == len(scripts):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        found = _version(connection)  # again: another process may have been first
        if found > len(migrations()):
            problem = _("has schema {found}, and this Outboard knows {known}").format(
                found=found, known=len(migrations())
            )
            raise FileError(where, problem, right=_("update Outboard, or name another folder in OUTBOARD_DATA_DIR"))
        for script in scripts[found:]:
            for statement in filter(str.strip, script.split(";")):
                connection.execute(statement)
        if found < len(scripts):
            connection.execute(f"PRAGMA user_version = {len(scripts)}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
