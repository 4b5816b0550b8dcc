/* SPDX-License-Identifier: MIT */
#include "heap_snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>

#include "runtime/format.h"
#include "runtime/session/control.h"
#include "runtime/session/session_snapshot.h"
#include "runtime/snapshot/snapshot_copy.h"
#include "runtime/snapshot/snapshot_file.h"
#include "runtime/snapshot/snapshot_series.h"
#include "runtime/store/store.h"
#include "runtime/system/options.h"
#include "runtime/system/program.h"
#include "runtime/system/sandbox.h"
#include "runtime/system/sys.h"
#include "runtime/system/sys_process.h"

#define MOST_WAITED UINT64_C(10000000000)       /* ns; maximum wait until the copy's maker continues */

/* Memory that the copy shares with its maker. */
struct shared {
    uint64_t held;              /* ns for which making the copy paused the process; 0 while the copy must wait for
                                   the figure */
    int32_t result;             /* 0 or -errno; 1 while it is unknown */
};

struct work {
    const struct mp_heap_snapshot *snapshot;
    struct shared *shared;
    const char *path;
    struct mp_copy_file file;
    bool named;                 /* the caller chose the name, and may reuse its memory soon */
    uint32_t number, pid;
    uint64_t began;             /* ns of CLOCK_MONOTONIC */
};

/* ------------------------------------------------------------------ the file */

static uint32_t last_number;

/* Writes the data file's name to PATH. Returns 0 or -errno. */
static long
data_file(char *path, size_t size)
{
    const char *present = mp_store.header ? mp_store_path() : "";

    if (size < MP_PATH_SIZE)
        return -ENAMETOOLONG;
    if (*present)
        memcpy(path, present, strlen(present) + 1);
    return *present ? 0 : mp_options_expand(mp_options.file, (uint32_t)mp_sys_getpid(), mp_program_name(), path);
}

static long
open_next(struct work *work, char *path, size_t size)
{
    long result = data_file(path, size);

    if (result == 0 && work->snapshot->offer) {
        result = mp_snapshot_create_offered(path, work->snapshot->offer, &work->file);
        path[0] = '\0';
        return result;
    }
    if (result == 0)
        result = mp_snapshot_create_next(path, size, work->snapshot->name, &last_number, &work->number, &work->file);
    if (result == 0)
        mp_snapshot_note(mp_control_header, work->number);
    return result;
}

static long
open_file(struct work *work, char *path, size_t size)
{
    const char *file = work->snapshot->file;

    work->named = file && *file;
    if (!work->named)
        return open_next(work, path, size);
    if (strlen(file) >= size)
        return -ENAMETOOLONG;
    strcpy(path, file);
    if (!work->snapshot->passing)
        work->number = __atomic_add_fetch(&last_number, 1, __ATOMIC_RELAXED);
    return mp_snapshot_create(path, &work->file);
}

/* ------------------------------------------------------------------ the contents */

static void
text_fact(struct mp_stream *s, enum mp_heap_fact fact, const char *text)
{
    if (text && *text)
        mp_stream_fact_text(s, fact, mp_stream_text(s, text, strlen(text)));
}

static void
first_facts(struct mp_stream *s, const struct work *work)
{
    const struct mp_live_header *header = mp_store.header;

    text_fact(s, MP_FACT_NAME, work->snapshot->name);
    mp_stream_fact(s, MP_FACT_NUMBER, work->number);
    mp_stream_fact(s, MP_FACT_TRIGGER, work->snapshot->trigger);
    mp_stream_fact(s, MP_FACT_PID, work->pid);
    text_fact(s, MP_FACT_PROGRAM, mp_program_name());
    mp_stream_fact(s, MP_FACT_REALTIME, mp_sys_clock(CLOCK_REALTIME));
    mp_stream_fact(s, MP_FACT_WORD, sizeof(void *));
    mp_stream_fact(s, MP_FACT_FORKED, !work->snapshot->in_place);
    if (!header)
        return;
    text_fact(s, MP_FACT_DATA_FILE, mp_store_path());
    mp_stream_fact(s, MP_FACT_RUN_1, header->run_id[0]);
    mp_stream_fact(s, MP_FACT_RUN_2, header->run_id[1]);
    mp_stream_fact(s, MP_FACT_SINCE_START, work->began - header->start_monotonic);
}

/* Returns for how many ns the process was paused, or 0 if that is unknown. The copy cannot measure this time. Its maker
 * writes the figure as soon as the maker continues, unless the maker has ended or has executed another program. */
static uint64_t
time_held(const struct work *work)
{
    const uint64_t now = mp_sys_clock(CLOCK_MONOTONIC), until = now + MOST_WAITED;

    if (work->snapshot->in_place)
        return now - work->began;
    while (!__atomic_load_n(&work->shared->held, __ATOMIC_ACQUIRE) && mp_sys_getppid() == (long)work->pid &&
           mp_sys_clock(CLOCK_MONOTONIC) < until)
        mp_sys_sleep(1000);
    return work->shared->held;
}

static void
write_file(void *data)
{
    const struct work *work = data;
    struct mp_stream *stream = mp_stream_open(work->file.fd);
    const uint64_t began = mp_sys_clock(CLOCK_MONOTONIC);
    long result = -ENOMEM;

    if (stream) {
        first_facts(stream, work);
        work->snapshot->write(stream, work->snapshot->data);
        mp_stream_fact(stream, MP_FACT_STOPPED, time_held(work));
        mp_stream_fact(stream, MP_FACT_WRITING, mp_sys_clock(CLOCK_MONOTONIC) - began);
        result = mp_stream_close(stream);
    }
    if (result != 0 && *work->path)
        mp_sys_unlink(work->path);
    else if (result == 0 && work->named && !work->snapshot->passing && mp_store.header)
        mp_snapshot_note(mp_store.header, mp_snapshot_link(mp_store_path(), work->number, work->path));
    __atomic_store_n(&work->shared->result, (int32_t)result, __ATOMIC_RELEASE);
}

/* ------------------------------------------------------------------ the writer */

static long
in_copy(struct work *work)
{
    uint64_t held = 0;
    long pid = mp_copy_make(write_file, work, &work->file, &held);

    if (pid < 0)
        return pid;
    if (work->snapshot->offer)
        mp_snapshot_offer(work->snapshot->offer, &work->file, pid);
    __atomic_store_n(&work->shared->held, held ? held : 1, __ATOMIC_RELEASE);
    if (!work->snapshot->wait)
        return 0;
    mp_copy_wait(pid);
    return work->shared->result <= 0 ? work->shared->result : -ECANCELED;
}

static long
in_place(struct work *work)
{
    uint64_t mask;

    if (!mp_sys_block_signals(&mask)) {
        mp_sys_unblock_signals(&mask);
        return -EPERM;
    }
    if (!mp_copy_is_open(&work->file))
        work->file.fd = -1;             /* makes all writing fail */
    write_file(work);
    mp_sys_unblock_signals(&mask);
    return work->shared->result;
}

long
mp_heap_snapshot_make(const struct mp_heap_snapshot *snapshot, char *path, size_t size)
{
    struct work work = { .snapshot = snapshot, .path = path, .pid = (uint32_t)mp_sys_getpid() };
    long opened, result;

    path[0] = '\0';
    if (mp_sandbox_is_shut())
        return -EPERM;
    work.began = mp_sys_clock(CLOCK_MONOTONIC);
    work.shared = mp_sys_map_shared(sizeof *work.shared);
    if (!work.shared)
        return -ENOMEM;
    work.shared->result = 1;
    opened = open_file(&work, path, size);
    result = opened < 0 ? opened : snapshot->in_place ? in_place(&work) : in_copy(&work);
    if (opened == 0)
        mp_copy_closed(&work.file);
    if (opened == 0 && result < 0 && *path)
        mp_sys_unlink(path);
    if (result == 0 && snapshot->trigger == MP_TRIGGER_COLLECTION)
        mp_snapshot_series_made(path);
    mp_sys_unmap(work.shared, sizeof *work.shared);
    return result;
}

/* Waits for the writer's lock on the file, which the writer holds until it has finished. */
long
mp_heap_snapshot_wait(const char *path)
{
    char magic[8] = "";
    long fd = mp_sys_open_regular(path, O_RDONLY | O_NOFOLLOW), result;

    if (fd < 0)
        return -ECANCELED;
    while ((result = mp_sys_flock((int)fd, LOCK_SH | LOCK_NB)) == -EAGAIN && !mp_sandbox_is_shut())
        mp_sys_sleep(1000);
    mp_sys_pread((int)fd, magic, sizeof magic, 0);
    mp_sys_close((int)fd);
    mp_copy_reap();
    if (memcmp(magic, MP_HEAP_MAGIC, sizeof magic) == 0)
        return 0;
    mp_sys_unlink(path);
    return -ECANCELED;
}

/* ------------------------------------------------------------------ requests */

static mp_heap_snapshot_maker *maker;

static int
on_request(enum mp_heap_trigger trigger, const char *name, struct mp_live_offer *offer)
{
    static MP_LARGE char path[MP_HEAP_PATH_SIZE]; /* static because the stack may be small; guarded by the lock */

    return (int)maker(trigger, name, offer, path, sizeof path);
}

void
mp_heap_snapshot_open(mp_heap_snapshot_maker *function)
{
    maker = function;
    mp_control_heap = on_request;
    mp_snapshot_open_heap();
}

bool
mp_heap_snapshot_is_due(void)
{
    static uint64_t last;
    /* Loaded once, because another thread may stop the recording meanwhile. The header stays mapped. */
    const struct mp_live_header *header = __atomic_load_n(&mp_store.header, __ATOMIC_ACQUIRE);
    uint64_t now, before = __atomic_load_n(&last, __ATOMIC_RELAXED), since;

    if (mp_options.heap_every == 0 || !header)
        return false;
    now = mp_sys_clock(CLOCK_MONOTONIC);
    since = before ? before : header->start_monotonic;     /* at the start the heap is still empty */
    if (now - since < mp_options.heap_every)
        return false;
    return __atomic_compare_exchange_n(&last, &before, now, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED) &&
           mp_snapshot_series_wants(mp_store_path());
}
