#include <string.h>

#include "reporter/command/http_commands.h"
#include "reporter/command/option_table.h"
#include "reporter/command/command_main.h"

static const struct mp_command *const commands[] = {&mp_http_serve, &mp_http_push};

/* Runs COMMAND [ARGUMENT...]. mprof executes this program for COMMAND. */
static int
run(int argc, char **argv, struct mp_error *error)
{
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
        if (strcmp(argv[1], commands[i]->name) == 0)
            return commands[i]->run(argc - 1, argv + 1, error);
    mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, MP_HTTP_PROGRAM " is called by mprof only");
    return MP_EXIT_USAGE;
}

int
main(int argc, char **argv)
{
    return mp_program(argc, argv, run);
}
