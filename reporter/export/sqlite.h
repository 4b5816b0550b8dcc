/*
 * sqlite.h -- runs in a database of SQLite, one transaction each: see mprof-sql(7).
 *
 * Built without SQLite, it refuses all (sqlite_absent.c).
 */
#ifndef MP_EXPORT_SQLITE_H
#define MP_EXPORT_SQLITE_H

#include "export.h"

/* Append EXPORT to the database EXPORT->output, which is made if it is not there.  *ADDED: false, it has the
 * same part of this run already, and stays as it was.  False and *ERROR: so it does, too. */
bool mp_export_sqlite(const struct mp_export *export, bool *added, struct mp_error *error);

#endif
