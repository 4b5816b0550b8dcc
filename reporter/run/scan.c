#include "scan.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "reporter/base/arena.h"
#include "reporter/heap/heap_facts.h"

/* The number of NAME, "data.7.heap", of the data file called BASE; 0: it is none. */
static unsigned long
number_of(const char *name, const char *base)
{
    const size_t length = strlen(base);
    unsigned long number;
    char *end;

    if (strncmp(name, base, length) != 0 || name[length] != '.' || name[length + 1] < '1' || name[length + 1] > '9')
        return 0;
    number = strtoul(name + length + 1, &end, 10);
    return strcmp(end, ".heap") == 0 ? number : 0;
}

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
    return strcmp(facts.language, "C") == 0 && facts.numbers[MP_FACT_PID] == meant->pid &&
           facts.numbers[MP_FACT_REALTIME] >= meant->start_realtime ? FITS : OTHER;
}

/* The highest number of a snapshot of DATA_FILE below LIMIT, with its path in *PATH; 0: there is none. */
static unsigned long
highest_below(const char *data_file, const char *folder, unsigned long limit, char **path)
{
    const char *slash = strrchr(data_file, '/'), *base = slash ? slash + 1 : data_file;
    DIR *directory = opendir(folder);
    struct dirent *entry;
    unsigned long highest = 0;

    while (directory && (entry = readdir(directory))) {
        unsigned long number = number_of(entry->d_name, base);

        highest = number > highest && number < limit ? number : highest;
    }
    if (directory)
        closedir(directory);
    if (highest > 0 && asprintf(path, "%s.%lu.heap", data_file, highest) < 0)
        mp_no_memory();
    return highest;
}

char *
mp_scan_newest(const char *data_file, const struct mp_meta *meant)
{
    const char *slash = strrchr(data_file, '/');
    char *folder = slash ? mp_need(strndup(data_file, (size_t)(slash - data_file) + 1)) : mp_need(strdup("."));
    unsigned long number = ULONG_MAX;
    char *path = NULL, *unreadable = NULL;

    while ((number = highest_below(data_file, folder, number, &path)) > 0) {
        const enum fit fit = fit_of(path, meant);

        if (fit == FITS)
            break;
        if (fit == UNREADABLE && !unreadable)
            unreadable = path;
        else
            free(path);
        path = NULL;
    }
    free(folder);
    if (path)
        free(unreadable);
    return path ? path : unreadable;
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
        mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "process %" PRIu32 " allocates nothing now, so it cannot be "
                "asked; see --wait", process->pid);
    else
        mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "process %" PRIu32 " has ended meanwhile", process->pid);
    return NULL;
}
