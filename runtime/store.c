#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "claim.h"
#include "diag.h"
#include "gate.h"
#include "options.h"
#include "sandbox.h"
#include "store_rows.h"
#include "sys.h"

#define SMALL_PAGE 4096u        /* what `least` below is made for */

_Static_assert(sizeof(struct mp_live_header) == MP_HEADER_SIZE, "header size");
_Static_assert(sizeof(struct mp_live_cell) == 64, "a cell is a cache line");
_Static_assert(sizeof(struct mp_live_recorder) % 4096 == 0, "recorders are pages");

struct mp_store mp_store;

static char file_path[MP_PATH_SIZE];
static struct mp_store_file file = { .fd = -1 };

/* ------------------------------------------------------------------ the file */

/* A descriptor far from those that programs count on. */
static int
move_high(int fd)
{
    long high = -1;

    for (int least = 900; least >= 100 && high < 0; least /= 3)
        high = mp_sys_fcntl(fd, F_DUPFD_CLOEXEC, least);
    if (high < 0)
        return fd;
    mp_sys_close(fd);
    return (int)high;
}

/* The program may have closed a descriptor of ours, and use its number for a file of its own. */
static bool
is_open(const struct mp_store_file *known, int fd)
{
    struct stat status;
    bool same;

    if (fd < 0 || !mp_sandbox_enter())
        return false;
    same = fstat(fd, &status) == 0 && status.st_dev == known->device &&
           status.st_ino == known->inode;
    mp_sandbox_leave();
    return same;
}

static bool
is_our_file(int fd)
{
    return is_open(&file, fd);
}

/* The descriptor of the file.  The program may have closed it and used its number again, so it is
 * recognised by its inode, and opened anew by path if it is gone. */
int
mp_store_descriptor(void)
{
    long fd;

    if (is_our_file(file.fd))
        return file.fd;
    fd = mp_sys_open(file_path, O_RDWR | O_NOFOLLOW, 0);
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
    const int error = errno;
    bool open;

    if (!mp_sandbox_enter())
        return false;
    open = is_our_file(file.fd);
    mp_sandbox_leave();
    errno = error;
    return open;
}

void
mp_store_move(void)
{
    long fd = is_our_file(file.fd) ? mp_sys_fcntl(file.fd, F_DUPFD_CLOEXEC, file.fd + 1) : -1;

    if (fd < 0 && is_our_file(file.fd))
        fd = mp_sys_fcntl(file.fd, F_DUPFD_CLOEXEC, 100);
    if (fd >= 0)
        file.fd = (int)fd;              /* the program's call closes the old one */
}

static int
open_new(const char *path, int replace)
{
    struct stat status;
    long fd = mp_claim(path, replace);

    if (fd < 0)
        return (int)fd;
    if (fstat((int)fd, &status) != 0) {
        mp_sys_close((int)fd);
        return -EIO;
    }
    file.device = status.st_dev;
    file.inode = status.st_ino;
    file.fd = move_high((int)fd);
    strcpy(file_path, path);
    return 0;
}

static int
map_header(void)
{
    struct mp_live_header *header = mp_sys_reserve(MP_HEADER_SIZE);
    long result;

    if (!header)
        return -ENOMEM;
    result = mp_sys_allocate(file.fd, 0, MP_HEADER_SIZE);
    if (result == 0)
        result = mp_sys_map_file(header, MP_HEADER_SIZE, file.fd, 0);
    if (result < 0) {
        mp_sys_unmap(header, MP_HEADER_SIZE);
        return (int)result;
    }
    memcpy(header->magic, MP_LIVE_MAGIC, 8);
    header->version = MP_LIVE_VERSION;
    header->byte_order = MP_BYTE_ORDER;
    header->header_size = MP_HEADER_SIZE;
    header->page_size = (uint32_t)getauxval(AT_PAGESZ);
    header->file_size = MP_HEADER_SIZE;
    header->exit_status = -1;
    mp_store.header = header;
    return 0;
}

/* Let go of the files before the last one; their disk space is free then.  The last one stays,
 * because a thread may still be writing there; what comes later than that is written to memory. */
static void
retire(void)
{
    static struct mp_live_header *last, *present;
    struct mp_row *contexts = &mp_rows[MP_EXT_CONTEXTS], *frames = &mp_rows[MP_EXT_FRAMES];

    mp_sys_madvise(mp_store.context_cells + contexts->retired,
                   (contexts->first - contexts->retired) * sizeof(uint32_t), MADV_DONTNEED);
    mp_sys_madvise(mp_store.frame_starts + frames->retired,
                   (frames->first - frames->retired) * sizeof(uintptr_t), MADV_DONTNEED);
    for (unsigned kind = 1; kind < MP_EXT_KINDS; kind++) {
        struct mp_row *row = &mp_rows[kind];

        if (row->first > row->retired)
            mp_sys_map_over(row->base + (size_t)row->retired * mp_kinds[kind].size,
                            (size_t)(row->first - row->retired) * mp_kinds[kind].size);
        row->retired = row->first;
        row->first = row->mapped;
    }
    if (last && last->pid == (uint32_t)mp_sys_getpid())     /* and not the parent's, before a fork */
        mp_sys_map_over(last, MP_HEADER_SIZE);
    last = present;
    present = mp_store.header;
}

/* ids of a new file start where a whole extent can be mapped, beyond all of the old file's. */
static void
start_rows(void)
{
    struct mp_row *cells = &mp_rows[MP_EXT_CELLS], *tails = &mp_rows[MP_EXT_TAILS];

    retire();
    /* Cells and tails have the same ids, also after a failure between the two. */
    if (cells->mapped < tails->mapped)
        cells->mapped = tails->mapped;
    tails->mapped = cells->mapped;
    for (unsigned kind = 1; kind < MP_EXT_KINDS; kind++) {
        struct mp_row *row = &mp_rows[kind];

        row->next = row->mapped;
        if (row->next == 0)
            row->next = 1;
        row->last_count = 0;
    }
    mp_store.first_cell = mp_rows[MP_EXT_CELLS].next;
    mp_store.first_frame = mp_rows[MP_EXT_FRAMES].next;
}

int
mp_store_create(const char *path, int replace)
{
    int result = mp_rows_reserve();

    if (result == 0)
        result = open_new(path, replace);
    if (result < 0)
        return result;
    result = map_header();
    if (result < 0) {
        mp_store_remove();
        return result;
    }
    start_rows();
    return 0;
}

void
mp_store_settled(void)
{
    int fd = mp_store_descriptor();

    if (fd >= 0)
        mp_claim_settled(fd);
}

const char *
mp_store_path(void)
{
    return file_path;
}

void
mp_store_close(void)
{
    const struct mp_store_file given = mp_store_give_up();

    if (is_open(&given, given.fd))
        mp_sys_close(given.fd);
}

struct mp_store_file
mp_store_give_up(void)
{
    const struct mp_store_file given = file;

    /* The mapping stays: another thread may be writing its last counter there. */
    mp_store.header = NULL;
    file.fd = -1;
    return given;
}

void
mp_store_push(const struct mp_store_file *given)
{
    if (!mp_sandbox_enter())
        return;
    if (is_open(given, given->fd))
        mp_sys_fdatasync(given->fd);
    if (is_open(given, given->fd))
        mp_sys_close(given->fd);
    mp_sandbox_leave();
}

void
mp_store_make_private(void)
{
    struct mp_live_header *header = mp_store.header;
    int fd = header ? mp_store_descriptor() : -1;

    if (fd >= 0)
        mp_sys_map_private(header, MP_HEADER_SIZE, fd, 0);
    for (uint32_t i = 0; fd >= 0 && i < header->n_extents; i++) {
        const struct mp_live_extent *extent = &header->extents[i];

        mp_sys_map_private(mp_rows[extent->kind].base + (size_t)extent->first * extent->record_size,
                           (size_t)extent->count * extent->record_size, fd, extent->offset);
    }
}

void
mp_store_remove(void)
{
    struct stat status;

    if (mp_sandbox_is_shut()) {
        mp_store.header->unwanted = 1;
        return;
    }
    if (file_path[0] && stat(file_path, &status) == 0 && status.st_ino == file.inode &&
        status.st_dev == file.device)
        mp_sys_unlink(file_path);
    mp_store_close();
}

void
mp_store_finish(enum mp_live_state state, int status, int error)
{
    struct mp_live_header *header = mp_store.header;

    if (!header || header->state == MP_STATE_FULL)
        return;
    header->end_monotonic = mp_sys_clock(CLOCK_MONOTONIC);
    header->exit_status = status;
    header->stop_errno = (uint32_t)error;
    __atomic_store_n(&header->state, state, __ATOMIC_RELEASE);
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

/* What is kept beside the records of KIND, from id FIRST on, becomes memory. */
static long
open_companions(enum mp_extent_kind kind, uint32_t first, uint32_t count)
{
    const uintptr_t page = mp_store.header->page_size - 1;
    uintptr_t start, end;

    if (kind == MP_EXT_CONTEXTS) {
        start = (uintptr_t)(mp_store.context_cells + first);
        end = (uintptr_t)(mp_store.context_cells + first + count);
    } else if (kind == MP_EXT_FRAMES) {
        start = (uintptr_t)(mp_store.frame_starts + first);
        end = (uintptr_t)(mp_store.frame_starts + first + count);
    } else {
        return 0;
    }
    start &= ~page;
    return mp_sys_open_up((void *)start, ((end + page) & ~page) - start);
}

static long
map_extent(enum mp_extent_kind kind, uint32_t count)
{
    struct mp_live_header *header = mp_store.header;
    struct mp_row *row = &mp_rows[kind];
    uint64_t offset = header->file_size, size = (uint64_t)count * mp_kinds[kind].size;
    char *address = row->base + (size_t)row->mapped * mp_kinds[kind].size;
    int fd = mp_store_descriptor();
    long result;

    if (fd < 0)
        return fd;
    if (header->n_extents == MP_MAX_EXTENTS || count > row->records - row->mapped)
        return -ENOMEM;
    result = mp_sys_allocate(fd, offset, size);
    if (result == 0)
        result = mp_sys_map_file(address, size, fd, offset);
    if (result == 0)
        result = open_companions(kind, row->mapped, count);
    if (result < 0)
        return result;
    header->file_size = offset + size;
    publish(header, kind, row->mapped, count, offset);
    row->mapped += count;
    row->last_count = count;
    return 0;
}

static uint32_t
next_count(const struct mp_kind_size *kind, const struct mp_row *row, uint32_t needed)
{
    uint32_t least = kind->least * (mp_store.header->page_size / SMALL_PAGE);
    uint32_t count = row->last_count ? row->last_count * 2 : least;

    if (count > kind->most && kind->most >= least)
        count = kind->most;
    while (count < needed)
        count *= 2;
    return count;
}

static bool
grow(enum mp_extent_kind kind, uint32_t needed)
{
    uint32_t count = next_count(&mp_kinds[kind], &mp_rows[kind], needed);
    long result = map_extent(kind, count);

    if (result < 0) {
        mp_store_finish(MP_STATE_FULL, -1, (int)-result);
        mp_diag(file_path, (int)-result, "recording stopped, the program goes on");
        mp_gate_raise();                /* every thread is to see it */
    }
    return result == 0;
}

uint32_t
mp_store_take(enum mp_extent_kind kind, uint32_t count)
{
    struct mp_row *row = &mp_rows[kind];
    uint32_t first;

    if (!mp_store.header || mp_store.header->state == MP_STATE_FULL)
        return 0;
    if (row->next + count > row->mapped) {
        if (kind == MP_EXT_STRINGS && row->mapped)
            row->next = row->mapped;    /* a string lies in one extent */
        if (!grow(kind, row->next + count - row->mapped))
            return 0;
    }
    first = row->next;
    row->next += count;
    return first;
}

/* COUNT more records, or as many as there are, or half of it, where there is no space for all. */
static void
lay_by(enum mp_extent_kind kind, uint32_t count)
{
    struct mp_row *row = &mp_rows[kind];
    const uint32_t before = row->mapped;

    while (count < before - row->first)
        count *= 2;
    for (; row->next + count > before && count >= mp_kinds[kind].least; count /= 2)
        if (map_extent(kind, count) == 0)
            break;
    if (kind == MP_EXT_STRINGS && row->mapped > before)
        row->next = before;             /* a string lies in one extent */
}

/* 25 MB, without a language. */
void
mp_store_lay_by(void)
{
    static const uint32_t counts[MP_EXT_KINDS] = {
        [MP_EXT_STRINGS] = 1u << 20, [MP_EXT_MODULES] = 1u << 10, [MP_EXT_FRAMES] = 1u << 16,
        [MP_EXT_CONTEXTS] = 1u << 19, [MP_EXT_CELLS] = 1u << 17, [MP_EXT_TAILS] = 1u << 17,
        [MP_EXT_RECORDERS] = 128, [MP_EXT_NAMES] = 1u << 14, [MP_EXT_OBJECT_KINDS] = 1u << 12,
    };

    for (unsigned kind = 1; kind < MP_EXT_KINDS; kind++)
        if (mp_store.header->language || (kind != MP_EXT_NAMES && kind != MP_EXT_OBJECT_KINDS))
            lay_by(kind, counts[kind]);
}

uint32_t
mp_store_next(enum mp_extent_kind kind)
{
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
