/* SPDX-License-Identifier: MIT */
#include "moment_names.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/map.h"
#include "runtime/format.h"

/* Returns whether the checkpoint NAME was set with the LENGTH bytes of TEXT, of which the monitor keeps a part. */
static bool
is_called(const char *name, const char *text, size_t length)
{
    const size_t kept = strlen(name);

    return (kept == length || (length > MP_MARK_NAME && kept > MP_MARK_NAME - 4)) && kept <= length &&
           memcmp(name, text, kept) == 0;
}

uint32_t
mp_moment_checkpoint(const struct mp_timeline *line, const char *text, size_t length, unsigned long nth)
{
    for (uint32_t i = 0; line && i < line->n_moments; i++) {
        const struct mp_moment *moment = &line->moments[i];

        if (moment->kind != MP_MOMENT_CHECKPOINT)
            continue;
        if (text && !is_called(moment->name, text, length))
            continue;
        if (--nth == 0)
            return i;
    }
    return MP_NO_ID;
}

/* Returns the number at the end of a TEXT such as "loaded#3", and sets *LENGTH to the length of what precedes
 * the "#". Returns 0 if there is no number. */
static unsigned long
number_behind(const char *text, size_t *length)
{
    const char *hash = strrchr(text, '#');
    unsigned long nth;
    char *end;

    if (!hash || hash[1] < '0' || hash[1] > '9')
        return 0;
    nth = strtoul(hash + 1, &end, 10);
    *length = (size_t)(hash - text);
    return *end == '\0' ? nth : 0;
}

bool
mp_moment_is_reserved(const char *text)
{
    return strcmp(text, "start") == 0 || strcmp(text, "peak") == 0 || strcmp(text, "end") == 0;
}

uint32_t
mp_moment_named(const struct mp_timeline *line, const char *text)
{
    uint32_t found = mp_moment_checkpoint(line, text, strlen(text), 1);
    unsigned long nth;
    size_t length;

    if (found == MP_NO_ID && (nth = number_behind(text, &length)) > 0)
        found = mp_moment_checkpoint(line, length > 0 ? text : NULL, length, nth);
    return found;
}

bool
mp_moment_time(const char *text, uint64_t *time)
{
    char *end;
    double seconds = strtod(text, &end);

    if (end == text || !(seconds >= 0) || seconds > 1e9)
        return false;
    if (strcmp(end, "ms") == 0)
        seconds /= 1000;
    else if (*end != '\0' && strcmp(end, "s") != 0)
        return false;
    *time = (uint64_t)(seconds * 1e9 + 0.5);
    return true;
}
