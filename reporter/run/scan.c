#include "scan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "offer.h"
#include "reporter/base/arena.h"
#include "reporter/heap/heap_facts.h"
#include "reporter/heap/heap_files.h"

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

/* Returns the newest fitting snapshot of DATA_FILE with a number up to MOST, else the newest unreadable one, else
 * NULL. The caller frees it. */
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
        return mp_offer_take(process, name, error);
    else if (answer == MP_ANSWER_LATER)
        mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "process %" PRIu32 " allocates nothing now, and answers when "
                "it does: send it a request meanwhile, and wait for that with --wait=60", process->pid);
    else
        mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "process %" PRIu32 " has ended meanwhile", process->pid);
    return -1;
}
