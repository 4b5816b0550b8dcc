#include "sqlite_schema.h"

#include <stddef.h>

#include "reporter/profile/counts.h"

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

/* Columns of all figures, followed by an interval for each. A comma precedes each of them. */
#define COLUMN(name, member, key, bytes, what) ", " key " INTEGER"
#define INTERVAL(name, member, key, bytes, what) ", " key "_low INTEGER, " key "_high INTEGER"
#define FIGURES MP_EACH_FIGURE(COLUMN) MP_EACH_FIGURE(INTERVAL)

/* Columns of figures that views show of a table c. */
#define SHOWN                                                                                      \
    "c.allocs, c.bytes, c.frees, c.freed_bytes, c.kept, c.kept_bytes, c.temporary, c.peak, "       \
    "c.peak_bytes, c.allocs_low, c.allocs_high, c.bytes_low, c.bytes_high, c.kept_low, "           \
    "c.kept_high, c.kept_bytes_low, c.kept_bytes_high, c.peak_bytes_low, c.peak_bytes_high"

/* All runs share the tables of names, so the same chain has the same id in all runs. */
const char *const mp_sqlite_schema[] = {
    "CREATE TABLE runs (id INTEGER PRIMARY KEY, name TEXT NOT NULL, part TEXT NOT NULL,"
    "  program TEXT, command TEXT, host TEXT, pid INTEGER, started_ns INTEGER, duration_ns INTEGER,"
    "  language TEXT, source TEXT, monitor TEXT, sample_period INTEGER, allocs INTEGER, bytes INTEGER,"
    "  peak_bytes INTEGER, head TEXT NOT NULL, lifetimes INTEGER NOT NULL, UNIQUE (name, part))",
    "CREATE TABLE labels (run INTEGER NOT NULL REFERENCES runs, key TEXT NOT NULL, value TEXT NOT NULL,"
    "  PRIMARY KEY (run, key)) WITHOUT ROWID",
    "CREATE INDEX labels_by_key ON labels (key, value)",
    "CREATE TABLE processes (run INTEGER NOT NULL REFERENCES runs, number INTEGER NOT NULL, program TEXT,"
    "  pid INTEGER, parent_pid INTEGER, host TEXT, started_ns INTEGER, duration_ns INTEGER, data TEXT,"
    "  allocs INTEGER, bytes INTEGER, kept INTEGER, kept_bytes INTEGER, peak_bytes INTEGER,"
    "  PRIMARY KEY (run, number)) WITHOUT ROWID",
    "CREATE TABLE marks (run INTEGER NOT NULL REFERENCES runs, number INTEGER NOT NULL, kind TEXT NOT NULL,"
    "  name TEXT, time_ns INTEGER NOT NULL, exact INTEGER NOT NULL, live_bytes INTEGER,"
    "  live_blocks INTEGER, pause_ns INTEGER, heap_before INTEGER, heap_after INTEGER,"
    "  PRIMARY KEY (run, number)) WITHOUT ROWID",
    "CREATE TABLE points (run INTEGER NOT NULL REFERENCES runs, number INTEGER NOT NULL, time_ns INTEGER NOT NULL,"
    "  live_bytes INTEGER, live_lisp_bytes INTEGER, live_blocks INTEGER, allocs INTEGER, bytes INTEGER,"
    "  resident_bytes INTEGER,"
    "  PRIMARY KEY (run, number)) WITHOUT ROWID",
    "CREATE TABLE bins (run INTEGER NOT NULL REFERENCES runs, size INTEGER NOT NULL" FIGURES
    ", PRIMARY KEY (run, size)) WITHOUT ROWID",
    "CREATE TABLE modules (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE)",
    "CREATE TABLE loaded (run INTEGER NOT NULL REFERENCES runs, number INTEGER NOT NULL,"
    "  module INTEGER NOT NULL REFERENCES modules, build_id TEXT, problem TEXT,"
    "  PRIMARY KEY (run, number)) WITHOUT ROWID",
    "CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE)",
    "CREATE TABLE functions (id INTEGER PRIMARY KEY, name TEXT NOT NULL, plain TEXT NOT NULL,"
    "  module INTEGER REFERENCES modules, file INTEGER REFERENCES files)",
    "CREATE INDEX functions_by_name ON functions (name, module, file)",
    "CREATE INDEX functions_by_plain ON functions (plain)",
    "CREATE TABLE frames (id INTEGER PRIMARY KEY, function INTEGER NOT NULL REFERENCES functions,"
    "  file INTEGER REFERENCES files, line INTEGER, inlined INTEGER NOT NULL)",
    "CREATE INDEX frames_by_function ON frames (function, line, file, inlined)",
    "CREATE TABLE contexts (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES contexts,"
    "  frame INTEGER REFERENCES frames)",
    "CREATE INDEX contexts_by_parent ON contexts (parent, frame)",
    "INSERT INTO contexts VALUES (0, NULL, NULL)",
    "CREATE TABLE types (id INTEGER PRIMARY KEY, name TEXT NOT NULL, size_class TEXT)",
    "CREATE INDEX types_by_name ON types (name, size_class)",
    "CREATE TABLE cells (run INTEGER NOT NULL REFERENCES runs, context INTEGER NOT NULL REFERENCES contexts,"
    "  type INTEGER NOT NULL REFERENCES types" FIGURES ")",
    "CREATE TABLE lifetimes (run INTEGER NOT NULL REFERENCES runs, context INTEGER NOT NULL REFERENCES contexts,"
    "  type INTEGER NOT NULL REFERENCES types, least INTEGER NOT NULL, below INTEGER, blocks INTEGER NOT NULL,"
    "  bytes INTEGER NOT NULL, PRIMARY KEY (run, context, type, least)) WITHOUT ROWID",
    "CREATE INDEX cells_by_run ON cells (run, context)",
    "CREATE INDEX cells_kept ON cells (context, run) WHERE kept > 0",
    "CREATE TABLE self (function INTEGER NOT NULL REFERENCES functions, run INTEGER NOT NULL REFERENCES runs"
    FIGURES ", PRIMARY KEY (function, run)) WITHOUT ROWID",
    "CREATE INDEX self_by_run ON self (run)",
    "CREATE TABLE inclusive (function INTEGER NOT NULL REFERENCES functions,"
    "  run INTEGER NOT NULL REFERENCES runs" FIGURES ", PRIMARY KEY (function, run)) WITHOUT ROWID",
    "CREATE INDEX inclusive_by_run ON inclusive (run)",
    "CREATE TABLE type_sums (type INTEGER NOT NULL REFERENCES types, run INTEGER NOT NULL REFERENCES runs"
    FIGURES ", PRIMARY KEY (type, run)) WITHOUT ROWID",
    "CREATE INDEX type_sums_by_run ON type_sums (run)",
    /* ---------------------------------------------------------------- as the report's tables */
    "CREATE VIEW chains (context, chain) AS SELECT c.id, (WITH RECURSIVE up (parent, chain) AS ("
    "    SELECT c.parent, (SELECT n.name FROM frames f JOIN functions n ON n.id = f.function WHERE f.id = c.frame)"
    "    UNION ALL SELECT x.parent, n.name || ' > ' || up.chain FROM up JOIN contexts x ON x.id = up.parent"
    "      JOIN frames f ON f.id = x.frame JOIN functions n ON n.id = f.function)"
    "  SELECT chain FROM up WHERE parent = 0) FROM contexts c",
    "CREATE VIEW named AS SELECT n.id AS function, n.name, n.plain, m.path AS module, f.path AS file"
    "  FROM functions n LEFT JOIN modules m ON m.id = n.module LEFT JOIN files f ON f.id = n.file",
    "CREATE VIEW direct AS SELECT c.run, n.name AS function, n.module, n.file, " SHOWN
    "  FROM self c JOIN named n ON n.function = c.function WHERE c.allocs <> 0 OR c.bytes <> 0 OR c.kept_bytes <> 0",
    "CREATE VIEW graph AS SELECT c.run, n.name AS function, n.module, n.file, s.bytes AS self_bytes, "
    SHOWN "  FROM inclusive c JOIN self s ON s.function = c.function AND s.run = c.run"
    "  JOIN named n ON n.function = c.function",
    "CREATE VIEW sites AS SELECT c.run, c.context, n.name AS function, p.path AS file, f.line,"
    "  t.name AS type, t.size_class, (SELECT chain FROM chains WHERE context = c.context) AS chain, " SHOWN
    "  FROM cells c JOIN types t ON t.id = c.type LEFT JOIN contexts x ON x.id = c.context"
    "  LEFT JOIN frames f ON f.id = x.frame LEFT JOIN functions n ON n.id = f.function"
    "  LEFT JOIN files p ON p.id = f.file",
    "CREATE VIEW leaks AS SELECT * FROM sites WHERE kept > 0 AND size_class IS NOT NULL",
    "CREATE VIEW function_types AS SELECT c.run, n.name AS function, t.name AS type, t.size_class,"
    "  sum(c.allocs) AS allocs, sum(c.bytes) AS bytes, sum(c.kept) AS kept, sum(c.kept_bytes) AS kept_bytes"
    "  FROM cells c JOIN types t ON t.id = c.type JOIN contexts x ON x.id = c.context"
    "  JOIN frames f ON f.id = x.frame JOIN functions n ON n.id = f.function GROUP BY c.run, n.id, t.id",
    "CREATE VIEW lived AS SELECT l.run, l.context, n.name AS function, p.path AS file, f.line,"
    "  t.size_class, (SELECT chain FROM chains WHERE context = l.context) AS chain, l.least, l.below, l.blocks, l.bytes"
    "  FROM lifetimes l JOIN types t ON t.id = l.type LEFT JOIN contexts x ON x.id = l.context"
    "  LEFT JOIN frames f ON f.id = x.frame LEFT JOIN functions n ON n.id = f.function"
    "  LEFT JOIN files p ON p.id = f.file",
    "CREATE VIEW by_type AS SELECT c.run, t.name AS type, t.size_class, " SHOWN
    "  FROM type_sums c JOIN types t ON t.id = c.type",
    "CREATE VIEW collections AS SELECT run, number, time_ns, pause_ns, heap_before, heap_after,"
    "  heap_before - heap_after AS freed FROM marks WHERE kind = 'collection'",
    "PRAGMA application_id = " TEXT(MP_SQLITE_APPLICATION),
    "PRAGMA user_version = " TEXT(MP_SQLITE_VERSION),
    NULL};
