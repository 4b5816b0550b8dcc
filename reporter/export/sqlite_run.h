/* sqlite_run.h -- the rows of a run itself: what it is, its labels, its processes, its moments. */
#ifndef MP_EXPORT_SQLITE_RUN_H
#define MP_EXPORT_SQLITE_RUN_H

#include "export.h"
#include "sqlite_db.h"

/* Add EXPORT's, whose process is called PROCESS among all (cells.h).  The number of its row; -1: the same part of
 * the run is there already, or something went wrong with DB.  *WHOLE: it is no part.  What is made for it is in
 * ARENA. */
int64_t mp_sqlite_run(struct mp_db *db, const struct mp_export *export, const char *process, bool *whole,
                      struct mp_arena *arena);

#endif
