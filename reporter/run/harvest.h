/* harvest.h -- after the run: seal the data files that it left, and say what is in them. */
#ifndef MP_HARVEST_H
#define MP_HARVEST_H

#include "launch.h"
#include "reporter/base/file_at.h"
#include "reporter/profile/profile.h"

struct mp_harvest {
    const char *template;       /* as the monitor got it */
    const char *name;           /* of the program, as it was typed: for the summary */
    const struct mp_launched *launched;
    bool follow;                /* --follow was given: for the summary, too */
    const char *only;           /* --only: the first process need not be recorded; NULL: all are */
    bool quiet;                 /* no summary */
    const struct mp_observer *observer; /* what was seen of the first process; NULL: nobody looked */
    void (*each)(void *data, const struct mp_profile *profile, const char *file);
    void *data;                 /* each: is told of each process with its names, the first one first; NULL: nobody is */
    bool leaks;                 /* what is lost was asked for */
    const char *heap_every;     /* snapshots of the heap were asked for so often, see heap_every.h; NULL: none were */
};

/* Complete, symbolise and seal each file in place; print the summary.  The profile of the first
 * process that was recorded, which the caller frees; NULL and *ERROR: it left none.  A file that cannot be sealed
 * stays as it is, and a line on stderr says so. */
struct mp_profile *mp_harvest(const struct mp_harvest *harvest, struct mp_error *error);

/* Opens the live file PATH, of a recording that has ended and is not sealed by an mprof run, for mp_harvest_seal().  It
 * must be this user's.  False and *ERROR: it is another file, or in use.  The caller closes FILE. */
bool mp_harvest_open(const char *path, struct mp_file_at *file, struct mp_error *error);

/* Seal PROFILE, which was read from FILE after that was opened and has names, in place of FILE, with its snapshots of
 * the heap.  *SIZE (may be NULL): bytes written.  False and *ERROR: FILE stays as it was. */
bool mp_harvest_seal(struct mp_profile *profile, const struct mp_file_at *file, uint64_t *size,
                     struct mp_error *error);

#endif
