/* SPDX-License-Identifier: MIT */
#include "observe.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "resident_sample.h"
#include "live_sample.h"
#include "process.h"
#include "reporter/base/arena.h"
#include "reporter/base/clock.h"
#include "reporter/base/open_file.h"
#include "runtime/heap_every.h"
#include "runtime/template.h"
#include "observations.h"

#define INTERVAL   UINT64_C(10000000)   /* ns between two samples at first */
#define SHARE      560u                 /* the budget is 1/SHARE of a processor, which is below the 0.2 % that are
                                           promised, because a sample may cost more than expected */
#define CELLS      (3 * SHARE)          /* 1/CELLS of a processor for cells, a third of the budget */
#define TOTALS     (SHARE * 3 / 2)      /* 1/TOTALS of a processor for the rest, so that expensive cells are sampled
                                           now and then, too */
#define NEEDED     20u                  /* cells are sampled at least after each 1/NEEDED of the time, */
#define NEEDED_COST 50u                 /* as long as this takes at most 1/NEEDED_COST of a processor */
#define EARLY      100u                 /* at the beginning, cells may take 1/EARLY of the time in addition, and the
                                           rest as much, to show early how a program begins */
#define EARLY_MOST UINT64_C(4000000)    /* maximum of each of these additions, ns */
#define ACCOUNT_RISE 16u                /* an account is taken again if resident memory has risen by 1/ACCOUNT_RISE, */
#define ACCOUNT_COST 100u               /* as long as accounts take at most 1/ACCOUNT_COST of a processor, */
#define ACCOUNT_EARLY UINT64_C(20000000) /* and this in addition, ns */
#define ACCOUNT_CHEAP 300u              /* or if it has risen at all, at most 1/ACCOUNT_CHEAP of a processor */
#define ACCOUNTS_MOST 256u              /* maximum number of accounts at checkpoints of one recording */
#define FREED_PART 8u                   /* or if nearly as much is resident, but 1/FREED_PART of it was freed */
#define FIRST_COST UINT64_C(60000)      /* expected cost of finding the file and of the first sample, ns */
#define SEARCH_MAX UINT64_C(500000000)  /* maximum ns between two searches for a file */
#define MOST_FILES 64u                  /* maximum number of observed recordings of one process */
#define MOST_NAMES 9u                   /* number of alternative names FILE.PID, FILE.PID.2 ... that are searched */
#define COST_BYTE  0.25                 /* expected ns for reading a byte of cells, until it was measured */
#define COST_CHANGE 100u                /* expected ns for processing a change */
#define LEAST_CHANGE 6u                 /* minimum size of a change in the sealed file, bytes */
#define ROOM_OF_CELL 12u                /* bytes of the time line for each cell, enough for at least one change of
                                           each */

/* The observation of one process. */
struct watch {
    struct mp_observer *observer;
    pid_t pid;
    uint64_t began, spent_before;       /* start of the observation, ns, CLOCK_MONOTONIC; this thread's processor time
                                           before it, ns */
    uint64_t interval;                  /* ns until the next sample or search */
    uint64_t paid;                      /* processor time spent before the current wait, ns */
    uint64_t paid_cells;                /* part of the processor time spent on cells and accounts, ns */
    uint64_t paid_accounts, cost_account;       /* part of it spent on accounts; cost of the last account, ns */
    uint64_t cost_totals;               /* processor time of the last sample or search without cells, ns, including
                                           the wait before it */
    uint64_t size_cells;                /* bytes of cells at the last sample of cells */
    double cost_byte;                   /* ns for reading a byte of cells again */
    uint64_t next_heap;                 /* when to ask for the next heap snapshot, ns, CLOCK_MONOTONIC */
    bool heap_failed;                   /* a message about failed heap snapshots was printed */
    struct mp_look look;                /* the open live file; its fd is negative if no file is open */
    int ended;                          /* live file of the last recording, which has ended, or -1. Its header states
                                           when the process has begun another recording */
    struct mp_observed *series;         /* observations of the open file; an element of observer->list */
};

/* Returns the processor time of this thread, ns. */
static uint64_t
processor_time(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static uint64_t
spent(const struct watch *watch)
{
    return processor_time() - watch->spent_before;
}

/* Returns the additional processor time at the beginning (EARLY), ns, that may be spent until ELAPSED ns have
 * passed. */
static uint64_t
early(uint64_t elapsed)
{
    return elapsed / EARLY < EARLY_MOST ? elapsed / EARLY : EARLY_MOST;
}

uint64_t
mp_observer_budget(uint64_t elapsed)
{
    return elapsed / CELLS + early(elapsed);
}

size_t
mp_observer_room(const struct mp_observer *observer, uint64_t cells)
{
    return observer->size + (observer->grows ? cells * ROOM_OF_CELL : 0);
}

/* Returns whether the series lacks a moment in the last 1/NEEDED of the time. */
static bool
needs_moment(const struct watch *watch, uint64_t time)
{
    const struct mp_observed *series = watch->series;

    return !series->too_wide &&
           (series->n_moments == 0 || time >= series->moments[series->n_moments - 1].end + time / NEEDED);
}

/* Returns whether COST more ns may be spent on cells. NEEDED means that needs_moment() is true, which allows more. */
static bool
may_spend(const struct watch *watch, uint64_t cost, bool needed)
{
    const uint64_t elapsed = mp_now() - watch->began, budget = mp_observer_budget(elapsed);

    return watch->paid_cells + cost <= (needed && elapsed / NEEDED_COST > budget ? elapsed / NEEDED_COST : budget);
}

/* ---------------------------------------------------------------- files */

static bool
is_known(const struct mp_observer *observer, uint64_t start)
{
    return mp_observer_of(observer, start) != NULL;
}

/* Keeps the live file FD and its directory open, because their names may change. */
static void
keep_open(struct mp_observer *observer, int fd)
{
    char path[PATH_MAX];
    struct mp_file_at *file;

    mp_open_path(fd, path);
    observer->files = mp_need(reallocarray(observer->files, observer->n + 1, sizeof *observer->files));
    file = &observer->files[observer->n];
    if (!mp_file_at_find(path, file))
        *file = (struct mp_file_at){.path = mp_need(strdup(path)), .folder = -1, .fd = -1};
    if (file->fd >= 0)
        close(file->fd);
    file->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

/* Begins to sample FD if it is a current recording of this run that was not observed yet. Otherwise closes FD and
 * returns false. */
static bool
begin_series(struct watch *watch, int fd)
{
    struct mp_observer *observer = watch->observer;
    struct mp_look look;

    if (!mp_look_open(&look, fd, watch->pid))
        return false;
    if ((observer->run_id &&
         memcmp(look.header.run_id, observer->run_id, sizeof look.header.run_id) != 0) ||
        look.header.state != MP_STATE_RUNNING || observer->n == MOST_FILES ||
        is_known(observer, look.header.start_monotonic)) {
        mp_look_close(&look);
        return false;
    }
    if (look.header.pid != (uint32_t)watch->pid && look.memory >= 0) {
        close(look.memory);     /* the process is in another pid namespace, so this pid is a different process here */
        look.memory = -1;
    }
    observer->list = mp_need(reallocarray(observer->list, observer->n + 1, sizeof *observer->list));
    watch->series = &observer->list[observer->n];
    mp_series_begin(watch->series, look.header.start_monotonic, INTERVAL);
    keep_open(observer, look.fd);
    observer->n++;              /* not before, because mp_series_begin() may jump away without memory */
    watch->look = look;
    watch->interval = INTERVAL;
    watch->cost_byte = COST_BYTE;
    watch->size_cells = 0;
    return true;
}

static bool
try_path(struct watch *watch, const char *path)
{
    int fd = mp_open(path);

    return fd >= 0 && begin_series(watch, fd);
}

/* Searches for the live file of the process and begins to sample it. Tries the name from the template for the current
 * program of the process, then the names that the monitor uses if that is taken. Returns false if none was found. */
static bool
search(struct watch *watch)
{
    char link[64], program[PATH_MAX], path[PATH_MAX + 64];
    size_t length;
    ssize_t n;

    snprintf(link, sizeof link, "/proc/%ld/exe", (long)watch->pid);
    n = readlink(link, program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
    if (!watch->observer->template ||
        mp_template_expand(watch->observer->template, (uint32_t)watch->pid, program, path,
                           PATH_MAX) != 0)
        return false;
    if (try_path(watch, path))
        return true;
    length = strlen(path);
    for (unsigned i = 1; i <= MOST_NAMES; i++) {
        snprintf(path + length, sizeof path - length, i > 1 ? ".%ld.%u" : ".%ld", (long)watch->pid, i);
        if (access(path, F_OK) != 0)
            return false;
        if (try_path(watch, path))
            return true;
    }
    return false;
}

static void
leave_ended(struct watch *watch)
{
    if (watch->ended >= 0)
        close(watch->ended);
    watch->ended = -1;
}

/* Begins to sample the recording whose live file the process has mapped, whatever its name is. Returns false if there
 * is none. */
static bool
search_mapped(struct watch *watch)
{
    struct mp_process process;
    struct mp_error ignored;
    int fd;

    if (!watch->observer->run_id || !mp_process_open((uint32_t)watch->pid, &process, &ignored))
        return false;
    fd = mp_process_reopen(&process);
    mp_process_close(&process);
    return fd >= 0 && begin_series(watch, fd);
}

/* Begins to sample the recording that the process began after the one that has ended. Returns false if the process has
 * not begun another recording yet. */
static bool
follow(struct watch *watch)
{
    const off_t place = offsetof(struct mp_live_header, control.followed);
    uint32_t followed;

    if (watch->ended < 0 || pread(watch->ended, &followed, sizeof followed, place) != (ssize_t)sizeof followed ||
        followed != 1 || !search_mapped(watch))
        return false;
    leave_ended(watch);
    return true;
}

static void
end_series(struct watch *watch)
{
    leave_ended(watch);
    watch->ended = fcntl(watch->look.fd, F_DUPFD_CLOEXEC, 0);
    mp_look_close(&watch->look);
    watch->series = NULL;
    watch->interval = INTERVAL;
    follow(watch);
}

/* ---------------------------------------------------------------- samples */

static void
take_change(void *data, const struct mp_change *change)
{
    mp_series_add_change(data, change);
}

/* Estimates the cost of sampling SIZE bytes of cells, in ns. Cells that are new since the last sample are expected to
 * take twice as long as known ones. If MOMENT, adds the cost of processing the known changes. */
static uint64_t
cost_of_cells(const struct watch *watch, uint64_t size, bool moment)
{
    const double reading = (double)(2 * size - watch->size_cells) * watch->cost_byte;

    return (uint64_t)reading + (moment ? COST_CHANGE * watch->look.cells.n_changed : 0);
}

static void
take_moment(struct watch *watch, uint64_t begin)
{
    struct mp_observed *series = watch->series;
    const uint64_t end = mp_now() - series->start;

    mp_look_cells_changes(&watch->look.cells, take_change, series);
    mp_series_add_moment(series, begin, end,
                         (uint32_t)(mp_observer_room(watch->observer, watch->look.cells.cells.count) / LEAST_CHANGE));
}

static void
look_at_cells(struct watch *watch, struct mp_point *point)
{
    struct mp_look_cells *cells = &watch->look.cells;
    const uint64_t before = spent(watch), size = mp_look_cells_size(cells);
    const uint64_t begin = mp_now() - watch->series->start;
    const bool moment = mp_series_wants_moment(watch->series, begin), needed = needs_moment(watch, begin);

    if (!may_spend(watch, cost_of_cells(watch, size, moment), needed))
        return;
    if (mp_look_cells_read(cells, watch->look.fd, point)) {
        const uint64_t cost = spent(watch) - before;

        if (size == watch->size_cells && size > 0)
            watch->cost_byte = (double)cost / (double)size;
        watch->size_cells = size;
        if (moment && (needed || may_spend(watch, cost + COST_CHANGE * cells->n_changed, false)))
            take_moment(watch, begin);
    }
    watch->paid_cells += spent(watch) - before;
}

/* Returns whether an account of RESIDENT bytes with LIVE bytes in blocks is to replace the KNOWN account: if more
 * memory is resident, or if nearly as much is resident although the program has freed 1/FREED_PART of it. */
static bool
is_better(const struct mp_resident *known, uint64_t resident, uint64_t live)
{
    return resident > known->resident ||
           (resident >= known->resident - known->resident / ACCOUNT_RISE &&
            live + known->resident / FREED_PART < mp_resident_sum(known, MP_PART_BLOCKS));
}

/* Returns the number of the last checkpoint if an account of it is to be taken, else 0. A checkpoint gets no account if
 * another one follows before the next poll. */
static uint32_t
new_checkpoint(const struct watch *watch)
{
    const struct mp_observed *series = watch->series;
    const uint32_t number = watch->look.header.epoch & MP_EPOCH_MARKS;
    const uint32_t known = series->last_checkpoint ? series->last_checkpoint->number : 0;

    return number > known && series->n_checkpoints < ACCOUNTS_MOST ? number : 0;
}

static bool
wants_account(const struct watch *watch, uint64_t resident, uint64_t live)
{
    const uint64_t known = watch->series->account.resident, elapsed = mp_now() - watch->began;
    const uint64_t cost = watch->paid_accounts + watch->cost_account;
    const bool checkpoint = new_checkpoint(watch) > 0;

    if (resident == MP_NOT_SEEN || !(checkpoint || is_better(&watch->series->account, resident, live)))
        return false;
    return cost <= elapsed / (checkpoint || resident > known + known / ACCOUNT_RISE ? ACCOUNT_COST : ACCOUNT_CHEAP) +
                       ACCOUNT_EARLY;
}

/* Keeps a copy of ACCOUNT as that of checkpoint NUMBER. */
static void
keep_checkpoint(struct mp_observed *series, const struct mp_resident *account, uint32_t number)
{
    struct mp_resident *kept = mp_need(malloc(sizeof *kept));

    *kept = mp_resident_copy(account);
    kept->number = number;
    (series->last_checkpoint ? series->last_checkpoint : &series->checkpoints)->next = kept;
    series->last_checkpoint = kept;
    series->n_checkpoints++;
}

/* Takes an account of what the resident memory consists of, if wants_account() is true. Reading smaps takes some
 * microseconds for each mapping, and some for each megabyte. Fills in the figures of cells in POINT if they are
 * missing. */
static void
take_account(struct watch *watch, struct mp_point *point)
{
    const uint64_t before = spent(watch);
    struct mp_resident account;

    if (!wants_account(watch, point->resident, point->live))
        return;
    if (point->blocks == MP_NOT_SEEN && !mp_look_cells_read(&watch->look.cells, watch->look.fd, point))
        return;
    if (mp_resident_take(watch->pid, &watch->look, point, &account)) {
        struct mp_resident *known = &watch->series->account;
        const bool better = is_better(known, account.resident, mp_resident_sum(&account, MP_PART_BLOCKS));
        const uint32_t checkpoint = new_checkpoint(watch);
        struct mp_resident worse = better ? *known : account;

        if (checkpoint > 0)
            keep_checkpoint(watch->series, &account, checkpoint);
        if (better)
            *known = account;
        mp_resident_free(&worse);
    }
    watch->cost_account = spent(watch) - before;
    watch->paid_accounts += watch->cost_account;
    watch->paid_cells += watch->cost_account;
}

static void
note_peak(struct mp_observed *series, const struct mp_point *point, uint64_t peak)
{
    if (point->live > series->highest) {
        series->highest = point->live;
        series->highest_time = point->time;
    }
    if (peak != series->peak) {
        series->peak = peak;
        series->peak_after = series->looked;
        series->peak_before = point->time;
    }
    series->looked = point->time;
}

/* Returns whether the observer asks for heap snapshots. ECL programs make their own after collections. */
static bool
asks_for_heap(const struct watch *watch)
{
    return watch->observer->heap_every > 0 && watch->look.fd >= 0 && watch->look.header.language == 0;
}

static void
tell_once(struct watch *watch, const struct mp_error *error)
{
    if (!watch->heap_failed)
        mp_error_print(error);
    watch->heap_failed = true;
}

/* Asks the program for a heap snapshot if one is due. Does not ask if the program has not yet seen a request of another
 * mprof, because this request would replace it. The program refuses while it still writes the previous snapshot. A
 * program that allocates nothing makes the snapshot at its next allocation. */
static void
ask_for_heap(struct watch *watch)
{
    const struct mp_wanted wanted = {.request = MP_REQUEST_NUMBERED};
    const uint64_t time = mp_now();
    struct mp_process process;
    struct mp_error error;
    enum mp_answer answer;

    if (!asks_for_heap(watch) || time < watch->next_heap)
        return;
    watch->next_heap = time + watch->observer->heap_every;
    if (watch->observer->heap_every == MP_HEAP_EVERY_COLLECTION) {
        watch->next_heap = UINT64_MAX;
    } else if (watch->look.header.sample_period > 0) {
        mp_fail(&error, MP_ERR_USAGE, MP_NO_OFFSET, "--heap-every: a program of which not every block is recorded has "
                "no snapshots of its heap");
        tell_once(watch, &error);
    } else if (mp_process_open((uint32_t)watch->pid, &process, &error)) {       /* failure means that it has just
                                                                                   ended */
        if (process.header->control.request == MP_REQUEST_NONE &&
            !mp_process_ask(&process, &wanted, INTERVAL, &answer, &error) &&
            process.header->control.answer != -EBUSY)
            tell_once(watch, &error);
        mp_process_close(&process);
    }
}

static void
look(struct watch *watch)
{
    struct mp_point point;

    if (!mp_look_totals(&watch->look, &point)) {
        end_series(watch);
        return;
    }
    watch->cost_totals = spent(watch) - watch->paid;
    note_peak(watch->series, &point, (uint64_t)watch->look.header.peak_bytes);
    if (watch->look.private > watch->series->private)
        watch->series->private = watch->look.private;
    look_at_cells(watch, &point);
    take_account(watch, &point);
    mp_series_add_point(watch->series, &point);
    if (watch->series->n_points == 1)           /* the time spent on finding the file does not delay the next samples */
        watch->spent_before = processor_time() - watch->paid_cells;
    watch->interval = watch->series->interval;
    if (watch->look.header.state != MP_STATE_RUNNING)
        end_series(watch);
    else
        ask_for_heap(watch);
}

static void
look_or_search(struct watch *watch)
{
    if (watch->look.fd < 0 && !follow(watch) && !search(watch) && !search_mapped(watch)) {
        watch->cost_totals = spent(watch) - watch->paid;
        if (watch->interval < SEARCH_MAX)
            watch->interval += watch->interval / 4;
        return;
    }
    look(watch);
}

/* Returns the milliseconds until the next sample. Expects that reading the totals takes as long as last time. */
static int
delay(const struct watch *watch)
{
    const uint64_t cost = watch->cost_totals, paid = spent(watch) - watch->paid_cells, time = mp_now();
    const uint64_t elapsed = time - watch->began, free = early(elapsed + watch->interval);
    const uint64_t due = paid + cost > free ? (paid + cost - free) * TOTALS : 0;
    uint64_t wait = watch->interval;

    if (due > 0 && wait < cost * TOTALS)
        wait = cost * TOTALS;
    if (elapsed + wait < due)
        wait = due - elapsed;
    if (asks_for_heap(watch) && time + wait > watch->next_heap)
        wait = watch->next_heap > time ? watch->next_heap - time : 0;
    return wait / 1000000 < 60000 ? (int)(wait / 1000000) : 60000;
}

/* Waits for the next sample. Returns false if the process ended or *UNTIL became nonzero. */
static bool
wait_for_next(const struct watch *watch, int process, const volatile sig_atomic_t *until)
{
    struct pollfd ended = {.fd = process, .events = POLLIN};
    const uint64_t from = mp_now(), wait = (uint64_t)delay(watch);

    for (;;) {
        uint64_t waited = (mp_now() - from) / 1000000;
        int n;

        if (until && *until)
            return false;
        n = poll(&ended, 1, waited < wait ? (int)(wait - waited) : 0);
        if (n == 0)
            return true;
        if (n > 0 || errno != EINTR)
            return false;
    }
}

void
mp_observer_watch(struct mp_observer *observer, pid_t pid, int fd, const volatile sig_atomic_t *until)
{
    struct watch watch = {.observer = observer, .pid = pid, .began = mp_now(),
                          .spent_before = processor_time(), .interval = INTERVAL,
                          .cost_totals = FIRST_COST, .look.fd = -1, .ended = -1};
    int process = observer->size > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;

    watch.next_heap = watch.began + observer->heap_every;
    if (fd >= 0 && (process < 0 || !begin_series(&watch, fd)) && process < 0)
        close(fd);
    while (process >= 0 && (watch.look.fd >= 0 || observer->template) && wait_for_next(&watch, process, until)) {
        look_or_search(&watch);
        watch.paid = spent(&watch);
    }
    if (watch.look.fd >= 0)
        mp_look_close(&watch.look);
    leave_ended(&watch);
    if (process >= 0)
        close(process);
}

const struct mp_observed *
mp_observer_of(const struct mp_observer *observer, uint64_t start)
{
    for (uint32_t i = 0; i < observer->n; i++)
        if (observer->list[i].start == start)
            return &observer->list[i];
    return NULL;
}

void
mp_observer_free(struct mp_observer *observer)
{
    for (uint32_t i = 0; i < observer->n; i++) {
        mp_series_free(&observer->list[i]);
        mp_file_at_close(&observer->files[i]);
    }
    free(observer->list);
    free(observer->files);
    observer->list = NULL;
    observer->files = NULL;
    observer->n = 0;
}
