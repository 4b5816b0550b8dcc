/*
 * progress.h -- a line on stderr while something takes more than a second, if that is a terminal.
 *
 *     mp_progress_begin("reading x.zst");
 *     ... mp_progress(done, all); ...             // again and again, from wherever it is done
 *     mp_progress_end();                          // the line goes away
 *
 * Only a command wants it: what is linked into other programs never prints.
 * Nor does a command that is to be quiet: that is said here, too, for all that confirms what was done.
 */
#ifndef MP_PROGRESS_H
#define MP_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* From now on there is to be such a line. */
void mp_progress_want(void);

/* From now on, nothing but results and errors is to be printed: no such line, and no confirmation. */
void mp_quiet_want(void);
bool mp_quiet(void);

/* WHAT must stay until the end.  What begins within it, until it ends, says nothing. */
void mp_progress_begin(const char *what);
void mp_progress(uint64_t done, uint64_t all);
void mp_progress_end(void);

#endif
