/* SPDX-License-Identifier: MIT */
#include "snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/arena.h"
#include "reporter/file/data_file.h"
#include "reporter/file/reader.h"
#include "reporter/file/seal.h"
#include "reporter/profile/ending.h"
#include "reporter/symbols/load.h"

/* Seals the live file LIVE to MADE, or to the path in SNAPSHOT if MADE is NULL, and fills in SNAPSHOT's figures. Reads
 * the open file, because its path may lead to another one by now. */
static bool
copy(const struct mp_file_at *live, const struct mp_file_at *made, struct mp_snapshot *snapshot,
     struct mp_error *error)
{
    struct mp_profile *profile = mp_read_open(live->fd, live->path, NULL, error);
    struct mp_totals totals;
    bool ok;

    if (!profile)
        return false;
    mp_ending_copied(&profile->meta);
    ok = mp_load_names(profile, error) && (made ? mp_seal_at(profile, made, &snapshot->size, error)
                                                      : mp_seal(profile, snapshot->path, &snapshot->size, error));
    mp_profile_totals(profile, &totals);
    snapshot->allocs = totals.allocs;
    snapshot->lisp = totals.lisp.allocs > 0;
    mp_profile_free(profile);
    return ok;
}

bool
mp_snapshot(const struct mp_file_at *live, const char *file, struct mp_snapshot *snapshot, struct mp_error *error)
{
    struct mp_file_at made;
    bool ok;

    *snapshot = (struct mp_snapshot){.path = NULL};
    if (!file && !mp_data_file_snapshot(live, &made, error))
        return false;
    snapshot->path = mp_need(strdup(file ? file : made.path));
    ok = copy(live, file ? NULL : &made, snapshot, error);
    if (!file && !ok)
        mp_file_at_remove(&made);
    if (!file)
        mp_file_at_close(&made);
    return ok;
}
