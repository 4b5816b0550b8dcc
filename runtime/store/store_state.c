#include "store_state.h"

#include <errno.h>
#include <string.h>
#include <sys/auxv.h>

#include "runtime/system/diag.h"
#include "runtime/system/gate.h"
#include "runtime/system/options.h"
#include "runtime/system/place.h"
#include "runtime/system/sys.h"
#include "store.h"
#include "store_rows.h"

struct mp_store mp_store;

static char file_path[MP_PATH_SIZE];
static uint32_t lost;           /* 1 if the present recording is lost */

/* Values of fields of the present file's header when it identified the writer. If they differ now, somebody has
 * overwritten the file. */
static struct {
    uint64_t start_ticks, start_monotonic;
    uint32_t pid;
} settled;

void
mp_store_set_path(const char *path)
{
    strcpy(file_path, path);
}

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

/* ------------------------------------------------------------------ the end of the recording */

/* Ends the present recording, in the handler of a fault or under the lock. Does not touch the header, because in
 * a signal handler that could cause another fault while its signal is blocked. */
static void
end_recording(void)
{
    if (__atomic_exchange_n(&lost, 1, __ATOMIC_ACQ_REL))
        return;
    mp_gate_raise();
    mp_diag(mp_store_path(), 0, "was truncated or overwritten: recording stopped, the program goes on");
}

bool
mp_store_repair(uintptr_t address, bool mapped)
{
    const uintptr_t page = getauxval(AT_PAGESZ);

    if (!is_in_rows(address, true) && !is_in_header(address) && !mp_place_is_ours(address))
        return false;
    if (mp_sys_repair((void *)(address & -page), page, mapped) != 0)
        return false;
    if (!mapped || is_in_rows(address, false) || is_in_header(address))
        end_recording();
    return true;
}

/* ------------------------------------------------------------------ under the lock */

void
mp_store_lost_begin(void)
{
    MP_LOCK_HELD();
    lost = 0;
    settled.pid = 0;
}

void
mp_store_lost_settled(void)
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

/* Unmaps the file, so that the monitor's writes do not reach what is now another's file. */
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

bool
mp_store_is_lost(void)
{
    struct mp_live_header *header = mp_store.header;

    if (!header)
        return false;
    if (is_overwritten(header)) {
        detach(header);
        settled.pid = 0;                /* only once */
        end_recording();
    }
    if (lost)
        mp_store_finish(MP_STATE_FULL, -1, ENODATA);
    return lost;
}
