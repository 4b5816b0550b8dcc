/* process_ask.c -- requests to a process and their answers, see process.h. */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "process.h"
#include "reporter/read/writer.h"

#define TAKEN_PATIENCE UINT64_C(5000000000)     /* maximum ns to wait for a process that has begun to handle a
                                                   request */
#define MOST_RECORDERS 65536u   /* maximum number of recorders to mark, whatever the file of the process contains */

#define CONTROL(field) (offsetof(struct mp_live_header, control) + offsetof(struct mp_live_control, field))

/* --------------------------------------------------------------- requests */

/* Sets the request flag of the N recorders in the mapping RECORDERS. If the file was truncated meanwhile, there is
 * nobody to notify, so this is ignored. */
static void
mark(struct mp_shared *recorders, uint32_t n)
{
    struct mp_live_recorder *list = (void *)recorders->bytes;

    mp_shared_begin(recorders);
    for (uint32_t i = 0; i < n; i++)
        __atomic_or_fetch(&list[i].pending_work, MP_PENDING_REQUEST, __ATOMIC_SEQ_CST);
    mp_shared_end();
}

/* Marks each recorder in EXTENT, so that its thread checks for a request at its next allocation or free. */
static void
mark_recorders(const struct mp_process *process, const struct mp_live_extent *extent)
{
    const size_t size = (size_t)extent->count * sizeof(struct mp_live_recorder);
    struct mp_shared recorders;
    struct stat status;

    if (extent->record_size != sizeof(struct mp_live_recorder) || fstat(process->file.fd, &status) != 0 ||
        extent->offset > (uint64_t)status.st_size || size > (uint64_t)status.st_size - extent->offset || size == 0 ||
        !mp_shared_open(&recorders, process->file.fd, extent->offset, size))
        return;
    mark(&recorders, extent->count);
    mp_shared_close(&recorders);
}

static bool
mark_all(struct mp_process *process, struct mp_error *error)
{
    uint32_t left = MOST_RECORDERS;

    if (!mp_process_refresh(process, error))
        return false;
    for (uint32_t i = 0; i < process->header->n_extents && i < MP_MAX_EXTENTS; i++) {
        const struct mp_live_extent *extent = &process->header->extents[i];

        if (extent->kind == MP_EXT_RECORDERS && extent->count <= left) {
            mark_recorders(process, extent);
            left -= extent->count;
        }
    }
    return true;
}

static bool
has_ended(const struct mp_process *process)
{
    return mp_process_start_ticks(process->pid) != process->header->start_ticks ||
           process->header->state == MP_STATE_EXEC;
}

static bool
wait_for_answer(struct mp_process *process, uint64_t timeout, const volatile sig_atomic_t *interrupted,
                enum mp_answer *answer, struct mp_error *error)
{
    const struct timespec pause = {.tv_nsec = 2000000};

    for (uint64_t waited = 0;; waited += (uint64_t)pause.tv_nsec) {
        const bool ended = has_ended(process);

        if (!mp_process_refresh(process, error))
            return false;
        *answer = process->header->control.request == MP_REQUEST_NONE ? MP_ANSWER_DONE
                  : ended ? MP_ANSWER_ENDED : MP_ANSWER_LATER;
        if (*answer != MP_ANSWER_LATER || waited >= timeout || (interrupted && *interrupted))
            return true;
        nanosleep(&pause, NULL);
    }
}

/* Withdraws the current request and stores it in *BEFORE. The caller has the file locked. If the process is carrying
 * the request out, waits until it is done. On failure returns false and fills *ERROR. */
static bool
withdraw(struct mp_process *process, enum mp_request *before, struct mp_error *error)
{
    enum mp_answer answer;
    uint32_t pending;

    do {
        if (!mp_process_refresh(process, error))
            return false;
        pending = process->header->control.request;
        *before = (enum mp_request)pending;
    } while (pending != MP_REQUEST_NONE && pending != MP_REQUEST_TAKEN &&
             !mp_shared_exchange(&process->shared, CONTROL(request), pending, MP_REQUEST_NONE));
    if (pending != MP_REQUEST_TAKEN)
        return true;
    if (!wait_for_answer(process, TAKEN_PATIENCE, NULL, &answer, error))
        return false;
    return answer == MP_ANSWER_DONE ||
           mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET,
                   "process %" PRIu32 " is just doing what it was asked for before", process->pid);
}

static bool
lock(const struct mp_process *process, struct mp_error *error)
{
    return flock(process->file.fd, LOCK_EX | LOCK_NB) == 0 ||
           mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "another mprof asks process %" PRIu32
                   " for something at this moment", process->pid);
}

bool
mp_process_withdraw(struct mp_process *process, enum mp_request *before, struct mp_error *error)
{
    return lock(process, error) && withdraw(process, before, error);
}

/* Makes the request WANTED and waits for the answer. The caller has the file locked and has withdrawn any other
 * request. */
static bool
ask(struct mp_process *process, const struct mp_wanted *wanted, uint64_t timeout, enum mp_answer *answer,
    struct mp_error *error)
{
    struct mp_live_header *shared = (void *)process->shared.bytes;

    mp_shared_begin(&process->shared);
    snprintf(shared->control.file, sizeof shared->control.file, "%s", wanted->file ? wanted->file : "");
    shared->sample_wanted = wanted->sample;
    __atomic_store_n(&shared->control.request, wanted->request, __ATOMIC_SEQ_CST);
    if (!mp_shared_end())
        return mp_process_is_short(process, error);
    return mark_all(process, error) && wait_for_answer(process, timeout, wanted->interrupted, answer, error);
}

/* Returns a text for ANSWER, which the process may have made up. */
static const char *
reason(int32_t answer)
{
    return strerror(answer < 0 && answer > -4096 ? -answer : EPROTO);
}

/* Explains why there is no snapshot of malloc's blocks or of ECL's heap. */
static const char *
no_snapshot(int32_t answer)
{
    switch (answer) {
    case -EOPNOTSUPP:
        return "not all of its blocks were recorded, from its start on";
    case -EINVAL:
        return "its libmprof.so is older than this mprof";
    case -ENODATA:
        return "it is not recorded now";
    case -E2BIG:
        return "it has more mappings, threads or compiled files than there is room for";
    default:
        return reason(answer);
    }
}

static bool
fail_request(const struct mp_process *process, enum mp_request request, struct mp_error *error)
{
    const int32_t answer = process->header->control.answer;

    switch (request) {
    case MP_REQUEST_LEAKS:
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "process %" PRIu32 ": what is lost cannot be told: %s",
                       process->pid, no_snapshot(answer));
    case MP_REQUEST_HEAP:
    case MP_REQUEST_NUMBERED:
        return mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "no snapshot of the heap of process %" PRIu32 ": %s",
                       process->pid, no_snapshot(answer));
    default:
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET,
                       "process %" PRIu32 " could not do it, and is not recorded now: %s", process->pid,
                       reason(answer));
    }
}

bool
mp_process_ask(struct mp_process *process, const struct mp_wanted *wanted, uint64_t timeout,
               enum mp_answer *answer, struct mp_error *error)
{
    enum mp_request before;

    if (wanted->file && strlen(wanted->file) >= sizeof process->header->control.file)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", wanted->file, strerror(ENAMETOOLONG));
    if (!mp_process_withdraw(process, &before, error) || !ask(process, wanted, timeout, answer, error))
        return false;
    if (*answer != MP_ANSWER_DONE || process->header->control.answer == 0)
        return true;
    return fail_request(process, wanted->request, error);
}

/* ------------------------------------------------------------ checkpoints */

/* Withdraws a checkpoint that the process has not seen. Returns false if the process has begun to handle it or no
 * checkpoint is requested. */
static bool
take_back(struct mp_process *process)
{
    return mp_shared_exchange(&process->shared, CONTROL(request), MP_REQUEST_CHECKPOINT, MP_REQUEST_NONE);
}

/* Makes the request WANTED and waits for the answer. Withdraws it if the process has not seen it in time. */
static bool
ask_now(struct mp_process *process, const struct mp_wanted *wanted, uint64_t timeout, enum mp_answer *answer,
        struct mp_error *error)
{
    if (!ask(process, wanted, timeout, answer, error))
        return false;
    return *answer != MP_ANSWER_LATER || take_back(process) ||
           wait_for_answer(process, TAKEN_PATIENCE, NULL, answer, error);
}

static const char *
no_checkpoint(int32_t answer)
{
    switch (answer) {
    case -ESRCH:
        return "it is not recorded now";
    case -ENOSPC:
        return "there is no room for another one";
    case -EINVAL:
        return "its libmprof.so is older than that";
    default:
        return reason(answer);
    }
}

static bool
fail_checkpoint(const struct mp_process *process, const char *why, struct mp_error *error)
{
    return mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "process %" PRIu32 ": no checkpoint was set: %s",
                   process->pid, why);
}

bool
mp_process_checkpoint(struct mp_process *process, const char *name, uint64_t timeout, struct mp_error *error)
{
    const struct mp_wanted wanted = {.request = MP_REQUEST_CHECKPOINT, .file = name};
    enum mp_answer answer;

    if (strlen(name) > MP_MARK_NAME)
        return mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "the name of a checkpoint has at most %u bytes",
                       MP_MARK_NAME);
    if (!lock(process, error))
        return false;
    take_back(process);                 /* left by an mprof that was killed */
    if (!mp_process_refresh(process, error))
        return false;
    if (process->header->state != MP_STATE_RUNNING)
        return fail_checkpoint(process, no_checkpoint(-ESRCH), error);
    if (process->header->control.request != MP_REQUEST_NONE)
        return fail_checkpoint(process, "it has yet to do what it was asked for before", error);
    if (!ask_now(process, &wanted, timeout, &answer, error))
        return false;
    if (answer == MP_ANSWER_ENDED)
        return fail_checkpoint(process, "it has ended meanwhile", error);
    if (answer == MP_ANSWER_LATER)
        return fail_checkpoint(process, "it allocates nothing now; send it a request meanwhile, and wait "
                               "for that with --wait=60", error);
    return process->header->control.answer == 0 ||
           fail_checkpoint(process, no_checkpoint(process->header->control.answer), error);
}

/* ------------------------------------------------------------ snapshots */

void
mp_process_note_snapshot(struct mp_process *process, uint32_t number)
{
    struct mp_live_header *shared = (void *)process->shared.bytes;
    uint32_t before;

    mp_shared_begin(&process->shared);
    before = __atomic_load_n(&shared->snapshots, __ATOMIC_RELAXED);
    while (before < number && !__atomic_compare_exchange_n(&shared->snapshots, &before, number, true, __ATOMIC_RELAXED,
                                                           __ATOMIC_RELAXED))
        ;
    mp_shared_end();
}
