#include "environment.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "runtime/monitor.h"

#define MOST_OURS  16
#define TEXT_SIZE  16384

/* Copies of our entries, for programs that are started with another environment. */
static char text[TEXT_SIZE];
static size_t text_used;
static char *ours[MOST_OURS];
static size_t n_ours;

static bool
is_preload(const char *entry)
{
    return strncmp(entry, "LD_PRELOAD=", 11) == 0;
}

static bool
is_ours(const char *entry)
{
    return strncmp(entry, "MPROF_", 6) == 0;
}

/* Is the path of LENGTH bytes that of this library, whatever its folder and version? */
static bool
is_our_library(const char *path, size_t length)
{
    static const char name[] = "libmprof.so";
    size_t start = length;

    while (start > 0 && path[start - 1] != '/')
        start--;
    return length - start >= sizeof name - 1 && memcmp(path + start, name, sizeof name - 1) == 0;
}

/* Take our library out of a value of LD_PRELOAD, in place; true if nothing is left. */
static bool
strip_preload(char *value)
{
    char *to = value;

    for (char *at = value; *at;) {
        size_t length = strcspn(at, ": ");
        char separator = at[length];

        if (!is_our_library(at, length)) {
            memmove(to, at, length);
            to += length;
            *to++ = separator;
        }
        at += length + (separator != '\0');
    }
    if (to > value && to[-1])
        to--;
    *to = '\0';
    return value[strspn(value, ": ")] == '\0';
}

static void
strip(char **environment)
{
    char **to = environment;

    for (char **at = environment; *at; at++) {
        if (is_ours(*at) || (is_preload(*at) && strip_preload(*at + 11)))
            continue;
        *to++ = *at;
    }
    *to = NULL;
}

/* MPROF_FOLLOW=2 says that the program was started by a profiled one. */
static void
mark_started(char *entry)
{
    if (strcmp(entry, "MPROF_FOLLOW=1") == 0)
        entry[13] = '2';
}

static void
keep(const char *entry)
{
    size_t size = strlen(entry) + 1;

    if (n_ours == MOST_OURS || size > sizeof text - text_used)
        return;
    ours[n_ours++] = memcpy(text + text_used, entry, size);
    text_used += size;
}

void
mp_environment_open(void)
{
    if (!environ)
        return;
    if (!mp_monitor_follows()) {
        strip(environ);
        return;
    }
    for (char **at = environ; *at; at++) {
        mark_started(*at);
        if (is_ours(*at) || is_preload(*at))
            keep(*at);
    }
}

/* Is ENVIRONMENT complete: preloaded, and told that it is started by a profiled program? */
static bool
has_ours(char *const *environment)
{
    bool preloaded = false, told = false;

    for (; environment && *environment; environment++) {
        preloaded |= is_preload(*environment) && strstr(*environment, "libmprof.so");
        told |= strncmp(*environment, "MPROF_FOLLOW=", 13) == 0;
    }
    return preloaded && told;
}

size_t
mp_environment_room(char *const *environment)
{
    size_t n = 0;

    if (!mp_monitor_follows() || has_ours(environment))
        return 0;
    while (environment && environment[n])
        n++;
    return n + n_ours + 1;
}

char *const *
mp_environment_complete(char *const *environment, char **room)
{
    size_t n = 0;

    if (!mp_monitor_follows() || has_ours(environment))
        return environment;
    for (; environment && *environment; environment++)
        if (!is_preload(*environment) && !is_ours(*environment))
            room[n++] = *environment;
    memcpy(room + n, ours, n_ours * sizeof *ours);
    room[n + n_ours] = NULL;
    return room;
}
