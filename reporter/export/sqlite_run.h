/* sqlite_run.h -- inserts the rows of a run itself: its properties, labels, processes and time line. */
#ifndef MP_EXPORT_SQLITE_RUN_H
#define MP_EXPORT_SQLITE_RUN_H

#include "export.h"
#include "sqlite_db.h"

/* Inserts the rows of EXPORT, whose process has the unique name PROCESS (cells.h). Returns the id of the run, or -1
 * if the same part of the run is already there or DB failed. Sets *WHOLE if the export is the whole run. Uses ARENA
 * for texts. */
int64_t mp_sqlite_run(struct mp_db *db, const struct mp_export *export, const char *process, bool *whole,
                      struct mp_arena *arena);

#endif
