/* Fuzzes requests to mprof serve. An input is the path, pid, seconds, debug and the Host header, each terminated by a
 * NUL. The input may end early; the rest is then absent from the request. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/serve/question.h"

/* Returns the string at *AT and advances *AT beyond it, or returns NULL if no string is left before END. */
static const char *
next(char **at, const char *end)
{
    char *text = *at;

    if (text >= end)
        return NULL;
    *at = text + strlen(text) + 1;
    return text;
}

static void
must_be_sound(unsigned status, const struct mp_http_question *question, const char *why)
{
    if (status != 200 && status != 400 && status != 404)
        abort();
    if ((status == 200) != (why == NULL) || !memchr(question->id, '\0', sizeof question->id))
        abort();
    if (status != 200)
        return;
    if (question->seconds > MP_QUESTION_SECONDS || question->page > MP_PAGE_METRICS)
        abort();
    if (question->page == MP_PAGE_REPORT && question->id[0] == '\0')
        abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"profiles.example"};
    const char *path, *pid, *seconds, *debug, *host, *why;
    struct mp_http_question question;
    char *copy = malloc(size + 1), *at = copy;
    unsigned status;

    if (!copy)
        abort();
    if (size > 0)
        memcpy(copy, data, size);
    copy[size] = '\0';
    path = next(&at, copy + size);
    pid = next(&at, copy + size);
    seconds = next(&at, copy + size);
    debug = next(&at, copy + size);
    host = next(&at, copy + size);
    status = mp_question_parse(path ? path : "", pid, seconds, debug, &question, &why);
    must_be_sound(status, &question, why);
    if (host && mp_host_is_allowed(host, NULL, 0) && !mp_host_is_allowed(host, names, 1))
        abort();
    free(copy);
    return 0;
}
/* SPDX-License-Identifier: MIT */
