"""What was measured on this machine, kept in one SQLite file that no other user can read. Nothing of it leaves it."""

from outboard.store.database import Store, path

__all__ = ["Store", "path"]
