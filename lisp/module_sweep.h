/* module_sweep.h -- temporary data files of processes that were killed. */
#ifndef MP_LISP_MODULE_SWEEP_H
#define MP_LISP_MODULE_SWEEP_H

#include <stdint.h>

/* Begin of a temporary file's name: process id (long), and where that id means something (unsigned). */
#define MP_TEMPORARY "mprof-%ld-%08x-"

/* A number for this machine and this name space of process ids. */
unsigned mp_module_place(void);

/* Once in a process: remove the temporary data files in FOLDER that dead processes of this user and
 * place have left.  Whatever else is there, or cannot be looked at, stays. */
void mp_module_sweep(const char *folder);

#endif
