/* SPDX-License-Identifier: MIT */
#include "environment.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "runtime/compiler.h"
#include "runtime/monitor.h"
#include "runtime/sanitizer.h"

#define MAX_OURS  64            /* more than the number of variables MPROF_* and LD_PRELOAD */
#define TEXT_SIZE 16384         /* bytes */

/* Copies of our entries, for programs that are started with another environment. */
static MP_LARGE char text[TEXT_SIZE];
static size_t text_used;
static char *ours[MAX_OURS];
static size_t n_ours, preload = MAX_OURS;      /* index of LD_PRELOAD in `ours` */
static bool opened;                     /* environ has been adapted */
static bool follows;                    /* started programs are to be profiled, too, so environ keeps our entries */
static bool follows_exec;               /* programs that this process executes are to be profiled, too */
static const char *library = "";        /* path of this library in LD_PRELOAD */

static const char preload_is[] = "LD_PRELOAD=";

static bool
is_preload(const char *entry)
{
    return strncmp(entry, preload_is, sizeof preload_is - 1) == 0;
}

static bool
preloads_us(const char *entry)
{
    return is_preload(entry) && strstr(entry, "libmprof.so");
}

static bool
is_ours(const char *entry)
{
    return strncmp(entry, "MPROF_", 6) == 0;
}

/* Returns whether PATH, which has LENGTH bytes, has the file name of this library, in any directory and of any
 * version. */
static bool
is_our_library(const char *path, size_t length)
{
    static const char name[] = "libmprof.so";
    size_t start = length;

    while (start > 0 && path[start - 1] != '/')
        start--;
    return length - start >= sizeof name - 1 && memcmp(path + start, name, sizeof name - 1) == 0;
}

/* Removes our library from a value of LD_PRELOAD, in place. Returns true if nothing remains. */
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
            if (separator != '\0')
                *to++ = separator;
        }
        at += length + (separator != '\0');
    }
    while (to > value && strchr(": ", to[-1]))
        to--;
    *to = '\0';
    return to == value;
}

static void
strip(char **environment)
{
    char **to = environment;

    for (char **at = environment; *at; at++) {
        if (is_ours(*at) || (preloads_us(*at) && strip_preload(*at + sizeof preload_is - 1)))
            continue;
        *to++ = *at;
    }
    *to = NULL;
}

static size_t
count(char *const *environment)
{
    size_t n = 0;

    while (environment && environment[n])
        n++;
    return n;
}

/* Returns the entry "_=..." of ENVIRONMENT, or "_=" if there is none. Shells set this variable for each program that
 * they start, so programs do not rely on its value. */
static char *
unheeded(char **environment)
{
    static char empty[] = "_=";

    for (; *environment; environment++)
        if (strncmp(*environment, empty, 2) == 0)
            return *environment;
    return empty;
}

/* Removes our entries, in place, from the ENVIRONMENT with which the program was started. The auxiliary vector, pairs
 * of words, is behind the NULL that ended the unchanged environment. Some programs (Go's runtime) search for the vector
 * right behind the NULL that ends the environment now. So the words between the two NULLs become pairs of type
 * AT_IGNORE. If the number of removed entries is odd, the environment gets one more entry, the variable _, before its
 * last one. */
static void
strip_first(char **environment)
{
    const size_t before = count(environment);
    size_t n;

    strip(environment);
    n = count(environment);
    if ((before - n) % 2 == 1) {
        char *more = unheeded(environment);

        environment[n] = n > 0 ? environment[n - 1] : more;
        if (n > 0)
            environment[n - 1] = more;
        environment[++n] = NULL;
    }
    for (; n < before; n += 2) {
        environment[n + 1] = (char *)AT_IGNORE;
        environment[n + 2] = NULL;
    }
}

static bool
is_follow(const char *entry)
{
    return strncmp(entry, "MPROF_FOLLOW=", 13) == 0;
}

/* Changes MPROF_FOLLOW to its value for programs that a profiled one starts (runtime/system/options.c). */
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

    if (n_ours == MAX_OURS || size > sizeof text - text_used)
        return;
    ours[n_ours++] = memcpy(text + text_used, entry, size);
    text_used += size;
}

/* Keeps only our library from the value of LD_PRELOAD. */
static void
keep_library(const char *value)
{
    while (*value) {
        size_t length = strcspn(value, ": ");

        if (is_our_library(value, length) && length < sizeof text - text_used) {
            library = memcpy(text + text_used, value, length);
            text[text_used + length] = '\0';
            text_used += length + 1;
            return;
        }
        value += length + (value[length] != '\0');
    }
}

void
mp_environment_open(void)
{
    follows = mp_monitor_follows();
    follows_exec = mp_monitor_follows_exec();
    opened = true;
    if (!environ)
        return;
    for (char **at = environ; *at && follows_exec; at++) {
        mark_started(*at);
        if (is_preload(*at)) {
            preload = n_ours;
            keep_library(*at + sizeof preload_is - 1);
        }
        if (is_ours(*at) || is_preload(*at))
            keep(is_follow(*at) && !follows ? mp_monitor_executed() : *at);
    }
    if (!follows)
        strip_first(environ);
}

/* ------------------------------------------------------------------ adding our entries */

/* Returns whether ENTRY is the MPROF_RUN of another mprof run than ours. Then this program is that mprof run, and
 * the programs that it starts are profiled for it and not for us. */
static bool
is_other_run(const char *entry)
{
    if (strncmp(entry, "MPROF_RUN=", 10) != 0)
        return false;
    for (size_t i = 0; i < n_ours; i++)
        if (strcmp(ours[i], entry) == 0)
            return false;
    return true;
}

/* Returns whether ENVIRONMENT is complete. It must preload our library and show that a profiled program or another
 * mprof run starts the program. */
static bool
has_ours(char *const *environment)
{
    bool preloaded = false, told = false;

    for (; environment && *environment; environment++) {
        preloaded |= preloads_us(*environment);
        told |= is_follow(*environment) || is_other_run(*environment);
    }
    return preloaded && told;
}

/* Returns ENVIRONMENT's own LD_PRELOAD if that does not contain our library, or NULL. */
static const char *
other_preload(char *const *environment)
{
    for (; environment && *environment; environment++)
        if (is_preload(*environment) && !preloads_us(*environment))
            return *environment + sizeof preload_is - 1;
    return NULL;
}

/* Writes "LD_PRELOAD=", this library, and OTHER to TO. Returns TO. */
static char *
join(char *to, const char *other)
{
    char *at = stpcpy(stpcpy(to, preload_is), library);

    if (*other)
        *at++ = ':';
    strcpy(at, other);
    return to;
}

static size_t
room_with_us(char *const *environment)
{
    const char *other = other_preload(environment);

    return (count(environment) + n_ours + 1) * sizeof *environment + sizeof preload_is + strlen(library) + 1 +
           (other ? strlen(other) : 0);
}

static char **
add_us(char *const *environment, char **room)
{
    const char *other = other_preload(environment);
    size_t n = 0;

    for (; environment && *environment; environment++)
        if (!is_ours(*environment) && !(is_preload(*environment) && preload < n_ours))
            room[n++] = *environment;
    memcpy(room + n, ours, n_ours * sizeof *ours);
    room[n + n_ours] = NULL;
    if (preload < n_ours)
        room[n + preload] = join((char *)(room + n + n_ours + 1), other ? other : "");
    return room;
}

/* ------------------------------------------------------------------ whether to add them */

/* Returns whether this program is an mprof run that made ENVIRONMENT for the program that it starts. */
static bool
is_of_other_run(char *const *environment)
{
    for (; environment && *environment; environment++)
        if (is_other_run(*environment))
            return true;
    return false;
}

static bool
preloads_sanitizer(char *const *environment)
{
    for (; environment && *environment; environment++)
        if (is_preload(*environment) &&
            mp_sanitizer_in_list(*environment + sizeof preload_is - 1))
            return true;
    return false;
}

static bool
can_load_library(void)
{
    int fd;

    if (library[0] != '/')
        return true;                    /* a name without a directory, which the loader searches */
    fd = open(library, O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

enum mp_reach
mp_environment_reach(char *const *environment)
{
    const int error = errno;
    const enum mp_reach reach = is_of_other_run(environment)      ? MP_REACH_OTHER_RUN
                                : preloads_sanitizer(environment) ? MP_REACH_SANITIZER
                                : !can_load_library()             ? MP_REACH_NO_LIBRARY
                                : !mp_monitor_can_begin()         ? MP_REACH_NO_FILE
                                                                  : MP_REACH_YES;

    errno = error;
    return reach;
}

/* ------------------------------------------------------------------ removing our entries */

static size_t
room_without_us(char *const *environment)
{
    size_t text_size = 0;

    for (char *const *at = environment; at && *at; at++)
        if (preloads_us(*at))
            text_size += strlen(*at) + 1;
    return (count(environment) + 1) * sizeof *environment + text_size;
}

static char **
take_us_out(char *const *environment, char **room)
{
    char *copy = (char *)(room + count(environment) + 1);
    size_t n = 0;

    for (; environment && *environment; environment++) {
        room[n++] = *environment;
        if (preloads_us(*environment)) {
            room[n - 1] = copy;
            copy = stpcpy(copy, *environment) + 1;
        }
    }
    room[n] = NULL;
    strip(room);
    return room;
}

/* Returns whether ENVIRONMENT asks the monitor to profile started programs, too, as mprof run -f does. */
static bool
asks_to_follow(char *const *environment)
{
    for (; environment && *environment; environment++)
        if (is_follow(*environment) && ((*environment)[13] == '1' || (*environment)[13] == '2'))
            return true;
    return false;
}

/* Returns whether the program can get ENVIRONMENT unchanged. If another library's constructor starts the program before
 * our constructor has run, environ still has our entries. */
static bool
fits(char *const *environment, bool followed)
{
    if (!opened)
        return !environment || followed || asks_to_follow(environment);
    return followed ? has_ours(environment) : !follows;
}

size_t
mp_environment_room(char *const *environment, bool followed)
{
    if (fits(environment, followed))
        return 0;
    return followed ? room_with_us(environment) : room_without_us(environment);
}

char *const *
mp_environment_fit(char *const *environment, bool followed, void *room)
{
    if (fits(environment, followed))
        return environment;
    return followed ? add_us(environment, room) : take_us_out(environment, room);
}
