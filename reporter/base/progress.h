/*
 * progress.h -- a line on stderr while something takes more than a second, if that is a terminal.
 *
 *     mp_progress_begin("reading x.zst");
 *     ... mp_progress(done, all); ...             // again and again, from wherever it is done
 *     mp_progress_end();                          // the line goes away
 *
 * Only a command wants it: what is linked into other programs never prints.
 */
#ifndef MP_PROGRESS_H
#define MP_PROGRESS_H

#include <stdint.h>

/* From now on there is to be such a line. */
void mp_progress_want(void);

/* WHAT must stay until the end.  What begins within it, until it ends, says nothing. */
void mp_progress_begin(const char *what);
void mp_progress(uint64_t done, uint64_t all);
void mp_progress_end(void);

#endif
