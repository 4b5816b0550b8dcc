/* SPDX-License-Identifier: MIT */
#include "heap_request.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "process.h"
#include "reporter/base/arena.h"
#include "reporter/base/open_file.h"
#include "reporter/heap/heap_files.h"
#include "reporter/heap/heap_stream.h"

/* ---------------------------------------------------------------- the process that writes an offered snapshot */

struct status {
    uint32_t parent, user;      /* parent's process id; file system user id, which owns new files */
    uint32_t inner;             /* process id in its innermost pid namespace */
};

/* Reads /proc/PID/status. Returns false if there is no such process. */
static bool
read_status(uint32_t pid, struct status *status)
{
    char path[64], line[512];
    unsigned found = 0;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%" PRIu32 "/status", pid);
    file = fopen(path, "re");
    if (!file)
        return false;
    status->inner = pid;                /* kernels without pid namespaces omit it */
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "PPid: %" SCNu32, &status->parent) == 1 ||
            sscanf(line, "Uid: %*u %*u %*u %" SCNu32, &status->user) == 1)
            found++;
        else if (strncmp(line, "NSpid:", 6) == 0)
            status->inner = (uint32_t)strtoul(strrchr(line, '\t') ? strrchr(line, '\t') : "", NULL, 10);
    }
    fclose(file);
    return found == 2;
}

static bool
is_writer(uint32_t pid, const struct mp_process *process, uint32_t stated)
{
    struct status status;

    return read_status(pid, &status) && status.parent == process->pid && status.inner == stated;
}

/* Finds the child of PROCESS whose process id in the child's own pid namespace is STATED. Returns the child's pid in
 * our pid namespace, or 0 if no child has that id. */
static uint32_t
writer(const struct mp_process *process, uint32_t stated)
{
    struct dirent *entry;
    uint32_t found = 0;
    DIR *all;

    if (is_writer(stated, process, stated))
        return stated;
    all = opendir("/proc");
    while (all && !found && (entry = readdir(all))) {
        const uint32_t pid = mp_process_id(entry->d_name);

        if (pid != 0 && is_writer(pid, process, stated))
            found = pid;
    }
    if (all)
        closedir(all);
    return found;
}

/* ---------------------------------------------------------------- the offered snapshot, a file without a name */

/* Returns whether FD is a file without a name that a process of USER made. For root, any owner is accepted, because a
 * file server may assign another owner. */
static bool
is_offered(int fd, uint32_t user)
{
    struct stat status;

    return fstat(fd, &status) == 0 && status.st_nlink == 0 && (status.st_uid == user || user == 0);
}

/* Opens the file of OFFER for reading, or returns -1. */
static int
open_offered(const struct mp_process *process, const struct mp_live_offer *offer)
{
    char path[96];
    struct status status;
    int fd;

    if (!read_status(process->pid, &status))
        return -1;
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/fd/%" PRIu32, writer(process, offer->pid), offer->descriptor);
    fd = mp_open(path);
    if (fd < 0 || is_offered(fd, status.user))
        return fd;
    close(fd);
    return -1;
}

/* Waits until the snapshot is complete or *INTERRUPTED is nonzero. The writer keeps the file locked until it is
 * complete; a hostile writer may keep it locked forever. Returns false and fills *ERROR if the file is not a
 * snapshot. */
static bool
wait_until_whole(int fd, uint32_t pid, const volatile sig_atomic_t *interrupted, struct mp_error *error)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    char magic[sizeof MP_HEAP_MAGIC - 1];

    while (flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        if (interrupted && *interrupted)
            return mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "interrupted");
        nanosleep(&pause, NULL);
    }
    return (pread(fd, magic, sizeof magic, 0) == (ssize_t)sizeof magic &&
            memcmp(magic, MP_HEAP_MAGIC, sizeof magic) == 0) ||
           mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "process %" PRIu32 " could not write the snapshot", pid);
}

/* Returns a private copy of FD without a name. On failure returns -1 and fills *ERROR. */
static int
copy_of(int fd, const char *name, struct mp_error *error)
{
    FILE *own = tmpfile();
    int copy = own ? fcntl(fileno(own), F_DUPFD_CLOEXEC, 0) : -1;

    if (copy < 0)
        mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "no temporary file: %s", strerror(errno));
    if (own)
        fclose(own);
    if (copy >= 0 && !mp_heap_stream_copy(fd, copy, name, error)) {
        close(copy);
        return -1;
    }
    return copy;
}

/* Takes the file that PROCESS offers in its header and waits until it is complete or *INTERRUPTED is nonzero. Only
 * opens a regular file without a name that belongs to the user of the process. NAME is used in messages. Returns a
 * copy without a name, which no other process can change and the caller closes. On failure returns -1 and fills
 * *ERROR. */
static int
offer_take(struct mp_process *process, const volatile sig_atomic_t *interrupted, const char *name,
           struct mp_error *error)
{
    const struct mp_live_offer offer = process->header->offer;
    const int fd = open_offered(process, &offer);
    int copy = -1;

    mp_shared_exchange(&process->shared, offsetof(struct mp_live_header, offer.number), offer.number, 0);
    if (fd < 0) {
        mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "process %" PRIu32 " offers no snapshot that could be taken",
                process->pid);
        return -1;
    }
    if (wait_until_whole(fd, process->pid, interrupted, error))
        copy = copy_of(fd, name, error);
    close(fd);
    return copy;
}

/* ---------------------------------------------------------------- snapshots */

enum fit {
    FITS,
    OTHER,                      /* snapshot of another language's heap or of another process */
    UNREADABLE
};

/* Determines whether PATH is a snapshot of C's blocks in the process that MEANT describes. */
static enum fit
fit_of(const char *path, const struct mp_meta *meant)
{
    struct mp_heap_facts facts;
    struct mp_error ignored;

    if (!mp_heap_facts_read(path, &facts, &ignored))
        return UNREADABLE;
    return strcmp(facts.language, "C") == 0 && mp_heap_facts_are_since(facts.numbers, meant) ? FITS : OTHER;
}

/* Returns the path of the newest snapshot of DATA_FILE, with a number up to MOST, that fits MEANT. If none fits,
 * returns the path of the newest unreadable one, or NULL. The caller frees the path. */
static char *
newest(const char *data_file, const struct mp_meta *meant, uint32_t most)
{
    const char *found = NULL, *unreadable = NULL;
    uint32_t n;
    char **files = mp_heap_files(data_file, &n), *path;

    for (uint32_t i = n; i-- > 0 && !found;) {
        enum fit fit;

        if (mp_heap_file_number(files[i] + strlen(data_file)) > most)
            continue;
        fit = fit_of(files[i], meant);
        if (fit == FITS)
            found = files[i];
        else if (fit == UNREADABLE && !unreadable)
            unreadable = files[i];
    }
    found = found ? found : unreadable;
    path = found ? mp_need(strdup(found)) : NULL;
    mp_heap_files_free(files, n);
    return path;
}

char *
mp_scan_newest(const char *data_file, const struct mp_meta *meant)
{
    return newest(data_file, meant, UINT32_MAX);
}

char *
mp_scan_newest_noted(const char *data_file, const struct mp_meta *meant)
{
    char *path;

    if (meant->snapshots == 0)
        return NULL;
    if (asprintf(&path, "%s.%" PRIu32 ".heap", data_file, meant->snapshots) < 0)
        mp_no_memory();
    if (fit_of(path, meant) == FITS)
        return path;
    free(path);
    return newest(data_file, meant, meant->snapshots);
}

/* Withdraws the request because the process did not answer in time. If the process has carried it out meanwhile, sets
 * *ANSWER to MP_ANSWER_DONE. On failure returns false and fills *ERROR. */
static bool
take_back(struct mp_process *process, enum mp_answer *answer, struct mp_error *error)
{
    enum mp_request before;

    if (!mp_process_withdraw(process, &before, error))
        return false;
    if ((before == MP_REQUEST_NONE || before == MP_REQUEST_TAKEN) && process->header->control.answer == 0)
        *answer = MP_ANSWER_DONE;
    return true;
}

int
mp_scan_ask(struct mp_process *process, enum mp_request request, uint64_t timeout,
            const volatile sig_atomic_t *interrupted, const char *name, struct mp_error *error)
{
    const struct mp_wanted wanted = {.request = request, .interrupted = interrupted};
    enum mp_answer answer;

    if (!mp_process_ask(process, &wanted, timeout, &answer, error) ||
        (answer == MP_ANSWER_LATER && !take_back(process, &answer, error)))
        return -1;
    if (interrupted && *interrupted)
        mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "interrupted");
    else if (answer == MP_ANSWER_DONE)
        return offer_take(process, interrupted, name, error);
    else if (answer == MP_ANSWER_LATER)
        mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "process %" PRIu32 " allocates nothing now, and answers when "
                "it does: send it a request meanwhile, and wait for that with --wait=60", process->pid);
    else
        mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "process %" PRIu32 " has ended meanwhile", process->pid);
    return -1;
}
