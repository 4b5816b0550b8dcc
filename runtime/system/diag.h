/* SPDX-License-Identifier: MIT */
/* diag.h -- prints the monitor's messages, each a line on stderr. */
#ifndef MP_DIAG_H
#define MP_DIAG_H

#include "runtime/compiler.h"

/* Remembers which file descriptor 2 refers to. Called once, before the program's own code runs. If the descriptor
 * later refers to another file, the program uses it for something else, and no messages are printed. */
void mp_diag_open(void);

/* Prints the line "mprof: WHAT: strerror(ERROR): CONSEQUENCE". Omits the error if ERROR is 0, and CONSEQUENCE if
 * that is NULL. Does not call malloc or stdio, and does not change errno. */
void mp_diag(const char *what, int error, const char *consequence);

/* Does what mp_diag() does, but prints REASON in place of strerror(ERROR) unless REASON is NULL. */
void mp_diag_why(const char *what, int error, const char *reason, const char *consequence);

/* While nonzero, the thread prints no messages, because its caller receives an error code and reports it. */
extern MP_TLS int mp_diag_quiet;

#endif
