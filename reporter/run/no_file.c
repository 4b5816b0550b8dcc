#include "no_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "data_file.h"
#include "reporter/read/reader.h"
#include "runtime/format.h"

#define SECOND UINT64_C(1000000000)     /* ns */

static void
fail(struct mp_error *error, const char *path, const char *what)
{
    mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "%s %s", path, what);
}

/* Returns whether the file with STATUS has changed since the program was started. */
static bool
has_changed(const struct stat *status, const struct mp_launched *launched)
{
    struct timespec now;
    uint64_t changed;

    clock_gettime(CLOCK_REALTIME, &now);
    changed = (uint64_t)status->st_ctim.tv_sec * SECOND + (uint64_t)status->st_ctim.tv_nsec;
    return changed + launched->duration >= (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

/* Returns whether the program overwrote the header of the data file at PATH. */
static bool
is_beheaded(const char *path)
{
    struct mp_error ignored;
    struct mp_profile *profile = mp_read(path, &ignored);
    bool damaged = profile && profile->meta.damaged;

    mp_profile_free(profile);
    return damaged;
}

/* Tries to create a live file beside PATH and removes it again. Returns 0 or the error number. */
static int
try_to_make(const char *path)
{
    char *beside = NULL;
    int fd, problem;

    if (asprintf(&beside, "%s.%ld.try", path, (long)getpid()) < 0)
        return 0;
    fd = open(beside, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    problem = fd < 0 ? errno : posix_fallocate(fd, 0, MP_HEADER_SIZE);
    if (fd >= 0) {
        close(fd);
        unlink(beside);
    }
    free(beside);
    return problem;
}

static void
say_why(const struct mp_harvest *harvest, const char *path, struct mp_error *error)
{
    const bool seen = harvest->observer && harvest->observer->n > 0;
    struct stat status;
    const bool there = lstat(path, &status) == 0;
    int problem;

    if (there && is_beheaded(path)) {
        mp_fail(error, MP_ERR_DAMAGED, MP_NO_OFFSET,
                "the program overwrote the header of %s; mprof report shows what can be read there", path);
    } else if (there && (seen || has_changed(&status, harvest->launched))) {
        fail(error, path, "was truncated, overwritten or replaced while the program ran; its recording is lost");
    } else if (seen) {
        fail(error, path, "was removed while the program ran; its recording is lost");
    } else if ((problem = try_to_make(path)) == ENOENT) {
        mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET,
                "the directory of %s was removed while the program ran; its recording is lost", path);
    } else if (problem != 0) {
        mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s: there is no recording", path, strerror(problem));
    } else {
        mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET,
                "the program left no data file: it ended before libmprof.so was loaded, was started without "
                "LD_PRELOAD, or removed the file");
    }
}

void
mp_no_file(const struct mp_harvest *harvest, struct mp_error *error)
{
    char *path = mp_data_file_expand(harvest->template, (uint32_t)harvest->launched->pid, harvest->name, error);

    if (path)
        say_why(harvest, mp_data_file_short(path), error);
    free(path);
}
