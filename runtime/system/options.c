/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "fault.h"
#include "runtime/compiler.h"
#include "runtime/decimal.h"
#include "runtime/format.h"
#include "runtime/heap_every.h"
#include "runtime/signal_name.h"
#include "runtime/template.h"
#include "sys.h"

#define DEEP 256u               /* default of mp_options.deep */

/* All zero at first, so that it takes no pages of the library's file. */
struct mp_options mp_options;

/* Working directory in which the program was started. Files of its forked children are created there, even if
 * they change directory. */
static MP_LARGE char start_directory[MP_PATH_SIZE];

/* Parses a decimal number. Returns DEFAULT_VALUE for anything else. */
static uint32_t
number(const char *text, uint32_t default_value)
{
    uint64_t value = 0;

    if (!*text)
        return default_value;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || value > UINT32_MAX)
            return default_value;
        value = value * 10 + (uint64_t)(*text - '0');
    }
    return value > UINT32_MAX ? default_value : (uint32_t)value;
}

/* Parses bytes, with K or M for units of 1024 or 1024^2. Returns 0 for anything else or more than MP_MAX_SAMPLE. */
static uint32_t
bytes(char *text)
{
    size_t length = strlen(text);
    uint64_t unit = 1, n;

    if (length > 0 && (text[length - 1] == 'K' || text[length - 1] == 'k'))
        unit = 1024;
    else if (length > 0 && (text[length - 1] == 'M' || text[length - 1] == 'm'))
        unit = 1024 * 1024;
    if (unit > 1)
        text[length - 1] = '\0';
    n = unit * number(text, 0);
    return n <= MP_MAX_SAMPLE ? (uint32_t)n : 0;
}

/* Copies FROM to TO, which has ROOM bytes, if there is space for it. */
static void
copy_to(char *to, size_t room, const char *from)
{
    size_t length = strlen(from);

    if (length < room)
        memcpy(to, from, length + 1);
}

static void
copy(char *to, const char *from)
{
    if (*from)
        copy_to(to, MP_PATH_SIZE, from);
}

bool
mp_options_want(const char *name)
{
    const char *at = mp_options.only;
    size_t length;

    if (*at == '\0')
        return !mp_options.foreign;
    for (; *at; at += length + (at[length] == ',')) {
        length = strcspn(at, ",");
        if (strlen(name) == length && memcmp(at, name, length) == 0)
            return true;
    }
    return false;
}

static void
set_unwinder(const char *value)
{
    if (strcmp(value, "libunwind") == 0)
        mp_options.unwinder = MP_UNWIND_LIBUNWIND;
    else if (strcmp(value, "fp") == 0)
        mp_options.unwinder = MP_UNWIND_FP;
    else if (strcmp(value, "rules") == 0)
        mp_options.unwinder = MP_UNWIND_RULES;
}

/* MPROF_FOLLOW is 1 for the first program of mprof run -f, and 3 for that of mprof run without -f. The first program
 * changes 1 to 2 for programs that it starts, and 3 to 4.PID for programs that its process PID executes. A process with
 * another PID that gets 4.PID is not recorded: it was started by a program that PID has executed and into which the
 * library was not loaded. */
static void
set_follow(const char *value)
{
    mp_options.follow = *value == '1' || *value == '2'   ? MP_FOLLOW_ALL
                        : *value == '3' || *value == '4' ? MP_FOLLOW_EXEC
                                                         : MP_FOLLOW_NONE;
    mp_options.started = *value == '2' || *value == '4';
    mp_options.foreign = strncmp(value, "4.", 2) == 0 && number(value + 2, 0) != mp_options.pid;
    if (mp_options.foreign)
        mp_options.follow = MP_FOLLOW_NONE;
}

/* Parses a hexadecimal number of at most 16 digits, and the dot after it, if any. Moves *TEXT behind the number and the
 * dot. Returns false if *TEXT does not begin with such a number. */
static bool
take_number(const char **text, uint64_t *value)
{
    const char *at = *text;

    *value = mp_take_hex(&at);
    if (at == *text || at - *text > 16 || (*at != '.' && *at != '\0'))
        return false;
    *text = at + (*at == '.');
    return true;
}

/* MPROF_RUN=ID.ID.PID.TICKS.MOUNT.MOUNT..., hexadecimal: identifies the mprof run that started the program. */
static void
set_run(const char *value)
{
    uint64_t number[4 + MP_CODE_MOUNTS];

    for (unsigned i = 0; i < sizeof number / sizeof *number; i++)
        if (!take_number(&value, &number[i]))
            return;
    mp_options.run_id[0] = number[0];
    mp_options.run_id[1] = number[1];
    mp_options.run_pid = (uint32_t)number[2];
    mp_options.run_start_ticks = number[3];
    for (unsigned i = 0; i < MP_CODE_MOUNTS; i++)
        mp_options.code_mounts[i] = (uint32_t)number[4 + i];
}

/* MPROF_RUNNER=DESCRIPTOR.INODE, hexadecimal. */
static void
set_runner(const char *value)
{
    uint64_t descriptor;

    if (take_number(&value, &descriptor) && descriptor <= INT32_MAX && take_number(&value, &mp_options.runner_inode))
        mp_options.runner = (uint32_t)descriptor;
}

static void
set_heap_every(const char *value)
{
    if (!mp_heap_every(value, &mp_options.heap_every))
        mp_options.heap_every = 0;
}

#define CALL_GRAPH_OFF_DEPTH 5  /* the legacy mprof-: the last five callers */

static void
set(const char *name, char *value)
{
    if (strcmp(name, "FILE") == 0)
        copy(mp_options.file, value);
    else if (strcmp(name, "DEPTH") == 0)
        mp_options.asked_depth = number(value, 0);
    else if (strcmp(name, "CALL_GRAPH") == 0 && strcmp(value, "0") == 0)
        mp_options.asked_depth = CALL_GRAPH_OFF_DEPTH;
    else if (strcmp(name, "FOLD_RECURSION") == 0)
        mp_options.asked_fold = strcmp(value, "1") == 0;
    else if (strcmp(name, "SAMPLE") == 0)
        mp_options.asked_sample = bytes(value);
    else if (strcmp(name, "SAMPLE_SEED") == 0)
        mp_options.sample_seed = number(value, 0);
    else if (strcmp(name, "LIFETIMES") == 0)
        mp_options.lifetimes = strcmp(value, "1") == 0;
    else if (strcmp(name, "SENTINEL") == 0)
        mp_options.sentinel = strcmp(value, "1") == 0;
    else if (strcmp(name, "RECORD") == 0)
        mp_options.record = strcmp(value, "1") == 0;
    else if (strcmp(name, "HELD") == 0)
        mp_options.held = strcmp(value, "1") == 0;
    else if (strcmp(name, "UNWINDER") == 0)
        set_unwinder(value);
    else if (strcmp(name, "FOLLOW") == 0)
        set_follow(value);
    else if (strcmp(name, "ONLY") == 0)
        copy_to(mp_options.only, MP_ONLY_SIZE, value);
    else if (strcmp(name, "STOPPED") == 0)
        mp_options.stopped = strcmp(value, "1") == 0;
    else if (strcmp(name, "LEAKS") == 0)
        mp_options.leaks = strcmp(value, "1") == 0;
    else if (strcmp(name, "RUN") == 0)
        set_run(value);
    else if (strcmp(name, "RUNNER") == 0)
        set_runner(value);
    else if (strcmp(name, "FILTERS") == 0)
        mp_options.filters = number(value, UINT32_MAX);
    else if (strcmp(name, "SIGNAL") == 0)
        mp_options.signal = (uint32_t)mp_signal_number(value);
    else if (strcmp(name, "HEAP_SIGNAL") == 0)
        mp_options.heap_signal = (uint32_t)mp_signal_number(value);
    else if (strcmp(name, "HEAP_EVERY") == 0)
        set_heap_every(value);
    else if (strcmp(name, "HEAP_STRINGS") == 0)
        mp_options.heap_strings = strcmp(value, "1") == 0;
    else if (strcmp(name, "LOG") == 0)
        copy(mp_options.log, value);
    else if (strcmp(name, "LOG_MIN") == 0)
        mp_options.log_min = bytes(value);
    else if (strcmp(name, "SUMMARY") == 0)
        copy(mp_options.summary, strcmp(value, "0") == 0 ? "" : value);
    else if (strcmp(name, "LABELS") == 0)
        copy_to(mp_options.labels, MP_LABELS_SIZE, value);
    else if (strcmp(name, "ARGUMENTS") == 0)
        mp_options.no_arguments = strcmp(value, "0") == 0;
    else if (strcmp(name, "FAULT") == 0)
        mp_fault_set(value);
    else if (strcmp(name, "DEEP") == 0)
        mp_options.deep = number(value, DEEP);
    else if (strcmp(name, "CHECK") == 0)
        mp_options.check = number(value, 0);
    else if (strcmp(name, "CHECK_FILE") == 0)
        copy(mp_options.check_file, value);
}

/* Applies ENTRY, "MPROF_NAME=value" of the environment. Cuts it after its name. */
static void
take(char *entry)
{
    char *equals = strchr(entry, '=');

    if (!equals)
        return;
    *equals = '\0';
    set(entry + 6, equals + 1);
}

/* Initial stack pointer, which points to the number of arguments. Defined by the loader. */
extern const void *__libc_stack_end;

/* While the loader makes the first allocations, libc's environ is NULL; then finds the environment on the stack. Copies
 * each entry, because take() writes into it. */
static void
read_environment(void)
{
    static MP_LARGE char copy_of_entry[MP_PATH_SIZE + 64];  /* used once, before there is a second thread */
    char **entry = environ;

    if (!entry && __libc_stack_end)
        entry = (char **)__libc_stack_end + *(const size_t *)__libc_stack_end + 2;
    for (; entry && *entry; entry++)
        if (strncmp(*entry, "MPROF_", 6) == 0 && strlen(*entry) < sizeof copy_of_entry) {
            strcpy(copy_of_entry, *entry);
            take(copy_of_entry);
        }
}

void
mp_options_read(void)
{
    static bool done;

    if (done)
        return;
    done = true;
    memcpy(mp_options.file, MP_DEFAULT_FILE, sizeof MP_DEFAULT_FILE);
    mp_options.filters = UINT32_MAX;
    mp_options.deep = DEEP;
#ifndef MP_HAVE_RULES
    mp_options.unwinder = MP_UNWIND_LIBUNWIND;
#endif
    mp_options.pid = (uint32_t)mp_sys_getpid();
    if (!getauxval(AT_SECURE))
        read_environment();
    mp_options.before_realloc = mp_options.lifetimes || mp_options.sentinel;
}

void
mp_options_directory(void)
{
    if (mp_options.file[0] != '/' &&
        (mp_sys_getcwd(start_directory, MP_PATH_SIZE) < 0 || start_directory[0] != '/'))
        start_directory[0] = '\0';
}

/* Writes the directory of a relative TEMPLATE, with a slash, to PATH. Returns the number of bytes, or 0 if the
 * directory is unknown. */
static size_t
put_directory(const char *template, char *path)
{
    long n;                     /* length including the NUL, as the kernel counts it */

    if (template == mp_options.file && start_directory[0])
        n = (long)strlen(strcpy(path, start_directory)) + 1;
    else
        n = mp_sys_getcwd(path, MP_PATH_SIZE);
    if (n <= 1 || path[0] != '/')
        return 0;
    if (n > 2)
        path[n++ - 1] = '/';
    return (size_t)n - 1;
}

int
mp_options_expand(const char *template, uint32_t pid, const char *program, char *path)
{
    size_t used = template[0] == '/' ? 0 : put_directory(template, path);

    if (used >= MP_PATH_SIZE) {
        path[0] = '\0';
        return -ENAMETOOLONG;
    }
    return mp_template_expand(template, pid, program, path + used, MP_PATH_SIZE - used);
}
