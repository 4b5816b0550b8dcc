/* SPDX-License-Identifier: MIT */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "reporter/base/arena.h"
#include "reporter/base/open_file.h"
#include "reporter/base/text.h"
#include "reporter/file/data_file.h"
#include "reporter/file/live_writer.h"

/* ---------------------------------------------------------------- a mapping of the file */

/*
 * Words of a live file that are changed in place while the recorded process changes them, too.
 *
 * This requires a mapping. The process may truncate its file meanwhile, and then an access raises SIGBUS. The signal
 * handler replaces the mapping with zeroed private memory, and the access continues. Changes are then lost with the
 * file. Data that is only read is read by pread(2) elsewhere.
 */

static _Thread_local struct mp_shared *volatile in_use;
static _Thread_local volatile sig_atomic_t is_short;
static struct sigaction bus_before;

/* Replaces the mapping in use with zeroed memory. The kernel repeats the access when this returns. For other
 * addresses, restores the previous action, so that the repeated access raises the signal again. */
static void
on_bus_error(int number, siginfo_t *info, void *context)
{
    const struct mp_shared *shared = in_use;
    const uint8_t *address = info->si_addr;

    (void)context;
    if (shared && address >= shared->bytes && address < shared->bytes + shared->size &&
        mmap(shared->bytes, shared->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
            MAP_FAILED)
        is_short = 1;
    else
        sigaction(number, &bus_before, NULL);
}

/* Installs on_bus_error() as the handler of SIGBUS, unless it is the handler already. */
static void
handle_bus_errors(void)
{
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO}, old;

    sigemptyset(&action.sa_mask);
    if (sigaction(SIGBUS, NULL, &old) == 0 && ((old.sa_flags & SA_SIGINFO) == 0 || old.sa_sigaction != on_bus_error)) {
        bus_before = old;
        sigaction(SIGBUS, &action, NULL);
    }
}

/* Maps SIZE bytes of the file FD at OFFSET, a multiple of the page size. Returns false if they cannot be mapped. */
static bool
shared_open(struct mp_shared *shared, int fd, uint64_t offset, size_t size)
{
    void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);

    *shared = (struct mp_shared){NULL, 0};
    if (bytes == MAP_FAILED)
        return false;
    handle_bus_errors();
    *shared = (struct mp_shared){bytes, size};
    return true;
}

static void
shared_close(struct mp_shared *shared)
{
    if (shared->bytes)
        munmap(shared->bytes, shared->size);
    *shared = (struct mp_shared){NULL, 0};
}

/* Accesses to SHARED between this call and shared_end() survive truncation. A thread can use one mapping at a
 * time. */
static void
shared_begin(struct mp_shared *shared)
{
    is_short = 0;
    in_use = shared;
}

/* Returns false if the file was too short for an access. */
static bool
shared_end(void)
{
    in_use = NULL;
    return !is_short;
}

bool
mp_shared_exchange(struct mp_shared *shared, size_t offset, uint32_t expected, uint32_t wanted)
{
    uint32_t *word = (uint32_t *)(void *)(shared->bytes + offset);
    bool done;

    shared_begin(shared);
    done = __atomic_compare_exchange_n(word, &expected, wanted, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    return shared_end() && done;
}

/* ---------------------------------------------------------------- the process: the live file */

struct mapping {
    unsigned long start, end;
    unsigned long inode;
    const char *path;           /* "" if there is none */
};

/* Parses LINE of /proc/PID/maps. Returns false if it cannot be the header of a live file, which is mapped shared and
 * writable from the beginning of the file. MAPPING points into LINE. */
static bool
parse_mapping(char *line, struct mapping *mapping)
{
    unsigned long offset;
    char permissions[5];
    int path = 0;

    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%lx-%lx %4s %lx %*x:%*x %lu %n", &mapping->start, &mapping->end, permissions, &offset,
               &mapping->inode, &path) != 5)
        return false;
    mapping->path = line + path;
    return permissions[1] == 'w' && permissions[3] == 's' && offset == 0 && mapping->inode != 0 &&
           mapping->end - mapping->start >= MP_HEADER_SIZE && mapping->path[0] == '/';
}

/* Copies the header of the live file FD. Returns false if the file is too short. */
static bool
read_header(int fd, struct mp_live_header *header)
{
    if (pread(fd, header, sizeof *header, 0) != (ssize_t)sizeof *header)
        return false;
    header->control.file[sizeof header->control.file - 1] = '\0';
    return true;
}

/* Returns whether HEADER belongs to the process that started at START_TICKS and the process still handles requests in
 * it. */
static bool
is_listened_to(const struct mp_live_header *header, uint64_t start_ticks)
{
    return memcmp(header->magic, MP_LIVE_MAGIC, sizeof header->magic) == 0 &&
           MP_LIVE_IS_VERSION(header->version) &&
           header->byte_order == MP_BYTE_ORDER &&
           header->start_ticks == start_ticks && header->control.listens == 1;
}

/* Moves FILE to PROCESS if it is the file of MAPPING and its recording is newer than that of the file that PROCESS
 * already has. Otherwise closes FILE, sets errno to ENOENT and returns false. */
static bool
take(struct mp_file_at *file, const struct mapping *mapping, uint64_t start_ticks, struct mp_process *process)
{
    struct mp_live_header *header = mp_need(aligned_alloc(_Alignof(struct mp_live_header), sizeof *header));
    struct mp_shared shared = {NULL, 0};

    if (file->inode == mapping->inode && read_header(file->fd, header) && is_listened_to(header, start_ticks) &&
        (!process->header || process->header->start_monotonic < header->start_monotonic) &&
        shared_open(&shared, file->fd, 0, MP_HEADER_SIZE)) {
        mp_process_close(process);
        process->file = *file;
        process->header = header;
        process->shared = shared;
        return true;
    }
    free(header);
    mp_file_at_close(file);
    errno = ENOENT;
    return false;
}

/* Opens the path of MAPPING in the root directory of this process. */
static bool
try_path(const struct mapping *mapping, uint64_t start_ticks, struct mp_process *process)
{
    struct mp_file_at file;

    return mp_file_at_open(AT_FDCWD, mapping->path, mapping->path, O_RDWR, &file) &&
           take(&file, mapping, start_ticks, process);
}

/* Returns the path of MAPPING relative to the root directory of its process. ROOT is the target of the link
 * /proc/PID/root. The kernel puts ROOT before the path if our own root directory does not contain the file, for example
 * if we and the process are in one chroot and the process has mounts of its own. */
static const char *
path_in_root(const struct mapping *mapping, const char *root)
{
    char beginning[4096];
    ssize_t n = readlink(root, beginning, sizeof beginning);

    if (n > 1 && n < (ssize_t)sizeof beginning && strncmp(mapping->path, beginning, (size_t)n) == 0 &&
        mapping->path[n] == '/')
        return mapping->path + n;
    return mapping->path;
}

/* Opens the path of MAPPING in the root directory of its process, which may see other file systems. */
static bool
try_root(const struct mapping *mapping, uint64_t start_ticks, struct mp_process *process)
{
    char root[64], named[4096 + 64];
    const char *path;
    struct mp_file_at file;
    bool done;
    int fd;

    snprintf(root, sizeof root, "/proc/%" PRIu32 "/root", process->pid);
    path = path_in_root(mapping, root);
    snprintf(named, sizeof named, "%s%s", root, path);
    fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    done = fd >= 0 && mp_file_at_open(fd, path + 1, named, O_RDWR, &file) && take(&file, mapping, start_ticks, process);
    if (fd >= 0)
        close(fd);
    return done;
}

/* Opens the mapped file itself, even if it no longer has a name. Only root may do this. */
static bool
try_mapped(const struct mapping *mapping, uint64_t start_ticks, struct mp_process *process)
{
    char path[64];
    struct stat status;
    struct mp_file_at file = {.folder = -1};

    snprintf(path, sizeof path, "/proc/%" PRIu32 "/map_files/%lx-%lx", process->pid, mapping->start, mapping->end);
    file.fd = mp_open_at(AT_FDCWD, path, O_RDWR);
    if (file.fd < 0)
        return false;
    file.path = mp_need(strdup(path));
    file.name = mp_text_basename(file.path);
    if (fstat(file.fd, &status) == 0) {
        file.device = status.st_dev;
        file.inode = status.st_ino;
        file.owner = status.st_uid;
    }
    return take(&file, mapping, start_ticks, process);
}

/* Opens the file of MAPPING by the first way that works. Sets *PROBLEM to EACCES if permissions prevented it. */
static void
try_mapping(const struct mapping *mapping, uint64_t start_ticks, struct mp_process *process, int *problem)
{
    if (try_path(mapping, start_ticks, process))
        return;
    if (errno == EACCES)
        *problem = errno;
    if (!try_root(mapping, start_ticks, process))
        try_mapped(mapping, start_ticks, process);
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

    *process = (struct mp_process){.pid = pid, .file = {.folder = -1, .fd = -1}};
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
    shared_close(&process->shared);
    mp_file_at_close(&process->file);
    free(process->header);
    process->header = NULL;
}

const char *
mp_process_path(const struct mp_process *process, char path[static MP_PROCESS_PATH])
{
    snprintf(path, MP_PROCESS_PATH, "/proc/self/fd/%d", process->file.fd);
    return path;
}

int
mp_process_reopen(const struct mp_process *process)
{
    char path[MP_PROCESS_PATH];

    return mp_open(mp_process_path(process, path));
}

char *
mp_process_output(const struct mp_process *process, const char *output, struct mp_error *error)
{
    static const char deleted[] = " (deleted)";
    char link[64], program[PATH_MAX], *template, *path, *end;
    ssize_t length;

    snprintf(link, sizeof link, "/proc/%" PRIu32 "/exe", process->pid);
    length = readlink(link, program, sizeof program - 1);
    if (length < 0) {
        mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", link, strerror(errno));
        return NULL;
    }
    program[length] = '\0';
    end = program + length - (sizeof deleted - 1);
    if (end > program && strcmp(end, deleted) == 0)
        *end = '\0';
    template = mp_data_file_template(output, error);
    path = template ? mp_data_file_expand(template, process->pid, program, error) : NULL;
    free(template);
    return path;
}

/* Fills *ERROR with the message that the live file was truncated. Returns false. */
static bool
process_is_short(const struct mp_process *process, struct mp_error *error)
{
    return mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "process %" PRIu32 ": its data file %s was cut short",
                   process->pid, process->file.path);
}

/* Copies the header again. Returns false and fills *ERROR if the file was truncated. */
static bool
process_refresh(struct mp_process *process, struct mp_error *error)
{
    return read_header(process->file.fd, process->header) || process_is_short(process, error);
}

/* ---------------------------------------------------------------- requests */

static const struct timespec poll_pause = {.tv_nsec = 2000000}; /* between two polls of a process that is waited for */

#define LOCK_PATIENCE  UINT64_C(2000000000)     /* maximum ns to wait while another command asks the process; mprof run
                                                   asks for snapshots again and again, for some milliseconds each */
#define TAKEN_PATIENCE UINT64_C(5000000000)     /* maximum ns to wait for a process that has begun to handle a
                                                   request */
#define MOST_RECORDERS 65536u   /* maximum number of recorders to mark, whatever the file of the process contains */

#define CONTROL(field) (offsetof(struct mp_live_header, control) + offsetof(struct mp_live_control, field))

/* Sets the request flag of the N recorders in the mapping RECORDERS. Ignores a truncation of the file, after which no
 * thread reads the flags. */
static void
mark(struct mp_shared *recorders, uint32_t n)
{
    struct mp_live_recorder *list = (void *)recorders->bytes;

    shared_begin(recorders);
    for (uint32_t i = 0; i < n; i++)
        __atomic_or_fetch(&list[i].pending_work, MP_PENDING_REQUEST, __ATOMIC_SEQ_CST);
    shared_end();
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
        !shared_open(&recorders, process->file.fd, extent->offset, size))
        return;
    mark(&recorders, extent->count);
    shared_close(&recorders);
}

static bool
mark_all(struct mp_process *process, struct mp_error *error)
{
    uint32_t left = MOST_RECORDERS;

    if (!process_refresh(process, error))
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
    for (uint64_t waited = 0;; waited += (uint64_t)poll_pause.tv_nsec) {
        const bool ended = has_ended(process);

        if (!process_refresh(process, error))
            return false;
        *answer = process->header->control.request == MP_REQUEST_NONE ? MP_ANSWER_DONE
                  : ended ? MP_ANSWER_ENDED : MP_ANSWER_LATER;
        if (*answer != MP_ANSWER_LATER || waited >= timeout || (interrupted && *interrupted))
            return true;
        nanosleep(&poll_pause, NULL);
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
        if (!process_refresh(process, error))
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
    for (uint64_t waited = 0; flock(process->file.fd, LOCK_EX | LOCK_NB) != 0; waited += (uint64_t)poll_pause.tv_nsec) {
        if (waited >= LOCK_PATIENCE)
            return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "another mprof asks process %" PRIu32
                           " for something at this moment", process->pid);
        nanosleep(&poll_pause, NULL);
    }
    return true;
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

    shared_begin(&process->shared);
    snprintf(shared->control.file, sizeof shared->control.file, "%s", wanted->file ? wanted->file : "");
    shared->sample_wanted = wanted->sample;
    __atomic_store_n(&shared->control.request, wanted->request, __ATOMIC_SEQ_CST);
    if (!shared_end())
        return process_is_short(process, error);
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
    if (!process_refresh(process, error))
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

    shared_begin(&process->shared);
    before = __atomic_load_n(&shared->snapshots, __ATOMIC_RELAXED);
    while (before < number && !__atomic_compare_exchange_n(&shared->snapshots, &before, number, true, __ATOMIC_RELAXED,
                                                           __ATOMIC_RELAXED))
        ;
    shared_end();
}
