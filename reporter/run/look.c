#include "look.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "reporter/profile/samples.h"
#include "runtime/sizeclass.h"

/* Of the header, what changes often: all before what other processes write there. */
#define HEAD offsetof(struct mp_live_header, control)

/* The bytes and blocks of a cell; of a sampled recording, estimates. */
struct figures {
    uint64_t allocs, bytes, frees, freed;
};

bool
mp_look_open(struct mp_look *look, int fd, pid_t pid)
{
    char path[64];

    *look = (struct mp_look){.fd = fd, .memory = -1};
    if (pread(fd, &look->header, sizeof look->header, 0) != (ssize_t)sizeof look->header ||
        memcmp(look->header.magic, MP_LIVE_MAGIC, sizeof look->header.magic) != 0 ||
        look->header.version < 3 || look->header.version > MP_LIVE_VERSION ||
        look->header.byte_order != MP_BYTE_ORDER) {
        mp_look_close(look);
        return false;
    }
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
    free(look->cells.records);
    free(look->mixed.records);
    free(look->last_cells.records);
    free(look->last_mixed.records);
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

static uint64_t
size_of(const struct mp_look *look, uint32_t kind)
{
    uint64_t size = 0;

    for (uint32_t i = 0; i < look->n_extents; i++)
        if (look->header.extents[i].kind == kind)
            size += (uint64_t)look->header.extents[i].count * look->header.extents[i].record_size;
    return size;
}

uint64_t
mp_look_size(const struct mp_look *look)
{
    return size_of(look, MP_EXT_CELLS) + size_of(look, MP_EXT_MIXED);
}

/* The extents that were not there at the last look; what is not whole yet is left for the next. */
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
    look->n_extents = n;
    return mp_look_size(look) <= (uint64_t)status.st_size;
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

/* ---------------------------------------------------------------- cells */

static bool
read_table(const struct mp_look *look, uint32_t kind, size_t record_size, struct mp_look_table *table)
{
    const uint64_t size = size_of(look, kind);
    if (size > table->room * record_size) {
        uint8_t *records = realloc(table->records, size);

        if (!records)
            return false;
        table->records = records;
        table->room = size / record_size;
    }
    table->count = 0;
    for (uint32_t i = 0; i < look->n_extents; i++) {
        const struct mp_live_extent *extent = &look->header.extents[i];
        size_t bytes = (size_t)extent->count * record_size;

        if (extent->kind != kind)
            continue;
        if (extent->record_size != record_size ||
            pread(look->fd, table->records + table->count * record_size, bytes,
                  (off_t)extent->offset) != (ssize_t)bytes)
            return false;
        table->count += extent->count;
    }
    return true;
}

/* The record with ID among MIXED, of the present look or the last. */
static const struct mp_live_mixed *
find_mixed(const struct mp_look *look, const struct mp_look_table *mixed, uint32_t id)
{
    size_t before = 0;

    for (uint32_t i = 0; i < look->n_extents; i++) {
        const struct mp_live_extent *extent = &look->header.extents[i];

        if (extent->kind != MP_EXT_MIXED)
            continue;
        if (id >= extent->first && id - extent->first < extent->count) {
            size_t index = before + (id - extent->first);

            return index < mixed->count
                       ? (const struct mp_live_mixed *)(void *)mixed->records + index : NULL;
        }
        before += extent->count;
    }
    return NULL;
}

static uint32_t
kind_of(const struct mp_live_cell *cell)
{
    return cell->kind & ~(uint32_t)(MP_CELL_MIXED | MP_KIND_PAYLOAD);
}

static uint64_t
estimate(uint64_t blocks, double weight)
{
    return (uint64_t)llround((double)blocks * weight);
}

/* What belongs to objects is counted with their bytes, and not as blocks. */
static struct figures
figures_of(const struct mp_look *look, const struct mp_live_cell *cell,
           const struct mp_look_table *mixed)
{
    const uint32_t period = look->header.sample_period;
    struct figures figures = {.allocs = cell->allocs, .frees = cell->frees};

    if (cell->kind & MP_CELL_MIXED) {
        const struct mp_live_mixed *more = find_mixed(look, mixed, cell->size);

        figures.bytes = more ? more->bytes : 0;
        figures.freed = more ? more->freed : 0;
    } else {
        if (period > 0 && kind_of(cell) < MP_KIND_LISP) {
            const double weight = mp_sample_weight(cell->size, period);

            figures.allocs = estimate(cell->allocs, weight);
            figures.frees = estimate(cell->frees, weight);
        }
        figures.bytes = figures.allocs * cell->size;
        figures.freed = figures.frees * cell->size;
    }
    if (cell->kind & MP_KIND_PAYLOAD)
        figures.allocs = figures.frees = 0;
    return figures;
}

static const struct mp_live_cell *
cell_at(const struct mp_look_table *cells, size_t index)
{
    return (const struct mp_live_cell *)(void *)cells->records + index;
}

static uint64_t
not_below_0(int64_t value)
{
    return value > 0 ? (uint64_t)value : 0;
}

bool
mp_look_cells(struct mp_look *look, struct mp_point *point)
{
    int64_t lisp = 0, blocks = 0;
    struct figures sum = {0};

    if (!read_table(look, MP_EXT_CELLS, sizeof(struct mp_live_cell), &look->cells) ||
        !read_table(look, MP_EXT_MIXED, sizeof(struct mp_live_mixed), &look->mixed))
        return false;
    for (size_t i = 0; i < look->cells.count; i++) {
        const struct mp_live_cell *cell = cell_at(&look->cells, i);
        struct figures figures;

        if (cell->context == 0)
            continue;
        figures = figures_of(look, cell, &look->mixed);
        sum.allocs += figures.allocs;
        sum.bytes += figures.bytes;
        blocks += (int64_t)(figures.allocs - figures.frees);
        if (kind_of(cell) >= MP_KIND_LISP)
            lisp += (int64_t)(figures.bytes - figures.freed);
    }
    point->live_lisp = not_below_0(lisp);
    point->blocks = not_below_0(blocks);
    point->allocs = not_below_0((int64_t)sum.allocs);
    point->bytes = not_below_0((int64_t)sum.bytes);
    return true;
}

/* An object that is counted under another kind than before leaves its cell: that is no allocation less,
 * but something gone. */
static void
set_change(uint64_t from, uint64_t to, uint64_t *more, uint64_t *less)
{
    if (to >= from)
        *more += to - from;
    else
        *less += from - to;
}

static bool
change_of(const struct mp_look *look, size_t index, struct mp_change *change)
{
    const struct mp_live_cell *cell = cell_at(&look->cells, index);
    struct figures was = {0}, is = figures_of(look, cell, &look->mixed);

    if (index < look->last_cells.count && cell_at(&look->last_cells, index)->context != 0)
        was = figures_of(look, cell_at(&look->last_cells, index), &look->last_mixed);
    *change = (struct mp_change){.context = cell->context, .kind = kind_of(cell)};
    set_change(was.allocs, is.allocs, &change->allocs, &change->frees);
    set_change(was.frees, is.frees, &change->frees, &change->allocs);
    set_change(was.bytes, is.bytes, &change->bytes, &change->freed);
    set_change(was.freed, is.freed, &change->freed, &change->bytes);
    return (change->allocs | change->bytes | change->frees | change->freed) != 0;
}

static void
swap(struct mp_look_table *a, struct mp_look_table *b)
{
    struct mp_look_table c = *a;

    *a = *b;
    *b = c;
}

void
mp_look_changes(struct mp_look *look, void (*take)(void *data, const struct mp_change *change),
                void *data)
{
    struct mp_change change;

    for (size_t i = 0; i < look->cells.count; i++)
        if (cell_at(&look->cells, i)->context != 0 && change_of(look, i, &change))
            take(data, &change);
    swap(&look->cells, &look->last_cells);
    swap(&look->mixed, &look->last_mixed);
}
