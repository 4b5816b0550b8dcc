/* SPDX-License-Identifier: MIT */
/* command_main.h -- the common main function of mprof and mprof-http. */
#ifndef MP_COMMAND_PROGRAM_H
#define MP_COMMAND_PROGRAM_H

#include "reporter/base/error.h"

/* Runs COMMANDS in the user's locale, but with the C locale's numbers. Waits for the pager and prints the error, if
 * any. Returns the exit status. */
int mp_program(int argc, char **argv, int (*commands)(int argc, char **argv, struct mp_error *error));

#endif
