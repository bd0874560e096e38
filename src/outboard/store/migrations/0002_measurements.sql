CREATE TABLE measurement (
    id INTEGER PRIMARY KEY,
    machine TEXT NOT NULL,
    device TEXT NOT NULL,
    job TEXT NOT NULL,
    quantity TEXT NOT NULL,
    value REAL NOT NULL CHECK (value > 0),
    low REAL,
    high REAL,
    forecast REAL,
    cells TEXT NOT NULL,
    date TEXT NOT NULL
) STRICT;
CREATE INDEX measurement_of ON measurement (machine, device, job, quantity, id);
