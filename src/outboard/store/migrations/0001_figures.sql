CREATE TABLE machine (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    first_seen TEXT NOT NULL
) STRICT;
CREATE TABLE figure (
    id INTEGER PRIMARY KEY,
    machine TEXT NOT NULL REFERENCES machine (id),
    device TEXT NOT NULL,
    name TEXT NOT NULL,
    value REAL NOT NULL,
    low REAL NOT NULL,
    high REAL NOT NULL,
    unit TEXT NOT NULL,
    repetitions INTEGER NOT NULL,
    date TEXT NOT NULL,
    versions TEXT NOT NULL,
    CHECK (low <= value AND value <= high)
) STRICT;
CREATE INDEX figure_of ON figure (machine, device, name, id);
