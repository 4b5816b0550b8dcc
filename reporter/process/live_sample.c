/* SPDX-License-Identifier: MIT */
#include "live_sample.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reporter/base/clock.h"
#include "reporter/profile/samples.h"
#include "runtime/sizeclass.h"

#define PART  ((size_t)64 << 10)        /* bytes read at once */
#define PIECE ((size_t)512)             /* bytes compared at once, a multiple of the record sizes */
#define MARKS ((size_t)64)              /* number of cells whose marks are in one word */

/* ---------------------------------------------------------------- tables */

static bool
add_extent(struct mp_look_table *table, const struct mp_live_extent *extent, size_t record_size)
{
    const uint32_t n = table->n_extents;
    struct mp_live_extent *extents = mp_need(reallocarray(table->extents, n + 1, sizeof *extents));

    table->extents = extents;
    extents[n] = *extent;
    table->n_extents++;
    table->count += extent->count;
    return extent->record_size == record_size &&
           (n == 0 || extent->first == extents[n - 1].first + extents[n - 1].count);
}

bool
mp_look_cells_extent(struct mp_look_cells *look, const struct mp_live_extent *extent)
{
    if (extent->kind == MP_EXT_CELLS)
        return add_extent(&look->cells, extent, sizeof(struct mp_live_cell));
    if (extent->kind == MP_EXT_MIXED)
        return add_extent(&look->mixed, extent, sizeof(struct mp_live_mixed));
    return true;
}

uint64_t
mp_look_cells_size(const struct mp_look_cells *look)
{
    return (uint64_t)look->cells.count * sizeof(struct mp_live_cell) +
           (uint64_t)look->mixed.count * sizeof(struct mp_live_mixed);
}

static void
free_table(struct mp_look_table *table)
{
    free(table->extents);
    free(table->records);
}

void
mp_look_cells_free(struct mp_look_cells *look)
{
    free_table(&look->cells);
    free_table(&look->mixed);
    free(look->owners);
    free(look->marks);
    free(look->former);
    *look = (struct mp_look_cells){0};
}

/* Enlarges the array *OF from OLD to N elements of SIZE bytes. New elements are 0. */
static void
grow(void *of, size_t old, size_t n, size_t size)
{
    void **array = of;

    *array = mp_need(reallocarray(*array, n, size));
    memset((char *)*array + old * size, 0, (n - old) * size);
}

static size_t
words_of(size_t cells)
{
    return (cells + MARKS - 1) / MARKS;
}

static void
grow_table(struct mp_look_table *table, size_t record_size)
{
    grow(&table->records, table->room, table->count, record_size);
    table->room = table->count;
}

static void
grow_tables(struct mp_look_cells *look)
{
    const size_t cells = look->cells.count, mixed = look->mixed.count;

    if (cells > look->cells.room) {
        grow(&look->marks, words_of(look->cells.room), words_of(cells), sizeof *look->marks);
        grow_table(&look->cells, sizeof(struct mp_live_cell));
    }
    if (mixed > look->mixed.room) {
        grow(&look->owners, look->mixed.room, mixed, sizeof *look->owners);
        grow_table(&look->mixed, sizeof(struct mp_live_mixed));
    }
}

/* ---------------------------------------------------------------- figures of a cell */

static struct mp_live_cell *
cell_at(const struct mp_look_cells *look, size_t index)
{
    return (struct mp_live_cell *)look->cells.records + index;
}

static struct mp_live_mixed *
mixed_at(const struct mp_look_cells *look, size_t index)
{
    return (struct mp_live_mixed *)look->mixed.records + index;
}

static bool
has_mixed(const struct mp_live_cell *cell)
{
    return cell->context != 0 && (cell->kind & MP_CELL_MIXED) != 0;
}

/* Returns the index of CELL's record in `mixed`. The index may be out of range for a cell that take_cell() has not
 * accepted. */
static size_t
mixed_of(const struct mp_look_cells *look, const struct mp_live_cell *cell)
{
    return look->mixed.room > 0 ? cell->size - look->mixed.extents[0].first : 0;
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

/* Returns the figures of CELL. Memory that belongs to objects (MP_KIND_PAYLOAD) adds to bytes, but not to blocks. */
static struct mp_look_figures
figures_of(const struct mp_look_cells *look, const struct mp_live_cell *cell)
{
    struct mp_look_figures figures = {.allocs = cell->allocs, .frees = cell->frees};

    if (cell->context == 0)
        return (struct mp_look_figures){0};
    if (cell->kind & MP_CELL_MIXED) {
        figures.bytes = mixed_at(look, mixed_of(look, cell))->bytes;
        figures.freed = mixed_at(look, mixed_of(look, cell))->freed;
    } else {
        if (look->sample_period > 0 && (kind_of(cell) < MP_KIND_LISP || look->objects_sampled)) {
            const double weight = mp_sample_weight(cell->size, look->sample_period);

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

/* ---------------------------------------------------------------- sampling */

/* Marks the cell at INDEX as changed and saves its FIGURES, unless it is already marked. */
static void
note(struct mp_look_cells *look, size_t index, const struct mp_look_figures *figures)
{
    uint64_t *word = &look->marks[index / MARKS], mark = UINT64_C(1) << index % MARKS;

    if (*word & mark)
        return;
    if ((figures->allocs | figures->bytes | figures->frees | figures->freed) != 0) {
        look->former = mp_grow(look->former, look->n_former, &look->room_former, sizeof *look->former);
        look->former[look->n_former++] =
            (struct mp_look_former){.cell = (uint32_t)index, .figures = *figures};
    }
    *word |= mark;
    look->n_changed++;
}

/* Adds FIGURES of CELL to the sums, multiplied by TIMES, which is 1 or -1 modulo 2^64. */
static void
add(struct mp_look_cells *look, const struct mp_live_cell *cell,
    const struct mp_look_figures *figures, uint64_t times)
{
    look->allocs += times * figures->allocs;
    look->bytes += times * figures->bytes;
    look->blocks += times * (figures->allocs - figures->frees);
    if (kind_of(cell) >= MP_KIND_LISP)
        look->lisp += times * (figures->bytes - figures->freed);
}

/* Subtracts the cell at INDEX from the sums before it changes. */
static void
take_off(struct mp_look_cells *look, size_t index)
{
    const struct mp_live_cell *cell = cell_at(look, index);
    const struct mp_look_figures figures = figures_of(look, cell);

    note(look, index, &figures);
    add(look, cell, &figures, UINT64_MAX);
}

/* Adds the cell at INDEX to the sums after it has changed. */
static void
put_on(struct mp_look_cells *look, size_t index)
{
    const struct mp_live_cell *cell = cell_at(look, index);
    const struct mp_look_figures figures = figures_of(look, cell);

    add(look, cell, &figures, 1);
}

static void
set_owner(struct mp_look_cells *look, const struct mp_live_cell *cell, uint32_t owner)
{
    if (has_mixed(cell))
        look->owners[mixed_of(look, cell)] = owner;
}

/* Replaces the cell at INDEX with FRESH. If the mixed record of FRESH is in an extent that was not read yet, leaves the
 * cell unchanged until the next sample. */
static void
take_cell(struct mp_look_cells *look, size_t index, const void *fresh)
{
    struct mp_live_cell *cell = cell_at(look, index);

    if (has_mixed(fresh) && mixed_of(look, fresh) >= look->mixed.room)
        return;
    take_off(look, index);
    set_owner(look, cell, 0);
    memcpy(cell, fresh, sizeof *cell);
    set_owner(look, cell, (uint32_t)index + 1);
    put_on(look, index);
}

/* Replaces the mixed record at INDEX with FRESH. If a cell owns the record, updates the sums with the cell's new
 * figures. */
static void
take_mixed(struct mp_look_cells *look, size_t index, const void *fresh)
{
    struct mp_live_mixed *mixed = mixed_at(look, index);
    const uint32_t owner = look->owners[index];

    if (owner > 0)
        take_off(look, owner - 1);
    memcpy(mixed, fresh, sizeof *mixed);
    if (owner > 0)
        put_on(look, owner - 1);
}

typedef void (*mp_take)(struct mp_look_cells *look, size_t index, const void *fresh);

/* Compares SIZE bytes FRESH, the records of TABLE from INDEX on, with the copy. Calls TAKE for each record that
 * differs. */
static void
compare(struct mp_look_cells *look, const struct mp_look_table *table, size_t index,
        const uint8_t *fresh, size_t size, mp_take take)
{
    const size_t record = table->extents[0].record_size;
    const uint8_t *known = (const uint8_t *)table->records + index * record;

    for (size_t at = 0; at < size; at += PIECE) {
        const size_t end = at + PIECE < size ? at + PIECE : size;

        if (memcmp(known + at, fresh + at, end - at) == 0)
            continue;
        for (size_t i = at; i < end; i += record)
            if (memcmp(known + i, fresh + i, record) != 0)
                take(look, index + i / record, fresh + i);
    }
}

static bool
read_table(struct mp_look_cells *look, int fd, const struct mp_look_table *table, mp_take take)
{
    uint8_t *fresh = mp_need(aligned_alloc(64, PART));
    size_t index = 0;
    bool ok = true;

    for (uint32_t i = 0; i < table->n_extents && ok; i++) {
        const struct mp_live_extent *extent = &table->extents[i];
        const size_t size = (size_t)extent->count * extent->record_size;

        for (size_t at = 0; at < size && ok; at += PART) {
            const size_t n = at + PART < size ? PART : size - at;

            ok = pread(fd, fresh, n, (off_t)(extent->offset + at)) == (ssize_t)n;
            if (ok)
                compare(look, table, index + at / extent->record_size, fresh, n, take);
        }
        index += extent->count;
    }
    free(fresh);
    return ok;
}

static uint64_t
not_below_0(uint64_t sum)
{
    return (int64_t)sum > 0 ? sum : 0;
}

bool
mp_look_cells_read(struct mp_look_cells *look, int fd, struct mp_point *point)
{
    grow_tables(look);
    if (!read_table(look, fd, &look->cells, take_cell) || !read_table(look, fd, &look->mixed, take_mixed))
        return false;
    point->live_lisp = not_below_0(look->lisp);
    point->blocks = not_below_0(look->blocks);
    point->allocs = not_below_0(look->allocs);
    point->bytes = not_below_0(look->bytes);
    return true;
}

/* ---------------------------------------------------------------- what changed */

/* Adds the change of a counter from FROM to TO to *MORE, or to *LESS if it became smaller. A counter decreases when an
 * object gets another kind and leaves its cell. This counts as memory freed, not as a negative allocation. */
static void
set_change(uint64_t from, uint64_t to, uint64_t *more, uint64_t *less)
{
    if (to >= from)
        *more += to - from;
    else
        *less += from - to;
}

/* Passes the change of the cell at INDEX, which had the figures WAS, to TAKE and clears its mark. */
static void
hand_over(struct mp_look_cells *look, size_t index, const struct mp_look_figures *was,
          void (*take)(void *data, const struct mp_change *change), void *data)
{
    const struct mp_live_cell *cell = cell_at(look, index);
    const struct mp_look_figures is = figures_of(look, cell);
    struct mp_change change = {.context = cell->context, .kind = kind_of(cell)};

    look->marks[index / MARKS] &= ~(UINT64_C(1) << index % MARKS);
    set_change(was->allocs, is.allocs, &change.allocs, &change.frees);
    set_change(was->frees, is.frees, &change.frees, &change.allocs);
    set_change(was->bytes, is.bytes, &change.bytes, &change.freed);
    set_change(was->freed, is.freed, &change.freed, &change.bytes);
    if (cell->context != 0 && (change.allocs | change.bytes | change.frees | change.freed) != 0)
        take(data, &change);
}

void
mp_look_cells_changes(struct mp_look_cells *look,
                      void (*take)(void *data, const struct mp_change *change), void *data)
{
    const struct mp_look_figures nothing = {0};

    for (uint32_t i = 0; i < look->n_former; i++)
        hand_over(look, look->former[i].cell, &look->former[i].figures, take, data);
    look->n_former = 0;
    look->n_changed = 0;
    for (size_t word = 0; word < words_of(look->cells.room); word++)
        while (look->marks[word] != 0)
            hand_over(look, word * MARKS + (size_t)__builtin_ctzll(look->marks[word]), &nothing,
                      take, data);
}

/* ---------------------------------------------------------------- the file */

/* Size of the part of the header that is read at each sample. It ends before the part that other processes write. */
#define HEAD offsetof(struct mp_live_header, control)

/* Notes whether objects are sampled. The monitor may note that in the header later, with the first object. */
static void
note_version(struct mp_look *look)
{
    look->cells.objects_sampled = look->header.version == MP_LIVE_VERSION_OBJECTS;
}

bool
mp_look_open(struct mp_look *look, int fd, pid_t pid)
{
    char path[64];

    *look = (struct mp_look){.fd = fd, .memory = -1};
    if (pread(fd, &look->header, sizeof look->header, 0) != (ssize_t)sizeof look->header ||
        memcmp(look->header.magic, MP_LIVE_MAGIC, sizeof look->header.magic) != 0 ||
        !MP_LIVE_IS_VERSION(look->header.version) ||
        look->header.byte_order != MP_BYTE_ORDER) {
        mp_look_close(look);
        return false;
    }
    look->cells.sample_period = look->header.sample_period;
    note_version(look);
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

/* Returns the resident bytes of the process, and sets look->private. */
static uint64_t
resident(struct mp_look *look)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    unsigned long size, pages, shared;
    char text[128];
    ssize_t n = look->memory >= 0 ? pread(look->memory, text, sizeof text - 1, 0) : -1;

    look->private = 0;
    if (n <= 0)
        return MP_NOT_SEEN;
    text[n] = '\0';
    if (sscanf(text, "%lu %lu %lu", &size, &pages, &shared) != 3)
        return MP_NOT_SEEN;
    look->private = pages > shared ? (pages - shared) * page : 0;
    return pages * page;
}

/* Reads the list entries of the extents that are new since the last sample. Returns false if they are not plausible, or
 * refer to bytes beyond the end of the file. */
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

uint64_t
mp_look_elapsed(const struct mp_look *look)
{
    return mp_now() - look->header.start_monotonic;
}

bool
mp_look_totals(struct mp_look *look, struct mp_point *point)
{
    uint64_t time;
    int64_t live;

    if (pread(look->fd, &look->header, HEAD, 0) != (ssize_t)HEAD || !read_extents(look))
        return false;
    note_version(look);
    live = look->header.live_bytes + pending_bytes(look);
    time = mp_now();
    if (time < look->header.start_monotonic)
        return false;
    *point = (struct mp_point){
        .time = time - look->header.start_monotonic,
        .live = live > 0 ? (uint64_t)live : 0,
        .live_lisp = look->header.language == 0 ? 0 : MP_NOT_SEEN, .blocks = MP_NOT_SEEN,
        .allocs = MP_NOT_SEEN, .bytes = MP_NOT_SEEN, .resident = resident(look)};
    return true;
}
