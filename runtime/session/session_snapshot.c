/* SPDX-License-Identifier: MIT */
#include "session_snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>

#include "runtime/store/store.h"
#include "runtime/system/diag.h"
#include "runtime/system/gate.h"
#include "runtime/system/options.h"
#include "runtime/system/sandbox.h"
#include "runtime/system/sys.h"
#include "session.h"
#include "session_file.h"
#include "session_leaks.h"
#include "session_marks.h"

#define MAX_SNAPSHOTS 10000u
#define PIECE          65536u

/* Order of copying. Each record is copied before the records that it refers to, so that no reference in the copy
 * leads to a record that is missing there. */
static const uint8_t order[] = {
    MP_EXT_TRACE, MP_EXT_MARKS, MP_EXT_RECORDERS, MP_EXT_AGES, MP_EXT_RESIZED, MP_EXT_LIFETIMES, MP_EXT_CELLS,
    MP_EXT_RANGES, MP_EXT_MAPPERS,
    MP_EXT_MIXED, MP_EXT_FORMER, MP_EXT_CONTEXTS, MP_EXT_FRAMES, MP_EXT_MODULES, MP_EXT_NAMES, MP_EXT_OBJECT_KINDS,
    MP_EXT_STRINGS,
};

static long
copy_extent(int from, int to, const struct mp_live_extent *extent)
{
    static MP_LARGE char piece[PIECE];  /* may be static, because the lock is held */
    uint64_t size = (uint64_t)extent->count * extent->record_size;

    for (uint64_t done = 0; done < size;) {
        uint64_t left = size - done;
        long n = mp_sys_pread(from, piece, left < PIECE ? left : PIECE, extent->offset + done), result;

        if (n == -EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? n : -EIO;
        result = mp_sys_pwrite_all(to, piece, (size_t)n, extent->offset + done);
        if (result < 0)
            return result;
        done += (uint64_t)n;
    }
    return 0;
}

static long
copy_header(int to)
{
    static MP_LARGE struct mp_live_header copy;

    memcpy(&copy, mp_store.header, sizeof copy);
    copy.state = MP_STATE_SNAPSHOT;
    copy.end_monotonic = mp_sys_clock(CLOCK_MONOTONIC);
    memset(&copy.control, 0, sizeof copy.control);
    return mp_sys_pwrite_all(to, &copy, sizeof copy, 0);
}

/* Copies the file FROM to TO. The log of events, if there is one, is not copied; the copy has a hole in its place. The
 * header is copied last, so that an incomplete copy is no data file. */
static long
copy_file(int from, int to)
{
    const struct mp_live_header *header = mp_store.header;
    long result = 0;

    if (mp_options.record)              /* sets the copy's size; an extent may overwrite this byte */
        result = mp_sys_pwrite_all(to, "", 1, header->file_size - 1);
    for (size_t i = 0; i < sizeof order && result == 0; i++)
        for (uint32_t j = 0; j < header->n_extents && j < MP_MAX_EXTENTS && result == 0; j++)
            if (header->extents[j].kind == order[i])
                result = copy_extent(from, to, &header->extents[j]);
    return result == 0 ? copy_header(to) : result;
}

/* Creates the file with the next free number. Returns its descriptor or -errno. */
static long
open_next(char path[static MP_PATH_SIZE])
{
    static uint32_t number;
    long fd = -EEXIST;

    while (fd == -EEXIST && number < MAX_SNAPSHOTS) {
        if (mp_session_numbered(path, mp_store_path(), ".snapshot.", ++number) != 0)
            return -ENAMETOOLONG;
        fd = mp_sys_open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    }
    return fd;
}

static void
make_snapshot(void)
{
    static MP_LARGE char path[MP_PATH_SIZE];
    int from = mp_store_descriptor();
    long to = from < 0 ? from : open_next(path), result;

    if (to < 0) {
        mp_diag("snapshot", (int)-to, "none was made");
        return;
    }
    result = copy_file(from, (int)to);
    if (result >= 0)
        mp_session_snapshot_made();
    if (result < 0) {
        mp_sys_unlink(path);
        mp_diag(path, (int)-result, "no snapshot was made");
    }
    mp_sys_close((int)to);
}

static void
on_signal(int number)
{
    struct mp_gate_hold hold;

    (void)number;
    if (mp_sandbox_is_shut())
        return;
    if (mp_gate_lock(&hold) && mp_session_active() && mp_session_is_ours())
        make_snapshot();
    mp_gate_unlock(&hold);
}

static void
on_heap_signal(int number)
{
    struct mp_gate_hold hold;
    int result = 0;

    (void)number;
    if (mp_sandbox_is_shut())
        return;
    if (mp_gate_lock(&hold)) {
        result = mp_session_heap(MP_TRIGGER_SIGNAL, NULL, NULL);
        if (result < 0)
            mp_diag("snapshot of the heap", -result, "none was made");
    }
    mp_gate_unlock(&hold);
}

/* Installs HANDLER for the signal NUMBER. Does nothing if NUMBER is 0. */
static void
handle(uint32_t number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART | SA_ONSTACK};

    if (number == 0 || mp_sandbox_is_shut())
        return;
    sigfillset(&action.sa_mask);
    sigaction((int)number, &action, NULL);
}

void
mp_snapshot_open_heap(void)
{
    handle(mp_options.heap_signal, on_heap_signal);
}

void
mp_snapshot_open(void)
{
    handle(mp_options.signal, on_signal);
    mp_snapshot_open_heap();
}
