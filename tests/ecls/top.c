/* top.c -- does what ecl does, for ECLs that are linked in other ways. */
#include <ecl/ecl.h>

int
main(int argc, char **argv)
{
    cl_boot(argc, argv);
    ECL_CATCH_ALL_BEGIN(ecl_process_env())
    {
        cl_eval(ecl_read_from_cstring("(ext:process-command-args)"));
    }
    ECL_CATCH_ALL_END;
    si_exit(0);
}
/* SPDX-License-Identifier: MIT */
