#include "scan.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "reporter/base/arena.h"
#include "reporter/heap/heap_facts.h"
#include "reporter/heap/heap_files.h"

enum fit {
    FITS,
    OTHER,                      /* of something else, or of another process */
    UNREADABLE
};

/* Is that a snapshot of C's blocks, of the process that MEANT tells? */
static enum fit
fit_of(const char *path, const struct mp_meta *meant)
{
    struct mp_heap_facts facts;
    struct mp_error ignored;

    if (!mp_heap_facts_read(path, &facts, &ignored))
        return UNREADABLE;
    return strcmp(facts.language, "C") == 0 && mp_heap_facts_are_since(facts.numbers, meant) ? FITS : OTHER;
}

char *
mp_scan_newest(const char *data_file, const struct mp_meta *meant)
{
    const char *found = NULL, *unreadable = NULL;
    uint32_t n;
    char **files = mp_heap_files(data_file, &n), *path;

    for (uint32_t i = n; i-- > 0 && !found;) {
        const enum fit fit = fit_of(files[i], meant);

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

/* Nobody writes PATH any more when it is no longer locked. */
bool
mp_scan_wait(const char *path, const struct mp_process *process, struct mp_error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), result;

    if (fd < 0)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s, which process %" PRIu32 " wrote: %s", path,
                       process->pid, strerror(errno));
    do
        result = flock(fd, LOCK_SH);
    while (result != 0 && errno == EINTR);
    close(fd);
    return access(path, R_OK) == 0 ||
           mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "process %" PRIu32 " could not write what leads to its blocks",
                   process->pid);
}

/* The process did not answer in time: take back what it was asked for, unless it does it at just this moment. */
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

char *
mp_scan_ask(struct mp_process *process, uint64_t timeout, const volatile sig_atomic_t *interrupted,
            struct mp_error *error)
{
    const struct mp_wanted wanted = {.request = MP_REQUEST_LEAKS, .file = "", .interrupted = interrupted};
    enum mp_answer answer;

    if (!mp_process_ask(process, &wanted, timeout, &answer, error) ||
        (answer == MP_ANSWER_LATER && !take_back(process, &answer, error)))
        return NULL;
    if (answer == MP_ANSWER_DONE)
        return mp_need(strndup(process->header->control.file, sizeof process->header->control.file - 1));
    if (*interrupted)
        mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "interrupted");
    else if (answer == MP_ANSWER_LATER)
        mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "process %" PRIu32 " allocates nothing now, and answers when "
                "it does: send it a request meanwhile, and wait for that with --wait=60", process->pid);
    else
        mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "process %" PRIu32 " has ended meanwhile", process->pid);
    return NULL;
}
