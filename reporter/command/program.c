#include "program.h"

#include <locale.h>

#include "options.h"
#include "reporter/base/progress.h"
#include "reporter/base/term.h"

int
mp_program(int argc, char **argv, int (*commands)(int argc, char **argv, struct mp_error *error))
{
    struct mp_error error = {.code = MP_ERR_NONE, .offset = MP_NO_OFFSET};
    struct mp_pager none = {0};
    int status;

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
