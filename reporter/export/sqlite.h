/*
 * sqlite.h -- appends runs to an SQLite database, one transaction for each, see mprof-sql(7).
 *
 * If mprof is built without SQLite, sqlite_absent.c takes the place of this module and returns an error.
 */
#ifndef MP_EXPORT_SQLITE_H
#define MP_EXPORT_SQLITE_H

#include "export.h"

/* Appends EXPORT to the database EXPORT->output, which is created if it does not exist. Sets *ADDED to false if the
 * database already has the same part of this run; then it is not changed. On failure, returns false, fills *ERROR and
 * leaves the database unchanged. */
bool mp_export_sqlite(const struct mp_export *export, bool *added, struct mp_error *error);

#endif
