/* SPDX-License-Identifier: MIT */
/*
 * mprof serve: executes mprof-http, which has this command.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "http_commands.h"
#include "option_table.h"
#include "reporter/run/installed.h"

static int
become_http(int argc, char **argv, struct mp_error *error)
{
    char *path = mp_installed_find(".", MP_LIBEXECDIR, MP_HTTP_PROGRAM);
    char **arguments = path ? malloc(((size_t)argc + 2) * sizeof *arguments) : NULL;

    if (!path) {
        mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET,
                MP_HTTP_PROGRAM " is neither beside this mprof nor in %s; Debian's package mprof-http has it",
                MP_LIBEXECDIR);
        return MP_EXIT_ERROR;
    }
    if (arguments) {
        arguments[0] = path;
        memcpy(arguments + 1, argv, ((size_t)argc + 1) * sizeof *arguments);
        execv(path, arguments);
    }
    mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "%s: %s", path, strerror(errno));
    free(arguments);
    free(path);
    return MP_EXIT_ERROR;
}

const struct mp_command mp_cmd_serve = {
    "serve", MP_SERVE_SUMMARY, become_http, .argument.value = MP_SERVE_ARGUMENTS};
