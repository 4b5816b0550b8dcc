/* Fuzzes the command line of the commands that read a data file. The first byte of an input selects the command; the
 * rest is arguments, each terminated by a NUL. */
#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reporter/command/command.h"

#define MOST_ARGUMENTS 30

/* Discards the output, and changes to a directory without mprof.data. */
static void
go_where_nothing_is(void)
{
    static bool done;

    if (done)
        return;
    done = true;
    if (!freopen("/dev/null", "w", stdout) || chdir("/proc/self/task") != 0)
        abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct mp_command *const commands[] = {&mp_cmd_report, &mp_cmd_export, &mp_cmd_totals};
    char *argv[MOST_ARGUMENTS + 2], first[] = "mprof", *copy;
    struct mp_error error = {.offset = MP_NO_OFFSET};
    int argc = 1, status;

    if (size < 2)
        return 0;
    go_where_nothing_is();
    copy = (char *)fuzz_copy(data, size);
    copy[size - 1] = '\0';
    argv[0] = first;
    for (size_t i = 1; i < size && argc <= MOST_ARGUMENTS; i += strlen(copy + i) + 1)
        argv[argc++] = copy + i;
    argv[argc] = NULL;
    if (data[0] % 4 < 3)
        status = commands[data[0] % 4]->run(argc, argv, &error);
    else
        status = mp_report_1988(argc, argv, &error);
    if (status != 0 && error.code == MP_ERR_NONE)
        abort();
    if (error.code != MP_ERR_NONE && strnlen(error.text, sizeof error.text) == sizeof error.text)
        abort();
    free(copy);
    return 0;
}
/* SPDX-License-Identifier: MIT */
