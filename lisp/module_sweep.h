/* module_sweep.h -- removes temporary data files of killed processes. */
#ifndef MP_LISP_MODULE_SWEEP_H
#define MP_LISP_MODULE_SWEEP_H

#include <stdint.h>

/* Beginning of a temporary file's name: process id (long), and mp_module_place() (unsigned). */
#define MP_TEMPORARY "mprof-%ld-%08x-"

/* Returns a hash of this machine and its process id name space, in which process ids are unique. */
unsigned mp_module_place(void);

/* Removes the temporary data files in FOLDER that dead processes of this user and place have left. Only the first
 * call in a process has an effect. Other files, and files that cannot be examined, are kept. */
void mp_module_sweep(const char *folder);

#endif
