/*
 * sqlite_db.h -- a database of ours: opened for one transaction, and written row by row.
 *
 * What goes wrong first is kept, and all that follows does nothing: only mp_db_end() has to be asked.
 */
#ifndef MP_EXPORT_SQLITE_DB_H
#define MP_EXPORT_SQLITE_DB_H

#include <signal.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "reporter/base/error.h"

struct mp_db {
    const char *path;
    sqlite3 *sqlite;
    int failed;                 /* what SQLite said first that was wrong; SQLITE_OK: nothing */
    struct mp_error *error;     /* then filled */
    bool is_new;                /* this transaction makes the file */
    unsigned n_runs;            /* of statements */
    sigset_t mask;              /* signals that were blocked before, */
    struct sigaction too_large; /* and what SIGXFSZ did */
};

/* Begin the transaction in the file PATH, made if it is not there.  Others are waited for, at most some
 * seconds.  Until mp_db_end(), SIGINT, SIGTERM and SIGHUP are blocked: they make the transaction fail, and end the
 * process when the file is as it was. */
struct mp_db mp_db_begin(const char *path, struct mp_error *error);

/* Commit, if WANTED and nothing went wrong, else leave the file as it was, or remove a new one; and close it.  False:
 * something went wrong, *ERROR of mp_db_begin() says what. */
bool mp_db_end(struct mp_db *db, bool wanted);

/* SQL with ? for what mp_db_run() gets; NULL if anything went wrong.  mp_db_done() for each. */
sqlite3_stmt *mp_db_prepare(struct mp_db *db, const char *sql);
void mp_db_done(sqlite3_stmt *statement);

/* Values, in order from 1 on. */
void mp_db_number(sqlite3_stmt *statement, int column, uint64_t value);
void mp_db_text(sqlite3_stmt *statement, int column, const char *text);        /* NULL; or must stay until run */
void mp_db_text_known(sqlite3_stmt *statement, int column, const char *text);  /* the same; "" is NULL, too */
void mp_db_known(sqlite3_stmt *statement, int column, bool known, uint64_t value);

/* Run STATEMENT with the values bound, which are forgotten.  The number in the first column of its first row, or
 * -1: there is none. */
int64_t mp_db_run(struct mp_db *db, sqlite3_stmt *statement);

#endif
