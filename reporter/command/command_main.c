/* SPDX-License-Identifier: MIT */
#include "command_main.h"

#include <fcntl.h>
#include <locale.h>
#include <unistd.h>

#include "option_table.h"
#include "reporter/base/progress.h"
#include "reporter/base/term.h"

/* Opens standard streams that are closed, so that no file of mprof gets their numbers and then messages meant for
 * stderr. Reading and writing them still fails, and a program that mprof starts finds them closed. */
static void
reserve_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

int
mp_program(int argc, char **argv, int (*commands)(int argc, char **argv, struct mp_error *error))
{
    struct mp_error error = {.code = MP_ERR_NONE, .offset = MP_NO_OFFSET};
    struct mp_pager none = {0};
    int status;

    reserve_streams();
    setlocale(LC_ALL, "");
    setlocale(LC_NUMERIC, "C");
    mp_progress_want();
    status = commands(argc, argv, &error);
    if (error.code == MP_ERR_NONE && !mp_pager_finish(&none, &error))
        status = status == 0 ? MP_EXIT_ERROR : status;
    if (error.code != MP_ERR_NONE)
        mp_error_print(&error);
    return status;
}
