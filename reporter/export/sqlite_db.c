#include "sqlite_db.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reporter/base/arena.h"
#include "sqlite_schema.h"

#define WAIT_MS 5000            /* maximum time to wait for another writer, in ms */

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
        refuse(db, result, db->sqlite ? sqlite3_errmsg(db->sqlite) : sqlite3_errstr(result));
    }
}

/* ---------------------------------------------------------------- signals */

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};

#define N_ENDING (sizeof ending / sizeof *ending)

/* Blocks signals that would end the process in a transaction. It would leave the journal and, if the file is new, an
 * incomplete database. */
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
        note(db, sqlite3_prepare_v2(db->sqlite, sql, -1, &statement, NULL));
    return statement;
}

void
mp_db_done(sqlite3_stmt *statement)
{
    sqlite3_finalize(statement);
}

void
mp_db_number(sqlite3_stmt *statement, int column, uint64_t value)
{
    if (statement)
        sqlite3_bind_int64(statement, column, (int64_t)value);
}

void
mp_db_text(sqlite3_stmt *statement, int column, const char *text)
{
    if (statement && text && sqlite3_bind_text(statement, column, text, -1, SQLITE_STATIC) == SQLITE_NOMEM)
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
    result = sqlite3_step(statement);
    if (result == SQLITE_ROW)
        number = sqlite3_column_int64(statement, 0);
    note(db, result);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
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

/* ---------------------------------------------------------------- the file */

/* Returns PATH in a form that SQLite always takes for a file name, unlike ":memory:". The caller frees it. */
static char *
name_of_file(const char *path)
{
    size_t size = strlen(path) + 3;
    char *name = mp_need(malloc(size));

    snprintf(name, size, "%s%s", path[0] == '/' ? "" : "./", path);
    return name;
}

static void
open_file(struct mp_db *db)
{
    struct stat status;
    char *name = name_of_file(db->path);

    db->is_new = stat(name, &status) != 0;
    if (!db->is_new && !S_ISREG(status.st_mode))
        refuse(db, SQLITE_CANTOPEN, "no file, so no database");
    else if (sqlite3_open_v2(name, &db->sqlite, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK)
        refuse(db, SQLITE_CANTOPEN, strerror(db->sqlite ? sqlite3_system_errno(db->sqlite) : ENOMEM));
    free(name);
}

/* Disables triggers and functions that somebody else may have put into the database. */
static void
distrust(struct mp_db *db)
{
    sqlite3_db_config(db->sqlite, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(db->sqlite, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db->sqlite, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
}

static void
make_ours(struct mp_db *db)
{
    for (size_t i = 0; mp_sqlite_schema[i]; i++)
        run_sql(db, mp_sqlite_schema[i]);
}

/* Checks that the database was made by this version of mprof. Creates the tables if it is empty. */
static void
check_schema(struct mp_db *db)
{
    int64_t application = run_sql(db, "PRAGMA application_id"), version = run_sql(db, "PRAGMA user_version");

    if (db->failed != SQLITE_OK)
        return;
    if (application == 0 && version == 0 && run_sql(db, "SELECT count(*) FROM sqlite_master") == 0)
        make_ours(db);
    else if (application != MP_SQLITE_APPLICATION)
        refuse(db, SQLITE_MISMATCH, "a database of something else than mprof");
    else if (version != MP_SQLITE_VERSION)
        refuse(db, SQLITE_MISMATCH, "its tables are of another version of mprof");
}

/* Returns whether the file was removed by the process that created it, while we waited for that process. */
static bool
has_moved(struct mp_db *db)
{
    int moved = 0;

    return sqlite3_file_control(db->sqlite, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved;
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
    struct mp_db db = {.path = path, .error = error};

    block_signals(&db);
    do {
        sqlite3_close(db.sqlite);
        db.sqlite = NULL;
        open_file(&db);
        if (db.failed == SQLITE_OK) {
            distrust(&db);
            sqlite3_busy_timeout(db.sqlite, WAIT_MS);
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
    const bool unlocked = sqlite3_get_autocommit(db->sqlite) != 0;
    char *name = name_of_file(db->path);

    if (unlocked)
        sqlite3_exec(db->sqlite, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    if (sqlite3_get_autocommit(db->sqlite) == 0 && (!unlocked || is_empty(db)))
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
    sqlite3_close(db->sqlite);          /* rolls back what is not committed */
    unblock_signals(db);
    return db->failed == SQLITE_OK;
}
