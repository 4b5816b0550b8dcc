/* SPDX-License-Identifier: MIT */
#include "store_past.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/system/gate.h"
#include "runtime/system/sys.h"
#include "store_rows.h"

#define LEAST 32u

struct file {
    struct mp_live_header *header;
    uint32_t number;
    uint32_t holds;             /* number of recorders that use or may use the file */
    bool memory;                /* the rows contain plain memory, not mappings of the file */
    uint32_t first[MP_EXT_KINDS], end[MP_EXT_KINDS];    /* ranges of ids; `end` of the present file is set when the
                                                           next one begins */
};

/* Sorted by number; the present file is the last. */
static struct file *files;
static uint32_t n_files, room, last_number;

/* ------------------------------------------------------------------ headers */

static struct mp_live_header *unused;   /* list of free headers; each free header begins with the address of the
                                           next */
static struct mp_live_header *kept;

struct mp_live_header *
mp_past_header(void)
{
    MP_LOCK_HELD();
    struct mp_live_header *header = unused;

    if (!header)
        return mp_sys_map(MP_HEADER_SIZE);
    memcpy(&unused, (const void *)header, sizeof unused);
    return header;
}

void
mp_past_free_header(struct mp_live_header *header)
{
    MP_LOCK_HELD();
    if (header == kept || mp_sys_map_over(header, MP_HEADER_SIZE) != 0)
        return;
    memcpy((void *)header, &unused, sizeof unused);
    unused = header;
}

static struct file *
file_of(const struct mp_live_header *header)
{
    for (uint32_t i = 0; i < n_files; i++)
        if (files[i].header == header)
            return &files[i];
    return NULL;
}

void
mp_past_keep_header(struct mp_live_header *header)
{
    MP_LOCK_HELD();
    struct mp_live_header *before = kept;

    kept = header;
    if (before && before != kept && !file_of(before))
        mp_past_free_header(before);
}

/* ------------------------------------------------------------------ the end of a file */

static void
unmap_rows(const struct file *file)
{
    for (unsigned kind = 1; kind < MP_EXT_KINDS; kind++)
        mp_rows_unmap(kind, file->first[kind], file->end[kind] - file->first[kind]);
}

/* Replaces the mappings of FILE by memory, for threads that still write there. */
static void
make_memory(struct file *file)
{
    for (unsigned kind = 1; kind < MP_EXT_KINDS; kind++) {
        const size_t size = mp_kinds[kind].size, beside = mp_kinds[kind].beside;
        const size_t first = file->first[kind], count = file->end[kind] - first;

        if (count)
            mp_sys_map_over(mp_rows[kind].base + first * size, count * size);
        if (count && beside)
            mp_sys_madvise(mp_rows[kind].beside + first * beside, count * beside, MADV_DONTNEED);
    }
    if (file->header != kept)
        mp_sys_map_over(file->header, MP_HEADER_SIZE);
    file->memory = true;
}

static void
drop(uint32_t index)
{
    struct mp_live_header *header = files[index].header;

    unmap_rows(&files[index]);
    n_files--;
    memmove(&files[index], &files[index + 1], (n_files - index) * sizeof *files);
    mp_past_free_header(header);
}

/* Releases the files that ended before the last one. */
static void
let_go(void)
{
    for (uint32_t i = 0; i + 1 < n_files;)
        if (files[i].holds == 0) {
            drop(i);
        } else {
            if (!files[i].memory)
                make_memory(&files[i]);
            i++;
        }
}

static void
end_present(void)
{
    for (unsigned kind = 1; kind < MP_EXT_KINDS && n_files; kind++)
        files[n_files - 1].end[kind] = mp_rows[kind].mapped;
}

/* Skips the extent that another thread may have been mapping when the process was forked. */
static void
pass_growing(struct mp_id_row *row)
{
    const uint32_t rest = row->end - row->mapped;

    row->mapped += row->growing < rest ? row->growing : rest;
    row->growing = 0;
}

void
mp_past_inherited(void)
{
    MP_LOCK_HELD();
    end_present();
    while (n_files)
        drop(n_files - 1);
    for (unsigned kind = 1; kind < MP_EXT_KINDS; kind++)
        pass_growing(&mp_rows[kind]);
}

/* ------------------------------------------------------------------ the beginning of one */

/* Returns the end of the range of ids of KIND from START on that belong to no file. */
static uint32_t
end_of_room(unsigned kind, uint32_t start)
{
    uint32_t end = mp_rows[kind].records;

    for (uint32_t i = 0; i < n_files; i++)
        if (files[i].first[kind] < files[i].end[kind] && files[i].first[kind] >= start &&
            files[i].first[kind] < end)
            end = files[i].first[kind];
    return end;
}

/* Chooses the free ids from START on if there are more of them than in the range chosen before. */
static void
consider(unsigned kind, uint32_t start)
{
    struct mp_id_row *row = &mp_rows[kind];
    uint32_t end = end_of_room(kind, start);

    if (end > start && end - start > row->end - row->mapped) {
        row->mapped = start;
        row->end = end;
    }
}

/* Chooses the ids of KIND for the present file. They follow the ids of the last file. If ids of this kind may be
 * reused, chooses the longest free range instead. */
static void
find_room(unsigned kind)
{
    struct mp_id_row *row = &mp_rows[kind];

    row->end = end_of_room(kind, row->mapped);
    if (mp_kinds[kind].again) {
        consider(kind, mp_rows_least(kind));
        for (uint32_t i = 0; i < n_files; i++)
            consider(kind, files[i].end[kind]);
    }
    row->first = row->next = row->mapped;
}

static bool
make_room(void)
{
    uint32_t more = room ? 2 * room : LEAST;
    struct file *old = files, *new;

    if (n_files < room)
        return true;
    new = mp_sys_map(more * sizeof *new);
    if (!new)
        return false;
    if (old)
        memcpy(new, old, n_files * sizeof *new);
    __atomic_store_n(&files, new, __ATOMIC_RELEASE);    /* before the old array is unmapped, because another
                                                           thread may fork the process now */
    if (old)
        mp_sys_unmap(old, room * sizeof *old);
    room = more;
    return true;
}

int
mp_past_begin(struct mp_live_header *header)
{
    MP_LOCK_HELD();
    struct file *file;

    end_present();
    let_go();
    if (!make_room())
        return -ENOMEM;
    for (unsigned kind = 1; kind < MP_EXT_KINDS; kind++)
        find_room(kind);
    file = &files[n_files++];
    *file = (struct file){ .header = header, .number = ++last_number };
    for (unsigned kind = 1; kind < MP_EXT_KINDS; kind++)
        file->first[kind] = file->end[kind] = mp_rows[kind].first;
    return 0;
}

/* ------------------------------------------------------------------ who holds a file */

uint32_t
mp_past_present(void)
{
    return last_number;
}

bool
mp_past_is_there(uint32_t number)
{
    for (uint32_t i = 0; i < n_files; i++)
        if (files[i].number == number)
            return true;
    return false;
}

void
mp_past_hold(void)
{
    MP_LOCK_HELD();
    files[n_files - 1].holds++;
}

void
mp_past_release(const struct mp_live_header *header)
{
    MP_LOCK_HELD();
    struct file *file = file_of(header);

    if (file)
        file->holds--;
}
