#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "reporter/read/writer.h"

/* ---------------------------------------------------------- the live file */

#define TAKEN_PATIENCE UINT64_C(5000000000)     /* ns that a process may take to do what it has begun */

struct mapping {
    unsigned long start, end;
    unsigned major, minor;
    unsigned long inode;
    const char *path;           /* "": none */
};

/* Take LINE, of /proc/PID/maps, apart.  False: it cannot be the header of a live file, which is mapped
 * shared and writable, from the beginning of the file. */
static bool
parse_mapping(char *line, struct mapping *mapping)
{
    unsigned long offset;
    char permissions[5];
    int path = 0;

    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%lx-%lx %4s %lx %x:%x %lu %n", &mapping->start, &mapping->end, permissions,
               &offset, &mapping->major, &mapping->minor, &mapping->inode, &path) != 7)
        return false;
    mapping->path = line + path;
    return permissions[1] == 'w' && permissions[3] == 's' && offset == 0 && mapping->inode != 0 &&
           mapping->end - mapping->start >= MP_HEADER_SIZE && mapping->path[0] == '/';
}

/* The header in the open file, mapped; NULL: it is not of the process that started at START_TICKS, or
 * that process does not listen to it (any more). */
static struct mp_live_header *
map_header(int fd, uint64_t start_ticks)
{
    struct mp_live_header *header;
    struct stat status;

    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size < (off_t)MP_HEADER_SIZE)
        return NULL;
    header = mmap(NULL, MP_HEADER_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (header == MAP_FAILED)
        return NULL;
    if (memcmp(header->magic, MP_LIVE_MAGIC, sizeof header->magic) == 0 &&
        header->version >= MP_LIVE_OLDEST && header->version <= MP_LIVE_VERSION &&
        header->byte_order == MP_BYTE_ORDER &&
        header->start_ticks == start_ticks && header->control.listens == 1)
        return header;
    munmap(header, MP_HEADER_SIZE);
    return NULL;
}

/* Open PATH if it is the file of MAPPING, and its recording began after that of the file that is open
 * already.  False: errno. */
static bool
open_as(const char *path, const struct mapping *mapping, uint64_t start_ticks,
        struct mp_process *process)
{
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct mp_live_header *header;
    struct stat status;

    if (fd < 0)
        return false;
    header = fstat(fd, &status) == 0 && status.st_ino == mapping->inode ? map_header(fd, start_ticks)
                                                                         : NULL;
    if (!header || (process->header && process->header->start_monotonic >= header->start_monotonic)) {
        if (header)
            munmap(header, MP_HEADER_SIZE);
        close(fd);
        errno = ENOENT;
        return false;
    }
    mp_process_close(process);
    process->fd = fd;
    process->header = header;
    process->path = strdup(path);
    return process->path != NULL;
}

/* Open the file of MAPPING: by its path; by that in the root of the process, if it sees another one; or
 * through /proc, if it was removed.  *PROBLEM becomes EACCES if that was in the way. */
static void
try_mapping(const struct mapping *mapping, uint64_t start_ticks, struct mp_process *process,
            int *problem)
{
    char path[4096 + 64];

    if (open_as(mapping->path, mapping, start_ticks, process))
        return;
    if (errno == EACCES)
        *problem = errno;
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/root%s", process->pid, mapping->path);
    if (open_as(path, mapping, start_ticks, process))
        return;
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/map_files/%lx-%lx", process->pid, mapping->start,
             mapping->end);
    open_as(path, mapping, start_ticks, process);
}

static bool
not_found(uint32_t pid, int problem, struct mp_error *error)
{
    if (problem == ENOENT)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "there is no process %" PRIu32, pid);
    if ((problem == EACCES || problem == EPERM) && geteuid() == 0)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET,
                       "process %" PRIu32 " may not be looked into, even by this root: %s", pid,
                       strerror(problem));
    if (problem == EACCES || problem == EPERM)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET,
                       "process %" PRIu32 " is another user's: only that user and root may do this",
                       pid);
    if (problem != 0)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "process %" PRIu32 ": %s", pid,
                       strerror(problem));
    return mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET,
                   "process %" PRIu32 " is not recorded: it was not started by mprof run, nor with "
                   "libmprof.so preloaded", pid);
}

uint32_t
mp_process_id(const char *text)
{
    size_t length = strlen(text);

    return length > 0 && length < 10 && strspn(text, "0123456789") == length
               ? (uint32_t)strtoul(text, NULL, 10) : 0;
}

uint32_t
mp_process_meant(const char *argument)
{
    uint32_t pid = mp_process_id(argument);
    char path[64];

    snprintf(path, sizeof path, "/proc/%" PRIu32, pid);
    return pid != 0 && (access(path, F_OK) == 0 || access(argument, F_OK) != 0) ? pid : 0;
}

bool
mp_process_open(uint32_t pid, struct mp_process *process, struct mp_error *error)
{
    uint64_t start_ticks = mp_process_start_ticks(pid);
    char *line = NULL, path[64];
    struct mapping mapping;
    size_t room = 0;
    int problem = 0;
    FILE *maps;

    *process = (struct mp_process){.pid = pid, .fd = -1};
    if (start_ticks == 0)
        return not_found(pid, ENOENT, error);
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/maps", pid);
    maps = fopen(path, "re");
    if (!maps)
        return not_found(pid, errno, error);
    while (getline(&line, &room, maps) > 0)
        if (parse_mapping(line, &mapping))
            try_mapping(&mapping, start_ticks, process, &problem);
    if (ferror(maps))
        problem = errno;
    free(line);
    fclose(maps);
    return process->header ? true : not_found(pid, problem, error);
}

void
mp_process_close(struct mp_process *process)
{
    if (process->header)
        munmap(process->header, MP_HEADER_SIZE);
    if (process->fd >= 0)
        close(process->fd);
    free(process->path);
    process->header = NULL;
    process->fd = -1;
    process->path = NULL;
}

/* --------------------------------------------------------------- requests */

/* Mark each recorder in EXTENT: its thread looks for a request when it next allocates or frees. */
static void
mark_recorders(const struct mp_process *process, const struct mp_live_extent *extent)
{
    size_t size = (size_t)extent->count * sizeof(struct mp_live_recorder);
    struct mp_live_recorder *recorders;
    struct stat status;

    if (extent->record_size != sizeof *recorders || fstat(process->fd, &status) != 0 ||
        extent->offset > (uint64_t)status.st_size ||
        size > (uint64_t)status.st_size - extent->offset || size == 0)
        return;
    recorders = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, process->fd,
                     (off_t)extent->offset);
    if (recorders == MAP_FAILED)
        return;
    for (uint32_t i = 0; i < extent->count; i++)
        __atomic_or_fetch(&recorders[i].pending_work, MP_PENDING_REQUEST, __ATOMIC_SEQ_CST);
    munmap(recorders, size);
}

static void
mark_all(const struct mp_process *process)
{
    const struct mp_live_header *header = process->header;
    uint32_t n = __atomic_load_n(&header->n_extents, __ATOMIC_ACQUIRE);

    for (uint32_t i = 0; i < n && i < MP_MAX_EXTENTS; i++)
        if (header->extents[i].kind == MP_EXT_RECORDERS)
            mark_recorders(process, &header->extents[i]);
}

static uint32_t
present_request(const struct mp_process *process)
{
    return __atomic_load_n(&process->header->control.request, __ATOMIC_ACQUIRE);
}

static bool
has_ended(const struct mp_process *process)
{
    return mp_process_start_ticks(process->pid) != process->header->start_ticks ||
           __atomic_load_n(&process->header->state, __ATOMIC_ACQUIRE) == MP_STATE_EXEC;
}

static enum mp_answer
wait_for_answer(const struct mp_process *process, uint64_t timeout, const volatile sig_atomic_t *interrupted)
{
    const struct timespec pause = {.tv_nsec = 2000000};

    for (uint64_t waited = 0;; waited += (uint64_t)pause.tv_nsec) {
        bool ended = has_ended(process);

        if (present_request(process) == MP_REQUEST_NONE)
            return MP_ANSWER_DONE;
        if (ended)
            return MP_ANSWER_ENDED;
        if (waited >= timeout || (interrupted && *interrupted))
            return MP_ANSWER_LATER;
        nanosleep(&pause, NULL);
    }
}

/* The caller has the file locked.  Afterwards nothing is asked for any more; *BEFORE: what was. */
static bool
withdraw(struct mp_process *process, enum mp_request *before, struct mp_error *error)
{
    uint32_t *request = &process->header->control.request, pending = present_request(process);

    *before = (enum mp_request)pending;
    while (pending != MP_REQUEST_NONE && pending != MP_REQUEST_TAKEN)
        if (__atomic_compare_exchange_n(request, &pending, MP_REQUEST_NONE, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            return true;
    if (pending == MP_REQUEST_NONE || wait_for_answer(process, TAKEN_PATIENCE, NULL) == MP_ANSWER_DONE)
        return true;
    return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET,
                   "process %" PRIu32 " is just doing what it was asked for before", process->pid);
}

static bool
lock(const struct mp_process *process, struct mp_error *error)
{
    return flock(process->fd, LOCK_EX | LOCK_NB) == 0 ||
           mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "another mprof asks process %" PRIu32
                   " for something at this moment", process->pid);
}

bool
mp_process_withdraw(struct mp_process *process, enum mp_request *before, struct mp_error *error)
{
    return lock(process, error) && withdraw(process, before, error);
}

/* Nothing else is asked for.  The caller has the file locked. */
static enum mp_answer
ask(struct mp_process *process, const struct mp_wanted *wanted, uint64_t timeout)
{
    struct mp_live_control *control = &process->header->control;

    snprintf(control->file, sizeof control->file, "%s", wanted->file);
    process->header->sample_wanted = wanted->sample;
    __atomic_store_n(&control->request, wanted->request, __ATOMIC_SEQ_CST);
    mark_all(process);
    return wait_for_answer(process, timeout, wanted->interrupted);
}

/* Why there is no snapshot of malloc's blocks, or of ECL's heap. */
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
        return strerror(-answer);
    }
}

bool
mp_process_ask(struct mp_process *process, const struct mp_wanted *wanted, uint64_t timeout,
               enum mp_answer *answer, struct mp_error *error)
{
    enum mp_request before;

    if (strlen(wanted->file) >= sizeof process->header->control.file)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", wanted->file, strerror(ENAMETOOLONG));
    if (!mp_process_withdraw(process, &before, error))
        return false;
    *answer = ask(process, wanted, timeout);
    if (*answer == MP_ANSWER_DONE && process->header->control.answer != 0 && wanted->request == MP_REQUEST_LEAKS)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "process %" PRIu32 ": what is lost cannot be told: %s",
                       process->pid, no_snapshot(process->header->control.answer));
    if (*answer == MP_ANSWER_DONE && process->header->control.answer != 0 && wanted->request == MP_REQUEST_HEAP)
        return mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "no snapshot of the heap of process %" PRIu32 ": %s",
                       process->pid, no_snapshot(process->header->control.answer));
    if (*answer == MP_ANSWER_DONE && process->header->control.answer != 0)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET,
                       "process %" PRIu32 " could not do it, and is not recorded now: %s",
                       process->pid, strerror(-process->header->control.answer));
    return true;
}

/* ------------------------------------------------------------ checkpoints */

/* Take a checkpoint back that the process has not seen.  False: it sees it just now, or there is none. */
static bool
take_back(struct mp_process *process)
{
    uint32_t pending = MP_REQUEST_CHECKPOINT;

    return __atomic_compare_exchange_n(&process->header->control.request, &pending, MP_REQUEST_NONE, false,
                                       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* ASK, and if the process does not come by, it is as if it had not been asked for. */
static enum mp_answer
ask_now(struct mp_process *process, const struct mp_wanted *wanted, uint64_t timeout)
{
    enum mp_answer answer = ask(process, wanted, timeout);

    return answer != MP_ANSWER_LATER || take_back(process) ? answer : wait_for_answer(process, TAKEN_PATIENCE, NULL);
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
        return strerror(-answer);
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

    if (strlen(name) >= sizeof process->header->control.file)
        return mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "the name of a checkpoint has at most %zu bytes",
                       sizeof process->header->control.file - 1);
    if (!lock(process, error))
        return false;
    if (__atomic_load_n(&process->header->state, __ATOMIC_ACQUIRE) != MP_STATE_RUNNING)
        return fail_checkpoint(process, no_checkpoint(-ESRCH), error);
    take_back(process);                 /* that of an mprof that was killed */
    if (present_request(process) != MP_REQUEST_NONE)
        return fail_checkpoint(process, "it has yet to do what it was asked for before", error);
    answer = ask_now(process, &wanted, timeout);
    if (answer == MP_ANSWER_ENDED)
        return fail_checkpoint(process, "it has ended meanwhile", error);
    if (answer == MP_ANSWER_LATER)
        return fail_checkpoint(process, "it allocates nothing now; send it a request meanwhile, and wait "
                               "for that with --wait=60", error);
    return process->header->control.answer == 0 ||
           fail_checkpoint(process, no_checkpoint(process->header->control.answer), error);
}
