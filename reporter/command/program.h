/* program.h -- what the main of each of the programs does. */
#ifndef MP_PROGRAM_H
#define MP_PROGRAM_H

#include "reporter/base/error.h"

/* Run COMMANDS in the user's locale, but with numbers as they are written everywhere, wait for the pager, and
 * print the error, if there is one.  The exit status. */
int mp_program(int argc, char **argv, int (*commands)(int argc, char **argv, struct mp_error *error));

#endif
