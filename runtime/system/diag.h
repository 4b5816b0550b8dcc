/* diag.h -- prints the monitor's messages, each a line on stderr. */
#ifndef MP_DIAG_H
#define MP_DIAG_H

#include "runtime/compiler.h"

/* Notes which file standard error is. Called once, before the program's own code runs. If descriptor 2 later
 * refers to another file, the program uses it for something else, and no messages are printed. */
void mp_diag_open(void);

/* Prints "mprof: WHAT: strerror(ERROR): CONSEQUENCE" without the parts that are NULL or 0. Does not call malloc
 * or stdio, and does not change errno. */
void mp_diag(const char *what, int error, const char *consequence);

/* Like mp_diag(), with REASON in place of strerror(ERROR) unless it is NULL. */
void mp_diag_why(const char *what, int error, const char *reason, const char *consequence);

/* While nonzero, the thread prints no messages, because its caller receives an error code and reports it. */
extern MP_TLS int mp_diag_quiet;

#endif
