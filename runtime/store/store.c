/* SPDX-License-Identifier: MIT */
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "claim.h"
#include "runtime/system/diag.h"
#include "runtime/system/gate.h"
#include "runtime/system/options.h"
#include "runtime/system/place.h"
#include "runtime/system/runner.h"
#include "runtime/system/sandbox.h"
#include "runtime/system/sys.h"
#include "runtime/system/sys_process.h"
#include "store_past.h"
#include "store_rows.h"

_Static_assert(sizeof(struct mp_live_header) == MP_HEADER_SIZE, "header size");
_Static_assert(sizeof(struct mp_live_cell) == 32, "cells do not cross cache lines");
_Static_assert(sizeof(struct mp_live_mixed) == 64, "nor do these");
_Static_assert(sizeof(struct mp_live_recorder) % 4096 == 0, "recorders are pages");
_Static_assert(sizeof(struct mp_live_trace) == 16384, "so is the trace");

static struct mp_store_file file = { .fd = -1 };

struct mp_store mp_store;

static MP_LARGE char file_path[MP_PATH_SIZE];
static int unnamed;             /* 0 if the present file has the name file_path; else it has no name, and this
                                   is -errno of the failure to create a file of that name */
static bool detached;           /* the present file was overwritten and is not mapped any more */
static uint32_t lost;           /* 0, or why the present recording is lost: ENODATA if the file was overwritten or
                                   truncated, EFAULT if the program unmapped or protected the monitor's memory */

/* Values that the present file's header had in these fields when it began to identify this process. If the header has
 * other values later, somebody has overwritten the file. */
static struct {
    uint64_t start_ticks, start_monotonic;
    uint32_t pid;
} settled;

const char *
mp_store_path(void)
{
    return file_path;
}

void
mp_store_finish(enum mp_live_state state, int status, int error)
{
    MP_LOCK_HELD();
    struct mp_live_header *header = mp_store.header;

    if (!header || header->state == MP_STATE_FULL)
        return;
    header->end_monotonic = mp_sys_clock(CLOCK_MONOTONIC);
    header->private_end = mp_sys_memory(MP_MEMORY_PRIVATE);
    header->exit_status = status;
    header->stop_errno = (uint32_t)error;
    __atomic_store_n(&header->state, state, __ATOMIC_RELEASE);
}

/* ------------------------------------------------------------------ whose address */

static bool
is_between(uintptr_t address, const void *start, size_t size)
{
    return address - (uintptr_t)start < size;
}

static bool
is_in_header(uintptr_t address)
{
    const struct mp_live_header *header = mp_store.header;

    return header && is_between(address, header, MP_HEADER_SIZE);
}

/* Returns whether ADDRESS belongs to a row. Unless ALL, only the records of the present file count. */
static bool
is_in_rows(uintptr_t address, bool all)
{
    for (unsigned kind = 1; kind < MP_EXT_KINDS; kind++) {
        const struct mp_id_row *row = &mp_rows[kind];
        const size_t size = mp_kinds[kind].size, first = all ? 0 : row->first;
        const size_t end = all ? row->records : (size_t)row->mapped + row->growing;

        if (row->base && is_between(address, row->base + first * size, (end - first) * size))
            return true;
    }
    return false;
}

static bool
overlaps(uint64_t start, uint64_t end, const void *first, size_t size)
{
    return start < (uint64_t)first + size && end > (uint64_t)first;
}

bool
mp_store_overlaps(uint64_t start, uint64_t end)
{
    const struct mp_live_header *header = mp_store.header;

    for (unsigned kind = 1; kind < MP_EXT_KINDS; kind++) {
        const struct mp_id_row *row = &mp_rows[kind];
        const size_t count = (size_t)row->mapped + row->growing;

        if (row->base && (overlaps(start, end, row->base, count * mp_kinds[kind].size) ||
                          overlaps(start, end, row->beside, count * mp_kinds[kind].beside)))
            return true;
    }
    return header && overlaps(start, end, header, MP_HEADER_SIZE);
}

/* ------------------------------------------------------------------ the end of the recording */

/* Ends the present recording, in the handler of a fault or under the lock. Does not touch the header, because in
 * a signal handler that could cause another fault while its signal is blocked. */
static void
end_recording(uint32_t why)
{
    uint32_t none = 0;

    if (!__atomic_compare_exchange_n(&lost, &none, why, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return;
    mp_gate_raise();
    mp_diag_why(mp_store_path(), (int)why, why == ENODATA ? "was truncated or overwritten"
                                           : "the program made memory of mprof inaccessible",
                "recording stopped, the program goes on");
}

bool
mp_store_repair(uintptr_t address, enum mp_sys_fault fault)
{
    const uintptr_t page = getauxval(AT_PAGESZ);

    const uintptr_t gate = (uintptr_t)mp_gate & -page;

    if (!is_in_rows(address, true) && !is_in_header(address) && !mp_place_is_ours(address))
        return false;
    if (mp_sys_repair((void *)(address & -page), page, fault) != 0)
        return false;
    /* The program may have unmapped or protected the gate, too. end_recording() needs it, and a second fault in this
     * handler would end the program. */
    if (fault != MP_FAULT_SHORT && mp_sys_repair((void *)gate, page, MP_FAULT_DENIED) != 0)
        mp_sys_repair((void *)gate, page, MP_FAULT_UNMAPPED);
    if (fault != MP_FAULT_SHORT)
        end_recording(EFAULT);
    else if (is_in_rows(address, false) || is_in_header(address))
        end_recording(ENODATA);
    return true;
}

/* ------------------------------------------------------------------ under the lock */

static void
begin_lost(void)
{
    MP_LOCK_HELD();
    lost = 0;
    detached = false;
    settled.pid = 0;
}

static void
settle_lost(void)
{
    MP_LOCK_HELD();
    const struct mp_live_header *header = mp_store.header;

    settled.pid = header->pid;
    settled.start_ticks = header->start_ticks;
    settled.start_monotonic = header->start_monotonic;
}

static bool
is_overwritten(const struct mp_live_header *header)
{
    return settled.pid != 0 &&
           (memcmp(header->magic, MP_LIVE_MAGIC, sizeof header->magic) != 0 || header->pid != settled.pid ||
            header->start_ticks != settled.start_ticks || header->start_monotonic != settled.start_monotonic);
}

/* Replaces the mappings of the file by memory, because somebody has overwritten the file and the monitor's writes must
 * not change the new content. */
static void
detach(struct mp_live_header *header)
{
    mp_sys_map_over(header, MP_HEADER_SIZE);
    for (unsigned kind = 1; kind < MP_EXT_KINDS; kind++) {
        const struct mp_id_row *row = &mp_rows[kind];
        const size_t size = mp_kinds[kind].size;

        if (row->mapped > row->first)
            mp_sys_map_over(row->base + row->first * size, (row->mapped - row->first) * size);
    }
}

/* Returns whether FD refers to the present file. The program may have closed the descriptor and reused its
 * number, so the file is identified by its inode. */
static bool
is_our_file(int fd)
{
    return mp_sys_is_file(fd, &file.id);
}

bool
mp_store_is_ours(void)
{
    return settled.pid == (uint32_t)mp_sys_getpid();
}

/* Notes in the file, which is not mapped any more, that the recording was lost. Does that only if the header is this
 * process's own: somebody may have overwritten the file by an older copy of itself, and without this note readers would
 * not know that it is incomplete. */
static void
note_lost(void)
{
    const size_t size = offsetof(struct mp_live_header, unwinder);
    struct mp_live_header *header = NULL;

    if (!mp_sandbox_is_shut() && mp_store_is_ours() && is_our_file(file.fd))
        header = mp_sys_map(MP_HEADER_SIZE);    /* mapped because the stack may be small */
    if (!header)
        return;
    if (mp_sys_pread(file.fd, header, size, 0) == (long)size && !is_overwritten(header) &&
        header->state == MP_STATE_RUNNING) {
        header->end_monotonic = mp_sys_clock(CLOCK_MONOTONIC);
        header->stop_errno = lost;
        header->state = MP_STATE_FULL;
        mp_sys_pwrite_all(file.fd, header, size, 0);
    }
    mp_sys_unmap(header, MP_HEADER_SIZE);
}

bool
mp_store_is_lost(void)
{
    struct mp_live_header *header = mp_store.header;

    if (!header)
        return false;
    if (!detached && is_overwritten(header)) {
        detach(header);
        detached = true;
        end_recording(ENODATA);
    }
    if (lost) {
        note_lost();
        mp_store_finish(MP_STATE_FULL, -1, (int)lost);
    }
    return lost != 0;
}

/* ------------------------------------------------------------------ the file */

/* Moves FD to a high number, because programs do not expect that low numbers are taken. Returns the new
 * descriptor. */
static int
move_high(int fd)
{
    struct rlimit limit;
    long high = -1;

    for (int least = 900; least >= 100 && high < 0; least /= 3)
        high = mp_sys_fcntl(fd, F_DUPFD_CLOEXEC, least);
    if (high < 0 && mp_sys_limit(RLIMIT_NOFILE, &limit) == 0)
        high = mp_sys_fcntl(fd, F_DUPFD_CLOEXEC, (long)(limit.rlim_cur - limit.rlim_cur / 4));
    if (high < 0)
        return fd;
    mp_sys_close(fd);
    return (int)high;
}

int
mp_store_descriptor(void)
{
    long fd;

    if (is_our_file(file.fd))
        return file.fd;
    fd = mp_sys_open_regular(mp_store_path(), O_RDWR | O_NOFOLLOW);
    if (fd < 0)
        return (int)fd;
    if (!is_our_file((int)fd)) {
        mp_sys_close((int)fd);
        return -ESTALE;
    }
    file.fd = move_high((int)fd);
    return file.fd;
}

int
mp_store_number(void)
{
    return __atomic_load_n(&file.fd, __ATOMIC_RELAXED);
}

bool
mp_store_is_open(void)
{
    return is_our_file(file.fd);
}

void
mp_store_move(void)
{
    MP_LOCK_HELD();
    long fd = is_our_file(file.fd) ? mp_sys_fcntl(file.fd, F_DUPFD_CLOEXEC, file.fd + 1) : -1;

    if (fd < 0 && is_our_file(file.fd))
        fd = mp_sys_fcntl(file.fd, F_DUPFD_CLOEXEC, 100);
    if (fd >= 0)
        file.fd = (int)fd;              /* the program's own call closes the old descriptor */
}

int
mp_store_unnamed(void)
{
    return unnamed;
}

/* Returns whether ERROR may mean that this process cannot write to a directory to which mprof run can. This process may
 * have another user, root directory or other mounts. */
static bool
is_out_of_reach(long error)
{
    return error == -EACCES || error == -EPERM || error == -EROFS || error == -ENOENT || error == -ENOTDIR;
}

static int
open_new(const char *path, int replace)
{
    long fd = mp_claim(path, replace);

    unnamed = is_out_of_reach(fd) && mp_runner_listens() ? (int)fd : 0;
    if (unnamed)
        fd = mp_sys_memory_file();
    if (fd < 0)
        return unnamed ? unnamed : (int)fd;
    if (!mp_sys_file_id((int)fd, &file.id)) {
        mp_sys_close((int)fd);
        return -EIO;
    }
    file.fd = move_high((int)fd);
    strcpy(file_path, path);
    return 0;
}

static uint64_t allocated;      /* number of bytes of the present file that have space on the disk */

static int
map_header(void)
{
    struct mp_live_header *header = mp_past_header();
    long result;

    if (!header)
        return -ENOMEM;
    allocated = MP_LIVE_FIRST_SIZE;
    result = mp_sys_allocate(file.fd, 0, allocated);
    if (result != 0) {
        allocated = MP_HEADER_SIZE;
        result = mp_sys_allocate(file.fd, 0, allocated);
    }
    if (result == 0)
        result = mp_sys_map_file(header, MP_HEADER_SIZE, file.fd, 0);
    if (result == 0)
        result = mp_past_begin(header);
    if (result < 0) {
        mp_past_free_header(header);
        return (int)result;
    }
    begin_lost();
    memcpy(header->magic, MP_LIVE_MAGIC, 8);
    header->version = MP_LIVE_VERSION;
    header->byte_order = MP_BYTE_ORDER;
    header->header_size = MP_HEADER_SIZE;
    header->page_size = (uint32_t)getauxval(AT_PAGESZ);
    header->file_size = MP_HEADER_SIZE;
    header->inode = file.id.inode;
    header->exit_status = -1;
    header->epoch = MP_EPOCH_PEAK;
    mp_store.header = header;
    mp_store.first_cell = mp_rows[MP_EXT_CELLS].next;
    mp_store.first_frame = mp_rows[MP_EXT_FRAMES].next;
    return 0;
}

static void
find_rows(void)
{
    mp_store.strings = mp_rows[MP_EXT_STRINGS].base;
    mp_store.modules = (void *)mp_rows[MP_EXT_MODULES].base;
    mp_store.frames = (void *)mp_rows[MP_EXT_FRAMES].base;
    mp_store.frame_starts = (void *)mp_rows[MP_EXT_FRAMES].beside;
    mp_store.cells = (void *)mp_rows[MP_EXT_CELLS].base;
    mp_store.mixed = (void *)mp_rows[MP_EXT_MIXED].base;
    mp_store.recorders = (void *)mp_rows[MP_EXT_RECORDERS].base;
    mp_store.contexts = (void *)mp_rows[MP_EXT_CONTEXTS].base;
    mp_store.context_links = (void *)mp_rows[MP_EXT_CONTEXTS].beside;
    mp_store.names = (void *)mp_rows[MP_EXT_NAMES].base;
    mp_store.object_kinds = (void *)mp_rows[MP_EXT_OBJECT_KINDS].base;
    mp_store.ages = (void *)mp_rows[MP_EXT_AGES].base;
    mp_store.marks = (void *)mp_rows[MP_EXT_MARKS].base;
    mp_store.former = (void *)mp_rows[MP_EXT_FORMER].base;
    mp_store.resized = (void *)mp_rows[MP_EXT_RESIZED].base;
    mp_store.lifetimes = (void *)mp_rows[MP_EXT_LIFETIMES].base;
    mp_store.traces = (void *)mp_rows[MP_EXT_TRACE].base;
    mp_store.events = (void *)mp_rows[MP_EXT_EVENTS].base;
    mp_store.mappers = (void *)mp_rows[MP_EXT_MAPPERS].base;
    mp_store.ranges = (void *)mp_rows[MP_EXT_RANGES].base;
}

int
mp_store_create(const char *path, int replace)
{
    MP_LOCK_HELD();
    int result = mp_rows_open();

    if (result < 0)
        return result;
    find_rows();
    result = open_new(path, replace);
    if (result < 0)
        return result;
    result = map_header();
    if (result < 0)
        mp_store_remove();
    return result;
}

bool
mp_store_has_name(void)
{
    MP_LOCK_HELD();
    struct stat status;

    return mp_sys_stat(mp_store_path(), AT_SYMLINK_NOFOLLOW, &status) == 0 && status.st_ino == file.id.inode &&
           status.st_dev == file.id.device;
}

long
mp_store_keep_scan(int from)
{
    MP_LOCK_HELD();
    struct mp_live_header *header = mp_store.header;
    const size_t most = (size_t)1 << 16;
    char *piece = mp_sys_map(most);     /* mapped because the stack may be small */
    const uint64_t start = header->file_size;
    const int to = mp_store_descriptor();
    struct stat status;
    uint64_t size = 0;
    long n = to < 0 ? to : !piece ? -ENOMEM : mp_sys_fstat(from, &status);

    if (n == 0)
        n = mp_sys_allocate(to, start, (uint64_t)status.st_size);
    while (n == 0 && size < (uint64_t)status.st_size) {
        const long got = mp_sys_pread(from, piece, most, size);

        n = got > 0 ? mp_sys_pwrite_all(to, piece, (size_t)got, start + size) : got < 0 ? got : -EIO;
        size += got > 0 ? (uint64_t)got : 0;
    }
    if (n == 0) {
        header->file_size = start + (size + 4095) / 4096 * 4096;
        header->scan_offset = start;
        header->scan_size = size;
    }
    if (piece)
        mp_sys_unmap(piece, most);
    return n;
}

void
mp_store_settled(void)
{
    MP_LOCK_HELD();
    int fd = mp_store_descriptor();

    settle_lost();
    if (fd >= 0)
        mp_claim_settled(fd);
}

void
mp_store_close(void)
{
    MP_LOCK_HELD();
    const struct mp_store_file given = mp_store_give_up();

    if (mp_sys_is_file(given.fd, &given.id))
        mp_sys_close(given.fd);
}

struct mp_store_file
mp_store_give_up(void)
{
    MP_LOCK_HELD();
    const struct mp_store_file given = file;

    /* The mappings stay, because another thread may be writing its last counter there. */
    mp_store.header = NULL;
    file.fd = -1;
    return given;
}

void
mp_store_push(const struct mp_store_file *given)
{
    if (mp_sys_is_file(given->fd, &given->id))
        mp_sys_fdatasync(given->fd);
    if (mp_sys_is_file(given->fd, &given->id))
        mp_sys_close(given->fd);
}

void
mp_store_make_private(void)
{
    struct mp_live_header *header = mp_store.header;
    int fd = header ? mp_store_descriptor() : -1;

    if (fd >= 0)
        mp_sys_map_private(header, MP_HEADER_SIZE, fd, 0);
    for (uint32_t i = 0; fd >= 0 && i < header->n_extents && i < MP_MAX_EXTENTS; i++) {
        const struct mp_live_extent *extent = &header->extents[i];

        if (extent->kind == 0 || extent->kind >= MP_EXT_KINDS)
            break;
        mp_sys_map_private(mp_rows[extent->kind].base + (size_t)extent->first * extent->record_size,
                           (size_t)extent->count * extent->record_size, fd, extent->offset);
    }
}

void
mp_store_remove(void)
{
    MP_LOCK_HELD();
    struct stat status;

    if (mp_store.header)
        mp_store.header->unwanted = 1;  /* the process may be unable to remove it */
    if (mp_sandbox_is_shut())
        return;
    if (mp_store_path()[0] && mp_sys_stat(mp_store_path(), 0, &status) == 0 && status.st_ino == file.id.inode &&
        status.st_dev == file.id.device)
        mp_sys_unlink(mp_store_path());
    mp_store_close();
}

/* ------------------------------------------------------------------ extents */

static void
publish(struct mp_live_header *header, enum mp_extent_kind kind, uint32_t first, uint32_t count,
        uint64_t offset)
{
    struct mp_live_extent *extent = &header->extents[header->n_extents];

    extent->first = first;
    extent->count = count;
    extent->record_size = mp_kinds[kind].size;
    extent->offset = offset;
    __atomic_store_n(&extent->kind, (uint32_t)kind, __ATOMIC_RELEASE);
    __atomic_store_n(&header->n_extents, header->n_extents + 1, __ATOMIC_RELEASE);
}

static long
map_extent(enum mp_extent_kind kind, uint32_t count)
{
    struct mp_live_header *header = mp_store.header;
    struct mp_id_row *row = &mp_rows[kind];
    uint64_t offset = header->file_size, size = (uint64_t)count * mp_kinds[kind].size;
    int fd = mp_store_descriptor();
    long result;

    if (fd < 0)
        return fd;
    if (header->n_extents >= MP_MAX_EXTENTS || count > row->end - row->mapped)
        return -EOVERFLOW;
    result = offset + size <= allocated ? 0 : mp_sys_allocate(fd, offset, size);
    if (result != 0)
        return result;
    row->growing = count;
    result = mp_rows_map(kind, count, fd, offset);
    if (result < 0) {
        row->growing = 0;
        return result;
    }
    header->file_size = offset + size;
    publish(header, kind, row->mapped, count, offset);
    row->mapped += count;
    __atomic_store_n(&row->growing, 0, __ATOMIC_RELEASE);
    return 0;
}

/* Adds an extent of the row's next size. If the disk has too little space for it, tries smaller ones that still
 * have NEEDED records. */
static long
map_as_much(enum mp_extent_kind kind, uint32_t needed)
{
    const uint32_t least = mp_rows_least(kind);
    uint32_t count = mp_rows_next_count(kind, needed);
    long result = -EOVERFLOW;

    if (count == 0)
        return result;
    for (;; count = count / 2 / least * least) {
        result = map_extent(kind, count);
        if (result == 0 || count / 2 < least || count / 2 / least * least < needed)
            return result;
    }
}

/* Returns the text of an ERROR whose strerror() would be misleading here, and NULL for other errors. */
static const char *
reason(long error)
{
    switch (error) {
    case -EOVERFLOW:
        return "all numbers for records are used";
    case -ESTALE:
        return "was removed or replaced";
    case -EEXIST:
        return "the program has memory where the recording was to grow";
    default:
        return NULL;
    }
}

static bool
grow(enum mp_extent_kind kind, uint32_t needed)
{
    long result = mp_store_is_lost() ? -ENODATA : map_as_much(kind, needed);

    if (result < 0 && !mp_store_is_lost()) {
        mp_store_finish(MP_STATE_FULL, -1, (int)-result);
        mp_diag_why(mp_store_path(), (int)-result, reason(result),
                    "recording stopped, the program goes on");
        mp_gate_raise();                /* every thread has to notice the end */
    }
    return result == 0;
}

uint32_t
mp_store_take(enum mp_extent_kind kind, uint32_t count)
{
    MP_LOCK_HELD();
    struct mp_id_row *row = &mp_rows[kind];
    uint32_t first;

    if (!mp_store.header || mp_store.header->state == MP_STATE_FULL)
        return 0;
    if (row->next + count > row->mapped) {
        if (kind == MP_EXT_STRINGS)
            row->next = row->mapped;    /* a string must not span two extents */
        if (!grow(kind, row->next + count - row->mapped))
            return 0;
    }
    first = row->next;
    row->next += count;
    if (count > 1)
        mp_rows_populate(kind, first, count);
    return first;
}

bool
mp_store_has_room(enum mp_extent_kind kind, uint32_t count)
{
    MP_LOCK_HELD();
    const struct mp_id_row *row = &mp_rows[kind];

    /* The unmapped rest of a row consists of whole pages. So if COUNT records fit there, an extent of at least COUNT
     * records fits, too. */
    return row->mapped - row->next >= count ||
           (!mp_sandbox_is_shut() && mp_store.header && mp_store.header->n_extents < MP_MAX_EXTENTS &&
            row->end - row->mapped >= count);
}

uint32_t
mp_store_take_if_room(enum mp_extent_kind kind, uint32_t count)
{
    return mp_store_has_room(kind, count) ? mp_store_take(kind, count) : 0;
}

uint32_t
mp_store_taken(enum mp_extent_kind kind)
{
    MP_LOCK_HELD();
    return mp_rows[kind].next - mp_rows[kind].first;
}

/* Maps COUNT more records of KIND. If the file has more than COUNT, doubles COUNT until it is no less. Halves COUNT as
 * long as there is too little space. */
static void
reserve(enum mp_extent_kind kind, uint32_t count)
{
    struct mp_id_row *row = &mp_rows[kind];
    const uint32_t before = row->mapped;

    while (count < before - row->first)
        count *= 2;
    for (; row->next + count > before && count >= mp_kinds[kind].least; count /= 2)
        if (map_extent(kind, count) == 0)
            break;
    if (kind == MP_EXT_STRINGS && row->mapped > before)
        row->next = before;             /* a string must not span two extents */
}

/* Reserves 25 MB of space in the file if there is no language. */
void
mp_store_reserve(void)
{
    MP_LOCK_HELD();
    static const uint32_t counts[MP_EXT_KINDS] = {
        [MP_EXT_STRINGS] = 1u << 20, [MP_EXT_MODULES] = 1u << 10, [MP_EXT_FRAMES] = 1u << 16,
        [MP_EXT_CONTEXTS] = 1u << 20, [MP_EXT_CELLS] = 1u << 17, [MP_EXT_MIXED] = 1u << 15,
        [MP_EXT_RECORDERS] = 128, [MP_EXT_NAMES] = 1u << 14, [MP_EXT_OBJECT_KINDS] = 1u << 12,
        [MP_EXT_AGES] = 1u << 15, [MP_EXT_MARKS] = 64, [MP_EXT_FORMER] = 1u << 13,
        [MP_EXT_RESIZED] = 1u << 12, [MP_EXT_LIFETIMES] = 1u << 11, [MP_EXT_TRACE] = 1,
        [MP_EXT_MAPPERS] = 256, [MP_EXT_RANGES] = 512,
    };

    for (unsigned kind = 1; kind < MP_EXT_KINDS; kind++)
        if (mp_store.header->language || kind < MP_EXT_NAMES || kind > MP_EXT_AGES)
            reserve(kind, counts[kind]);
}

uint32_t
mp_store_next(enum mp_extent_kind kind)
{
    MP_LOCK_HELD();
    return mp_rows[kind].next;
}

uint32_t
mp_store_string(const char *text, size_t size)
{
    uint32_t id;

    if (size > 65536)
        size = 65536;
    id = mp_store_take(MP_EXT_STRINGS, (uint32_t)size + 1);
    if (id)
        memcpy(mp_store.strings + id, text, size);
    return id;
}

uint32_t
mp_store_string_if_room(const char *text, size_t size)
{
    return mp_store_has_room(MP_EXT_STRINGS, (uint32_t)size + 1) ? mp_store_string(text, size) : 0;
}
