/* SPDX-License-Identifier: MIT */
/*
 * sqlite_db.h -- opens a database of mprof for one transaction and writes it row by row.
 *
 * The first error is kept, and all later calls do nothing. Callers need to check the result of mp_db_end() only.
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
    int failed;                 /* SQLite's code of the first error, or SQLITE_OK */
    struct mp_error *error;     /* filled on the first error */
    bool is_new;                /* this transaction creates the file */
    unsigned n_runs;            /* number of statements run */
    sigset_t mask;              /* signals that were blocked before */
    struct sigaction too_large; /* the previous action of SIGXFSZ */
};

/* Begins a transaction in the file PATH, which is created if it does not exist. Waits at most some seconds for other
 * writers. SIGINT, SIGTERM and SIGHUP are blocked until mp_db_end(). If one of them arrives, the transaction fails,
 * and the signal takes effect when the file is as it was before. */
struct mp_db mp_db_begin(const char *path, struct mp_error *error);

/* Commits if WANTED is set and there was no error. Otherwise, restores the file, or removes it if it is new. Closes
 * the file. Returns false if there was an error, which is in *ERROR of mp_db_begin(). */
bool mp_db_end(struct mp_db *db, bool wanted);

/* Prepares SQL, in which ? stands for values. Returns NULL after an error. The caller calls mp_db_done() for each
 * statement. */
sqlite3_stmt *mp_db_prepare(struct mp_db *db, const char *sql);
void mp_db_done(sqlite3_stmt *statement);

/* Set the value of a column; columns count from 1. */
void mp_db_number(sqlite3_stmt *statement, int column, uint64_t value);
void mp_db_text(sqlite3_stmt *statement, int column, const char *text);        /* NULL stays NULL; TEXT must exist
                                                                                  until mp_db_run() */
void mp_db_text_known(sqlite3_stmt *statement, int column, const char *text);  /* the same, but "" becomes NULL */
void mp_db_known(sqlite3_stmt *statement, int column, bool known, uint64_t value);

/* Runs STATEMENT with its values, and clears them. Returns the number in the first column of the first row, or -1 if
 * there is no row. */
int64_t mp_db_run(struct mp_db *db, sqlite3_stmt *statement);

#endif
