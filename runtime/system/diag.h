/* diag.h -- one line on stderr: all that the monitor ever says. */
#ifndef MP_DIAG_H
#define MP_DIAG_H

#include "runtime/compiler.h"

/* Once, before the program's own code runs: what its standard error output is.  Nothing is said when
 * number 2 is another file: the program uses it for its own purposes then. */
void mp_diag_open(void);

/* "mprof: WHAT: strerror(ERROR): CONSEQUENCE"; parts that are NULL or 0 are left out.  No malloc,
 * no stdio, errno untouched. */
void mp_diag(const char *what, int error, const char *consequence);

/* The same with a REASON instead of strerror(ERROR), unless it is NULL. */
void mp_diag_why(const char *what, int error, const char *reason, const char *consequence);

/* While this is not 0 in a thread, nothing is said: its caller gets an error code, and tells. */
extern MP_TLS int mp_diag_quiet;

#endif
