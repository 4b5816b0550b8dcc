#include "look.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Size of the part of the header that is read at each sample. It ends before the part that other processes write. */
#define HEAD offsetof(struct mp_live_header, control)

bool
mp_look_open(struct mp_look *look, int fd, pid_t pid)
{
    char path[64];

    *look = (struct mp_look){.fd = fd, .memory = -1};
    if (pread(fd, &look->header, sizeof look->header, 0) != (ssize_t)sizeof look->header ||
        memcmp(look->header.magic, MP_LIVE_MAGIC, sizeof look->header.magic) != 0 ||
        look->header.version != MP_LIVE_VERSION ||
        look->header.byte_order != MP_BYTE_ORDER) {
        mp_look_close(look);
        return false;
    }
    look->cells.sample_period = look->header.sample_period;
    snprintf(path, sizeof path, "/proc/%ld/statm", (long)pid);
    if (pid > 0)
        look->memory = open(path, O_RDONLY | O_CLOEXEC);
    return true;
}

void
mp_look_close(struct mp_look *look)
{
    if (look->fd >= 0)
        close(look->fd);
    if (look->memory >= 0)
        close(look->memory);
    mp_look_cells_free(&look->cells);
    *look = (struct mp_look){.fd = -1, .memory = -1};
}

/* ---------------------------------------------------------------- totals */

static uint64_t
resident(const struct mp_look *look)
{
    unsigned long size, pages;
    char text[128];
    ssize_t n = look->memory >= 0 ? pread(look->memory, text, sizeof text - 1, 0) : -1;

    if (n <= 0)
        return MP_NOT_SEEN;
    text[n] = '\0';
    return sscanf(text, "%lu %lu", &size, &pages) == 2 ? pages * (uint64_t)sysconf(_SC_PAGESIZE)
                                                       : MP_NOT_SEEN;
}

/* Reads the extents that are new since the last sample. Returns false if they are not plausible, or refer to bytes
 * beyond the end of the file. */
static bool
read_extents(struct mp_look *look)
{
    const size_t size = sizeof *look->header.extents;
    uint32_t n = look->header.n_extents, more = n - look->n_extents;
    struct stat status;
    off_t from = (off_t)(offsetof(struct mp_live_header, extents) + look->n_extents * size);

    if (n > MP_MAX_EXTENTS || n < look->n_extents)
        return false;
    if (more == 0)
        return true;
    if (pread(look->fd, &look->header.extents[look->n_extents], more * size, from) !=
            (ssize_t)(more * size) || fstat(look->fd, &status) != 0)
        return false;
    for (; look->n_extents < n; look->n_extents++)
        if (!mp_look_cells_extent(&look->cells, &look->header.extents[look->n_extents]))
            return false;
    return mp_look_cells_size(&look->cells) <= (uint64_t)status.st_size;
}

static int64_t
pending_bytes(const struct mp_look *look)
{
    int64_t sum = 0, bytes;

    for (uint32_t i = 0; i < look->n_extents; i++) {
        const struct mp_live_extent *extent = &look->header.extents[i];

        for (uint32_t j = 0; extent->kind == MP_EXT_RECORDERS && j < extent->count; j++) {
            off_t at = (off_t)(extent->offset + j * (uint64_t)extent->record_size +
                               offsetof(struct mp_live_recorder, pending_bytes));

            if (pread(look->fd, &bytes, sizeof bytes, at) != (ssize_t)sizeof bytes)
                return sum;
            sum += bytes;
        }
    }
    return sum;
}

bool
mp_look_totals(struct mp_look *look, struct mp_point *point)
{
    struct timespec now;
    uint64_t time;
    int64_t live;

    if (pread(look->fd, &look->header, HEAD, 0) != (ssize_t)HEAD || !read_extents(look))
        return false;
    live = look->header.live_bytes + pending_bytes(look);
    clock_gettime(CLOCK_MONOTONIC, &now);
    time = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    if (time < look->header.start_monotonic)
        return false;
    *point = (struct mp_point){
        .time = time - look->header.start_monotonic,
        .live = live > 0 ? (uint64_t)live : 0,
        .live_lisp = look->header.language == 0 ? 0 : MP_NOT_SEEN, .blocks = MP_NOT_SEEN,
        .allocs = MP_NOT_SEEN, .bytes = MP_NOT_SEEN, .resident = resident(look)};
    return true;
}
