#include "snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "data_file.h"
#include "reporter/output/load.h"
#include "reporter/profile/ending.h"
#include "reporter/read/seal.h"
#include "runtime/heap_format.h"

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

bool
mp_snapshot_heap_wait(const char *file, struct mp_error *error)
{
    char magic[sizeof MP_HEAP_MAGIC - 1] = "";
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    bool whole;

    while (fd >= 0 && flock(fd, LOCK_SH) != 0 && errno == EINTR)
        ;
    whole = fd >= 0 && pread(fd, magic, sizeof magic, 0) == (ssize_t)sizeof magic &&
            memcmp(magic, MP_HEAP_MAGIC, sizeof magic) == 0;
    if (fd >= 0)
        close(fd);
    return whole || mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "%s: it could not be written", file);
}

bool
mp_snapshot_heap_is_written(const char *file)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;

    if (fd >= 0)
        close(fd);
    return locked;
}
