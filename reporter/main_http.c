/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "reporter/command/http_commands.h"
#include "reporter/command/option_table.h"
#include "reporter/command/command_main.h"

/* Runs COMMAND [ARGUMENT...]. mprof executes this program for COMMAND. */
static int
run(int argc, char **argv, struct mp_error *error)
{
    if (argc > 1 && strcmp(argv[1], mp_http_serve.name) == 0)
        return mp_http_serve.run(argc - 1, argv + 1, error);
    mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, MP_HTTP_PROGRAM " is called by mprof only");
    return MP_EXIT_USAGE;
}

int
main(int argc, char **argv)
{
    return mp_program(argc, argv, run);
}
