/* SPDX-License-Identifier: MIT */
#include "sqlite_db.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reporter/base/arena.h"
#include "reporter/base/open_file.h"
#include "reporter/base/text.h"
#include "reporter/profile/counts.h"
#include "runtime/utf8.h"

#define WAIT_MS 5000            /* maximum time to wait for another writer, in ms */

/* These are variables because SQLite passes no data of its caller to open_for_sqlite() and unlink_for_sqlite(). */
static char *database;          /* absolute path of the database, as SQLite names it */
static const char *foreign;     /* suffix of the file beside the database that belongs to another user and so prevents
                                   its use; NULL if there is none */

/* ---------------------------------------------------------------- the library */

#define LIBRARY "libsqlite3.so.0"

/* The functions of SQLite that are used here, without sqlite3_. */
#define FUNCTIONS(each)                                                                            \
    each(bind_int64) each(bind_text) each(busy_timeout) each(clear_bindings) each(close)           \
    each(column_int64) each(db_config) each(errmsg) each(errstr) each(exec) each(file_control)     \
    each(finalize) each(get_autocommit) each(open_v2) each(prepare_v2) each(reset) each(step)      \
    each(system_errno) each(vfs_find)

#define POINTER(name) __typeof__(sqlite3_##name) *name;
#define FIND(name) *(void **)&lib.name = dlsym(RTLD_DEFAULT, "sqlite3_" #name);
#define IS_THERE(name) && lib.name

/* SQLite is loaded when a database is opened. Otherwise each command of mprof would bind its 1,600 symbols. */
static struct {
    FUNCTIONS(POINTER)
} lib;

/* Sets LIB. Its library belongs to the global scope, so that a preloaded library can replace its functions. */
static bool
load(const char *path, struct mp_error *error)
{
    if (!dlopen(LIBRARY, RTLD_LAZY | RTLD_GLOBAL))
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET,
                       "%s: no SQLite: %s; Debian's package libsqlite3-0 has it", path, dlerror());
    FUNCTIONS(FIND)
    return (true FUNCTIONS(IS_THERE)) ||
           mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s is too old", path, LIBRARY);
}

/* ---------------------------------------------------------------- what goes wrong */

static void
refuse(struct mp_db *db, int failed, const char *why)
{
    if (db->failed != SQLITE_OK)
        return;
    db->failed = failed;
    mp_fail(db->error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", db->path, why);
}

/* Notes the error if RESULT, which SQLite returned, is one. */
static void
note(struct mp_db *db, int result)
{
    switch (result & 0xff) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE:
        return;
    case SQLITE_NOMEM:
        mp_no_memory();
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        refuse(db, result, "another process writes to it, and does not end");
        return;
    case SQLITE_NOTADB:
        refuse(db, result, "no database of SQLite");
        return;
    case SQLITE_CORRUPT:
        refuse(db, result, "damaged database");
        return;
    default:
        if (foreign) {
            char why[64];

            snprintf(why, sizeof why, "the file with %s after this name belongs to another user", foreign);
            refuse(db, result, why);
            return;
        }
        refuse(db, result, db->sqlite ? lib.errmsg(db->sqlite) : lib.errstr(result));
    }
}

/* ---------------------------------------------------------------- signals */

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};

#define N_ENDING (sizeof ending / sizeof *ending)

/* Blocks signals that would end the process in a transaction. A process that ended there would leave the journal and,
 * if the file is new, an incomplete database. */
static void
block_signals(struct mp_db *db)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < N_ENDING; i++)
        sigaddset(&set, ending[i]);
    sigprocmask(SIG_BLOCK, &set, &db->mask);
    sigaction(SIGXFSZ, &ignore, &db->too_large);        /* makes write() fail instead */
}

static void
unblock_signals(const struct mp_db *db)
{
    sigaction(SIGXFSZ, &db->too_large, NULL);
    sigprocmask(SIG_SETMASK, &db->mask, NULL);
}

/* Returns whether a signal that would end the process is pending. Ignored signals are pending, too, while they are
 * blocked. */
static bool
is_interrupted(const struct mp_db *db)
{
    struct sigaction action;
    sigset_t pending;

    sigpending(&pending);
    for (size_t i = 0; i < N_ENDING; i++)
        if (sigismember(&pending, ending[i]) && !sigismember(&db->mask, ending[i]) &&
            sigaction(ending[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            return true;
    return false;
}

static void
heed_signals(struct mp_db *db)
{
    if (is_interrupted(db))
        refuse(db, SQLITE_INTERRUPT, "interrupted");
}

/* ---------------------------------------------------------------- statements */

sqlite3_stmt *
mp_db_prepare(struct mp_db *db, const char *sql)
{
    sqlite3_stmt *statement = NULL;

    if (db->failed == SQLITE_OK)
        note(db, lib.prepare_v2(db->sqlite, sql, -1, &statement, NULL));
    return statement;
}

void
mp_db_done(sqlite3_stmt *statement)
{
    if (statement)
        lib.finalize(statement);
}

void
mp_db_number(sqlite3_stmt *statement, int column, uint64_t value)
{
    if (statement)
        lib.bind_int64(statement, column, (int64_t)value);
}

void
mp_db_text(sqlite3_stmt *statement, int column, const char *text)
{
    struct mp_text_stream clean;
    const char *at = text;
    size_t step;
    int result;

    if (!statement || !text)
        return;
    while (*at && (step = mp_utf8_length(at, strnlen(at, 4))) > 0)
        at += step;
    if (*at == '\0') {
        result = lib.bind_text(statement, column, text, -1, SQLITE_STATIC);
    } else {
        mp_text_print(mp_text_open(&clean), text);
        result = lib.bind_text(statement, column, mp_text_close(&clean), -1, free);
    }
    if (result == SQLITE_NOMEM)
        mp_no_memory();
}

void
mp_db_text_known(sqlite3_stmt *statement, int column, const char *text)
{
    mp_db_text(statement, column, text && *text ? text : NULL);
}

void
mp_db_known(sqlite3_stmt *statement, int column, bool known, uint64_t value)
{
    if (known)
        mp_db_number(statement, column, value);
}

int64_t
mp_db_run(struct mp_db *db, sqlite3_stmt *statement)
{
    int64_t number = -1;
    int result;

    if (db->n_runs++ % 256 == 0)
        heed_signals(db);
    if (!statement || db->failed != SQLITE_OK)
        return -1;
    result = lib.step(statement);
    if (result == SQLITE_ROW)
        number = lib.column_int64(statement, 0);
    note(db, result);
    lib.reset(statement);
    lib.clear_bindings(statement);
    return number;
}

static int64_t
run_sql(struct mp_db *db, const char *sql)
{
    sqlite3_stmt *statement = mp_db_prepare(db, sql);
    int64_t number = mp_db_run(db, statement);

    mp_db_done(statement);
    return number;
}

/* ---------------------------------------------------------------- the tables */

#define APPLICATION 0x6d70726f          /* pragma application_id, "mpro" */
#define VERSION_OF_TABLES 3             /* pragma user_version; changes with the tables */

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

/* Statements that create the tables in an empty database. All runs share the tables of names, so the same chain has
 * the same id in all runs. */
static const char *const schema[] = {
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
    "PRAGMA application_id = " TEXT(APPLICATION),
    "PRAGMA user_version = " TEXT(VERSION_OF_TABLES)};

/* ---------------------------------------------------------------- the file */

/* Returns PATH in a form that SQLite always takes for a file name. SQLite would not take ":memory:" for one. The caller
 * frees the result. */
static char *
name_of_file(const char *path)
{
    size_t size = strlen(path) + 3;
    char *name = mp_need(malloc(size));

    snprintf(name, size, "%s%s", path[0] == '/' ? "" : "./", path);
    return name;
}

/* Returns "" if PATH is the database, or the suffix if it is a file that SQLite puts beside the database, such as
 * "-journal". Returns NULL for any other file. */
static const char *
suffix_of(const char *path)
{
    static const char *const suffixes[] = {"", "-journal", "-wal", "-shm"};
    const size_t length = database ? strlen(database) : 0;

    if (length > 0 && strncmp(path, database, length) == 0)
        for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
            if (strcmp(path + length, suffixes[i]) == 0)
                return suffixes[i];
    return NULL;
}

#define CREATES 100             /* attempts to open a file that others create and remove meanwhile */

/* Opens PATH for SQLite, which has resolved symbolic links and may have appended a suffix such as "-journal" to the
 * name of the database. A file that exists at PATH may be anything, for example a FIFO or a symbolic link. Only files
 * that suffix_of() knows are opened, because a journal may name any file. Journals of other users are refused, because
 * SQLite trusts their contents. */
static int
open_for_sqlite(const char *path, int flags, int mode)
{
    const char *suffix = suffix_of(path);
    struct stat status;
    int fd, tries = 0;

    if (strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/null") == 0)
        return open(path, flags);
    if (lstat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);          /* to synchronise it */
    if (!suffix) {
        errno = EPERM;
        return -1;
    }
    do {                        /* another process may create the file, or remove it, between the two attempts */
        fd = mp_open_at(AT_FDCWD, path, (flags & O_ACCMODE) | O_NOFOLLOW);
        if (fd < 0 && errno == ENOENT && (flags & O_CREAT))
            fd = open(path, flags | O_EXCL | O_NOFOLLOW, mode);
    } while (fd < 0 && errno == EEXIST && tries++ < CREATES);
    if (fd < 0 || *suffix == '\0' || (fstat(fd, &status) == 0 && status.st_uid == geteuid()))
        return fd;
    close(fd);
    foreign = suffix;
    errno = EPERM;
    return -1;
}

/* Removes PATH for SQLite if it is a file that SQLite puts beside the database. Otherwise fails with EPERM. */
static int
unlink_for_sqlite(const char *path)
{
    const char *suffix = suffix_of(path);

    if (suffix && *suffix)
        return unlink(path);
    errno = EPERM;
    return -1;
}

/* Makes SQLite open files by OPENS and remove them by REMOVES, or by the system's functions if these are NULL. */
static void
set_calls(int (*opens)(const char *, int, int), int (*removes)(const char *))
{
    sqlite3_vfs *files = lib.vfs_find(NULL);

    files->xSetSystemCall(files, "open", (sqlite3_syscall_ptr)opens);
    files->xSetSystemCall(files, "unlink", (sqlite3_syscall_ptr)removes);
}

/* Sets `database` to the absolute path that SQLite computes from NAME. */
static void
set_database(const char *name)
{
    sqlite3_vfs *files = lib.vfs_find(NULL);
    const int size = files->mxPathname + 1;

    free(database);
    foreign = NULL;
    database = mp_need(calloc((size_t)size, 1));
    files->xFullPathname(files, name, size, database);      /* if that fails, so does sqlite3_open_v2() */
}

static void
open_file(struct mp_db *db)
{
    struct stat status;
    char *name = name_of_file(db->path);

    set_database(name);
    db->is_new = stat(name, &status) != 0;
    if (!db->is_new && !S_ISREG(status.st_mode))
        refuse(db, SQLITE_CANTOPEN, "no file, so no database");
    else if (lib.open_v2(name, &db->sqlite, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK)
        refuse(db, SQLITE_CANTOPEN, strerror(db->sqlite ? lib.system_errno(db->sqlite) : ENOMEM));
    free(name);
}

/* Disables triggers, views and functions that somebody else may have put into the database. Temporary files, which
 * open_for_sqlite() does not open, are kept in memory. */
static void
distrust(struct mp_db *db)
{
    lib.db_config(db->sqlite, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    lib.db_config(db->sqlite, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    lib.db_config(db->sqlite, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
#ifdef SQLITE_DBCONFIG_ENABLE_VIEW
    lib.db_config(db->sqlite, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
#endif
    run_sql(db, "PRAGMA temp_store = MEMORY");
}

/* Checks that the database was made by this version of mprof. Creates the tables if it is empty. */
static void
check_schema(struct mp_db *db)
{
    int64_t application = run_sql(db, "PRAGMA application_id"), version = run_sql(db, "PRAGMA user_version");

    if (db->failed != SQLITE_OK)
        return;
    if (application == 0 && version == 0 && run_sql(db, "SELECT count(*) FROM sqlite_master") == 0)
        for (size_t i = 0; i < sizeof schema / sizeof *schema; i++)
            run_sql(db, schema[i]);
    else if (application != APPLICATION)
        refuse(db, SQLITE_MISMATCH, "a database of something else than mprof");
    else if (version != VERSION_OF_TABLES)
        refuse(db, SQLITE_MISMATCH, "its tables are of another version of mprof");
}

/* Returns whether the file was removed by the process that created it, while we waited for that process. */
static bool
has_moved(const struct mp_db *db)
{
    int moved = 0;

    return lib.file_control(db->sqlite, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved;
}

static bool
is_empty(const struct mp_db *db)
{
    struct stat status;
    char *name = name_of_file(db->path);
    const bool empty = stat(name, &status) == 0 && status.st_size == 0;

    free(name);
    return empty;
}

struct mp_db
mp_db_begin(const char *path, struct mp_error *error)
{
    struct mp_db db = {.path = path, .error = error, .failed = load(path, error) ? SQLITE_OK : SQLITE_ERROR};

    block_signals(&db);
    if (db.failed != SQLITE_OK)
        return db;
    set_calls(open_for_sqlite, unlink_for_sqlite);
    do {
        lib.close(db.sqlite);
        db.sqlite = NULL;
        open_file(&db);
        if (db.failed == SQLITE_OK) {
            distrust(&db);
            lib.busy_timeout(db.sqlite, WAIT_MS);
            run_sql(&db, "BEGIN IMMEDIATE");
        }
    } while (db.failed == SQLITE_OK && has_moved(&db));
    db.is_new = db.is_new && (db.failed != SQLITE_OK || is_empty(&db));
    check_schema(&db);
    return db;
}

/* Removes the new file while nobody else can write to it. There may be no transaction: on a full disk SQLite has
 * already rolled it back, or a signal came before it began. Then a file that is not empty stays. */
static void
remove_new(const struct mp_db *db)
{
    const bool unlocked = lib.get_autocommit(db->sqlite) != 0;
    char *name = name_of_file(db->path);

    if (unlocked)
        lib.exec(db->sqlite, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    if (lib.get_autocommit(db->sqlite) == 0 && (!unlocked || is_empty(db)) && !has_moved(db))
        unlink(name);
    free(name);
}

bool
mp_db_end(struct mp_db *db, bool wanted)
{
    heed_signals(db);
    if (wanted)
        run_sql(db, "COMMIT");
    if (db->is_new && db->sqlite && (db->failed != SQLITE_OK || !wanted))
        remove_new(db);
    if (database) {
        lib.close(db->sqlite);          /* rolls back what is not committed */
        set_calls(NULL, NULL);
    }
    free(database);
    database = NULL;
    unblock_signals(db);
    return db->failed == SQLITE_OK;
}
