/* SPDX-License-Identifier: MIT */
/*
 * resident_sample.c -- reads /proc/PID/smaps, and gives each resident page to a part of the account.
 *
 * A mapping of the kernel may contain ranges of several owners, because the kernel joins neighbours. If its pages have
 * more than one owner, /proc/PID/pagemap shows which of them are resident.
 */
#include "resident_sample.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reporter/base/arena.h"
#include "reporter/base/open_file.h"
#include "reporter/base/search.h"
#include "reporter/profile/counts.h"

#define ATTEMPTS    3
#define MOST_RANGES 65536u
#define MOST_FILES  40u         /* maximum number of files that are listed; the others are one item without a name */
#define MOST_PAGES  (1u << 20)  /* maximum number of pages of which pagemap is read */
#define MOST_OVERHEAD 32u       /* maximum bytes of a block's header and rounding */
#define ARENA       ((uint64_t)64 << 20)        /* glibc's arenas of threads begin at multiples of this */

/* A mapping of the kernel. */
struct area {
    uint64_t start, end, offset, resident;
    char access[5];
    const char *path;           /* "" if it has none */
};

struct taking {
    pid_t pid;
    int pagemap;                /* -1 if it is unavailable */
    uint64_t page, pages;       /* bytes of a page; number of pages that were looked up */
    struct mp_live_mappings sums;
    struct mp_live_range *ranges; uint32_t n_ranges;
    uint8_t *kinds; uint32_t first_mapper, n_mappers;   /* kinds of the records, by id less the first one */
    uint64_t *threads; uint32_t n_threads;              /* thread pointers */
    char *object;               /* path of the file that was mapped last, or NULL */
    uint64_t object_start, object_size;         /* first address of this file; bytes with its variables, 0 if they were
                                                   not computed yet */
    uint64_t last_end;          /* end of the area before the present one */
    bool after_guard;           /* the area before the present one is inaccessible */
    uint64_t heap, anonymous;   /* bytes that certainly belong to glibc's malloc; bytes that belong to an allocator
                                   unless code that does not use libc has mapped them */
    bool other_allocator;       /* malloc is not glibc's */
    bool unknown;               /* pages had several owners, and pagemap could not be read */
    struct mp_resident_item *items; uint32_t n, room;
};

/* ---------------------------------------------------------------- the live file */

/* Calls TAKE with each record of KIND, of which SIZE bytes at OFFSET are read. */
static bool
read_records(const struct mp_look *look, enum mp_extent_kind kind, size_t offset, size_t size, struct taking *t,
             void (*take)(struct taking *t, uint32_t id, const void *record))
{
    uint64_t record[8];

    for (uint32_t i = 0; i < look->n_extents; i++) {
        const struct mp_live_extent *extent = &look->header.extents[i];

        for (uint32_t j = 0; extent->kind == kind && j < extent->count; j++) {
            if (pread(look->fd, record, size, (off_t)(extent->offset + j * (uint64_t)extent->record_size + offset)) !=
                (ssize_t)size)
                return false;
            take(t, extent->first + j, record);
        }
    }
    return true;
}

static void
take_thread(struct taking *t, uint32_t id, const void *record)
{
    (void)id;
    t->threads = mp_need(reallocarray(t->threads, t->n_threads + 1, sizeof *t->threads));
    memcpy(&t->threads[t->n_threads], record, sizeof *t->threads);
    t->n_threads += t->threads[t->n_threads] != 0;
}

/* Reads all records of an extent kind at once. Returns their number, and the id of the first one in *FIRST. */
static uint32_t
read_all(const struct mp_look *look, enum mp_extent_kind kind, size_t size, uint32_t most, void **records,
         uint32_t *first)
{
    uint32_t n = 0;

    *records = NULL;
    *first = 0;
    for (uint32_t i = 0; i < look->n_extents; i++) {
        const struct mp_live_extent *extent = &look->header.extents[i];

        if (extent->kind != kind || extent->record_size != size)
            continue;
        if (n == 0)
            *first = extent->first;
        if (extent->first != *first + n || extent->count > most - n)
            break;
        *records = mp_need(reallocarray(*records, n + (size_t)extent->count, size));
        if (pread(look->fd, (char *)*records + n * size, extent->count * size, (off_t)extent->offset) !=
            (ssize_t)(extent->count * size))
            break;
        n += extent->count;
    }
    return n;
}

static bool
read_sums(const struct mp_look *look, struct mp_live_mappings *sums)
{
    return pread(look->fd, sums, sizeof *sums, offsetof(struct mp_live_header, mappings)) == (ssize_t)sizeof *sums;
}

static bool
are_sorted(const struct taking *t)
{
    for (uint32_t i = 0; i < t->n_ranges; i++)
        if (t->ranges[i].start >= t->ranges[i].end || (i > 0 && t->ranges[i].start < t->ranges[i - 1].end))
            return false;
    return true;
}

/* Copies the ranges. Returns false if they changed meanwhile. */
static bool
copy_ranges(struct taking *t, const struct mp_look *look)
{
    struct mp_live_mappings after;
    void *records;
    uint32_t first, n;

    if (!read_sums(look, &t->sums) || t->sums.changes % 2 != 0)
        return false;
    n = read_all(look, MP_EXT_RANGES, sizeof *t->ranges, MOST_RANGES, &records, &first);
    free(t->ranges);
    t->ranges = records;
    t->n_ranges = t->sums.n_ranges;
    return read_sums(look, &after) && after.changes == t->sums.changes && t->n_ranges <= n && are_sorted(t);
}

static bool
read_live_file(struct taking *t, const struct mp_look *look)
{
    void *records;
    bool ok = false;

    for (int i = 0; i < ATTEMPTS && !ok; i++)
        ok = copy_ranges(t, look);
    if (!ok)
        return false;
    t->n_mappers = read_all(look, MP_EXT_MAPPERS, sizeof(struct mp_live_mapper), MOST_RANGES, &records,
                            &t->first_mapper);
    t->kinds = mp_need(calloc(t->n_mappers + (size_t)1, 1));
    for (uint32_t i = 0; i < t->n_mappers; i++)
        t->kinds[i] = (uint8_t)((const struct mp_live_mapper *)records)[i].kind;
    free(records);
    return read_records(look, MP_EXT_RECORDERS, offsetof(struct mp_live_recorder, thread_pointer), sizeof(uint64_t), t,
                        take_thread);
}

/* ---------------------------------------------------------------- parts */

static void
add(struct taking *t, enum mp_resident_part part, uint32_t mapping, const char *name, uint64_t bytes)
{
    uint32_t i = 0;

    if (bytes == 0)
        return;
    while (i < t->n && (t->items[i].part != part || t->items[i].mapping != mapping ||
                        (name ? !t->items[i].name || strcmp(t->items[i].name, name) != 0 : t->items[i].name != NULL)))
        i++;
    if (i == t->n) {
        if (t->n == t->room) {
            t->room = 2 * t->room + 64;
            t->items = mp_need(reallocarray(t->items, t->room, sizeof *t->items));
        }
        t->items[t->n++] = (struct mp_resident_item){part, mapping, name ? mp_need(strdup(name)) : NULL, 0};
    }
    t->items[i].bytes += bytes;
}

/* Returns the resident bytes from START to END, or UINT64_MAX if that is unknown. */
static uint64_t
resident_within(struct taking *t, uint64_t start, uint64_t end)
{
    const uint64_t first = start / t->page, last = (end + t->page - 1) / t->page;
    uint64_t entries[512], n = 0;

    t->pages += last - first;
    if (t->pagemap < 0 || t->pages > MOST_PAGES)
        return UINT64_MAX;
    for (uint64_t at = first; at < last;) {
        const uint64_t part = last - at < 512 ? last - at : 512;

        if (pread(t->pagemap, entries, part * 8, (off_t)(at * 8)) != (ssize_t)(part * 8))
            return UINT64_MAX;
        for (uint64_t i = 0; i < part; i++)
            n += entries[i] >> 63;
        at += part;
    }
    return n * t->page;
}

/* Returns the size in memory of the ELF object PATH, including its variables, or 0 if PATH is no 64-bit ELF object. */
static uint64_t
size_of_object(const struct taking *t, const char *path)
{
    const int fd = mp_open(path);
    Elf64_Ehdr head;
    Elf64_Phdr segment;
    uint64_t low = UINT64_MAX, high = 0;

    if (fd < 0)
        return 0;
    if (pread(fd, &head, sizeof head, 0) == (ssize_t)sizeof head && memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
        head.e_ident[EI_CLASS] == ELFCLASS64 && head.e_phentsize == sizeof segment)
        for (unsigned i = 0; i < head.e_phnum; i++)
            if (pread(fd, &segment, sizeof segment, (off_t)(head.e_phoff + i * sizeof segment)) ==
                    (ssize_t)sizeof segment && segment.p_type == PT_LOAD) {
                low = segment.p_vaddr < low ? segment.p_vaddr : low;
                high = segment.p_vaddr + segment.p_memsz > high ? segment.p_vaddr + segment.p_memsz : high;
            }
    close(fd);
    return low < high ? ((high + t->page - 1) & ~(t->page - 1)) - (low & ~(t->page - 1)) : 0;
}

/* Adds RESIDENT bytes of AREA that an allocator has mapped, or code that does not use libc, to `heap` or
 * `anonymous`. */
static void
add_anonymous(struct taking *t, const struct area *area, uint64_t resident)
{
    if (area->start % ARENA == 0 && area->end - area->start <= ARENA)
        t->heap += resident;
    else
        t->anonymous += resident;
}

/* Returns the resident bytes of AREA from START to END, but at most *LEFT, the bytes of AREA that were not given to any
 * part yet. Subtracts the result from *LEFT. */
static uint64_t
part_of(struct taking *t, const struct area *area, uint64_t start, uint64_t end, uint64_t *left)
{
    uint64_t found;

    if (start <= area->start && end >= area->end)
        found = *left;
    else
        found = *left > 0 ? resident_within(t, start > area->start ? start : area->start,
                                            end < area->end ? end : area->end) : 0;
    t->unknown |= found == UINT64_MAX;
    if (found > *left)
        found = *left;
    *left -= found;
    return found;
}

/* Gives LEFT resident bytes of AREA, which no recorded call mapped, to their parts. */
static void
add_unowned(struct taking *t, const struct area *area, uint64_t left)
{
    const char *base = strrchr(area->path, '/');
    uint64_t end = area->start;

    if (area->start >= t->sums.own_start && area->start < t->sums.own_end) {
        add(t, MP_PART_OWN, 0, NULL, left);
    } else if (base) {
        add(t, strncmp(base, "/libmprof.so", 12) == 0 ? MP_PART_OWN : MP_PART_FILES, 0, area->path, left);
    } else if (strcmp(area->path, "[heap]") == 0) {
        t->heap += left;
    } else if (strcmp(area->path, "[stack]") == 0) {
        add(t, MP_PART_STACKS, 0, NULL, left);
    } else if ((area->path[0] != '\0' && strncmp(area->path, "[anon", 5) != 0) || area->access[3] != 'p') {
        add(t, MP_PART_OTHER, 0, NULL, left);
    } else {
        if (t->object && t->last_end == area->start && t->object_size == 0)
            t->object_size = size_of_object(t, t->object);
        if (t->object && t->last_end == area->start && t->object_start + t->object_size > area->start)
            add(t, MP_PART_FILES, 0, t->object, part_of(t, area, area->start, t->object_start + t->object_size, &left));
        for (uint32_t i = 0; i < t->n_threads && t->after_guard; i++)
            if (t->threads[i] >= area->start && t->threads[i] < area->end)
                end = (t->threads[i] + t->page) & ~(t->page - 1);
        if (end > area->start)
            add(t, MP_PART_STACKS, 0, NULL, part_of(t, area, area->start, end, &left));
        add_anonymous(t, area, left);
    }
}

/* Gives the resident pages of AREA to their parts. */
static void
add_area(struct taking *t, const struct area *area)
{
    uint64_t left = area->resident;

    for (uint32_t i = MP_AT_MOST(t->ranges, t->n_ranges, end, area->start);
         i < t->n_ranges && t->ranges[i].start < area->end; i++) {
        const uint32_t id = t->ranges[i].mapper, index = id - t->first_mapper;
        const uint8_t kind = index < t->n_mappers ? t->kinds[index] : 0;
        const uint64_t found = part_of(t, area, t->ranges[i].start, t->ranges[i].end, &left);

        if (kind == MP_MAPPED_ALLOCATOR) {
            t->anonymous += found;
            t->other_allocator = true;
        } else {
            add(t, MP_PART_MAPPED, kind ? id : 0, NULL, found);
        }
    }
    if (left > 0)
        add_unowned(t, area, left);
}

/* ---------------------------------------------------------------- smaps */

/* Reads LINE, "start-end access offset device inode   path", into *AREA. Returns false for other lines. */
static bool
read_area(char *line, struct area *area)
{
    int path = 0;

    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n", &area->start, &area->end, area->access,
               &area->offset, &path) != 4 || path == 0)
        return false;
    line[strcspn(line, "\n")] = '\0';
    area->path = line + path;
    area->resident = 0;
    return true;
}

static void
end_area(struct taking *t, const struct area *area)
{
    if (area->end == 0)
        return;
    if (area->resident > 0)
        add_area(t, area);
    if (area->path[0] == '/' && (!t->object || strcmp(t->object, area->path) != 0 || area->offset == 0)) {
        free(t->object);
        t->object = mp_need(strdup(area->path));
        t->object_start = area->start;
        t->object_size = 0;
    }
    t->last_end = area->end;
    t->after_guard = strncmp(area->access, "---p", 4) == 0 && area->path[0] == '\0';
}

static bool
read_areas(struct taking *t, FILE *file)
{
    struct area area = {0};
    char *line = NULL, *head = NULL;
    size_t room = 0;
    uint64_t kilobytes;
    bool any = false;

    while (getline(&line, &room, file) > 0) {
        struct area next;
        char *copy = line[0] >= 'a' || (line[0] >= '0' && line[0] <= '9') ? mp_need(strdup(line)) : NULL;

        if (copy && read_area(copy, &next)) {
            /* If a mapping grows while the kernel writes the list, the list contains it twice, the second time with
             * all of its pages. Then only the second entry counts. */
            if (next.start != area.start || area.end == 0) {
                t->unknown |= next.start < area.end;
                end_area(t, &area);
            }
            free(head);
            head = copy;
            area = next;
            any = true;
            continue;
        }
        free(copy);
        if (sscanf(line, "Rss: %" SCNu64 " kB", &kilobytes) == 1)
            area.resident = kilobytes * 1024;
    }
    end_area(t, &area);
    free(head);
    free(line);
    return any;
}

/* ---------------------------------------------------------------- the account */

static int
compare_items(const void *a, const void *b)
{
    const struct mp_resident_item *left = a, *right = b;

    if (left->part != right->part)
        return left->part < right->part ? -1 : 1;
    if (left->bytes != right->bytes)
        return mp_order(right->bytes, left->bytes);
    return left->name && right->name ? strcmp(left->name, right->name) : (left->mapping > right->mapping) -
                                                                          (left->mapping < right->mapping);
}

/* Makes all files beyond the first MOST_FILES one item. Items are sorted. */
static void
join_small_files(struct taking *t)
{
    uint32_t files = 0, to = 0, rest = 0;

    for (uint32_t i = 0; i < t->n; i++) {
        struct mp_resident_item *item = &t->items[i];

        if (item->part != MP_PART_FILES || ++files <= MOST_FILES) {
            t->items[to++] = *item;
            continue;
        }
        free((char *)(uintptr_t)item->name);
        item->name = NULL;
        if (rest == 0) {
            rest = to;
            t->items[to++] = *item;
        } else {
            t->items[rest].bytes += item->bytes;
        }
    }
    t->n = to;
}

static void
finish(struct taking *t, const struct mp_look *look, const struct mp_point *point, struct mp_resident *account)
{
    const bool lisp = look->header.language != 0;
    const bool known = look->header.sample_period == 0 && (!lisp || point->live_lisp != MP_NOT_SEEN);
    const uint64_t lisp_bytes = known && lisp ? point->live_lisp : 0;
    const uint64_t live = known && point->live > lisp_bytes ? point->live - lisp_bytes : 0;
    const uint64_t all = t->heap + t->anonymous, blocks = live < all ? live : all;
    const bool counted = known && point->blocks != MP_NOT_SEEN && !t->other_allocator;
    const uint64_t used = counted ? mp_plus(live, point->blocks * MOST_OVERHEAD) : UINT64_MAX;

    add(t, MP_PART_BLOCKS, 0, NULL, blocks);
    add(t, MP_PART_ALLOCATOR, 0, NULL, all - blocks);
    if (t->n > 0)
        qsort(t->items, t->n, sizeof *t->items, compare_items);
    join_small_files(t);
    *account = (struct mp_resident){.time = point->time, .blocks_known = known, .items = t->items, .n = t->n,
                                   .surely_free = counted && t->heap > used ? t->heap - used : 0};
    for (uint32_t i = 0; i < t->n; i++)
        account->resident += t->items[i].bytes;
}

bool
mp_resident_take(pid_t pid, const struct mp_look *look, const struct mp_point *point, struct mp_resident *account)
{
    struct taking t = {.page = (uint64_t)sysconf(_SC_PAGESIZE), .pagemap = -1};
    char path[64];
    FILE *file;
    bool ok;

    snprintf(path, sizeof path, "/proc/%ld/smaps", (long)pid);
    file = fopen(path, "re");
    if (!file)
        return false;
    snprintf(path, sizeof path, "/proc/%ld/pagemap", (long)pid);
    t.pagemap = open(path, O_RDONLY | O_CLOEXEC);
    ok = read_live_file(&t, look) && read_areas(&t, file) && !t.unknown;
    if (ok)
        finish(&t, look, point, account);
    else
        mp_resident_free(&(struct mp_resident){.items = t.items, .n = t.n});
    free(t.ranges);
    free(t.kinds);
    free(t.threads);
    free(t.object);
    if (t.pagemap >= 0)
        close(t.pagemap);
    fclose(file);
    return ok;
}
