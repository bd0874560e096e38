CREATE TABLE run (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    place_where TEXT NOT NULL,
    place TEXT NOT NULL,
    reference TEXT NOT NULL,
    folder TEXT NOT NULL,
    generation INTEGER NOT NULL CHECK (generation > 0),
    state TEXT NOT NULL,
    why TEXT NOT NULL,
    created TEXT NOT NULL,
    job TEXT NOT NULL,
    forecast TEXT NOT NULL,
    told TEXT NOT NULL,
    fallback TEXT NOT NULL
) STRICT;
CREATE INDEX run_created ON run (created);
