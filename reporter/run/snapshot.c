#include "snapshot.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data_file.h"
#include "reporter/output/load.h"
#include "reporter/profile/ending.h"
#include "reporter/read/seal.h"

/* Fill SNAPSHOT's file. */
static bool
copy(const char *live, struct mp_snapshot *snapshot, struct mp_error *error)
{
    struct mp_profile *profile = mp_load(live, NULL, error);
    struct mp_totals totals;
    bool ok;

    if (!profile)
        return false;
    mp_ending_copied(&profile->meta);
    ok = mp_seal(profile, snapshot->path, &snapshot->size, error);
    mp_profile_totals(profile, &totals);
    snapshot->allocs = totals.allocs;
    snapshot->lisp = totals.lisp.allocs > 0;
    mp_profile_free(profile);
    return ok;
}

bool
mp_snapshot(const char *live, const char *file, struct mp_snapshot *snapshot, struct mp_error *error)
{
    bool ok;

    *snapshot = (struct mp_snapshot){.path = file ? mp_need(strdup(file)) : mp_data_file_snapshot(live, error)};
    if (!snapshot->path)
        return false;
    ok = copy(live, snapshot, error);
    if (!ok && !file)
        unlink(snapshot->path);
    return ok;
}
