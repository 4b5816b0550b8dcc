/* SPDX-License-Identifier: MIT */
/*
 * term.h -- properties of stdout (width, colour, encoding) and its pager.
 */
#ifndef MP_TERM_H
#define MP_TERM_H

#include <stdbool.h>
#include <sys/types.h>

#include "error.h"

enum mp_color_when { MP_COLOR_AUTO, MP_COLOR_ALWAYS, MP_COLOR_NEVER };

/* Returns whether to colour stdout. MP_COLOR_AUTO means only on a terminal, unless NO_COLOR is set or TERM is
 * dumb. */
bool mp_term_color(enum mp_color_when when);

/* Returns the number of columns of the terminal at stdout, or the value of the environment variable COLUMNS if that is
 * set. Returns 0 if stdout is no terminal. */
unsigned mp_term_width(void);

/* Returns whether the locale's encoding is UTF-8. */
bool mp_term_utf8(void);

/* Returns the ellipsis, in the locale's encoding. */
const char *mp_term_ellipsis(void);

/* Returns whether stdout is a pipe without a reader, as after head(1) or when the user left a pager. Output lost
 * for this reason is no error. */
bool mp_term_reader_gone(void);

struct mp_pager {
    pid_t pid;                  /* process id, or 0 if there is no pager */
    int terminal;               /* duplicate of the original stdout */
    bool failed;                /* it could not be executed and has shown nothing */
};

/* Flushes stdout, waits for the pager to end, and restores stdout. If PAGER->failed, the caller must write
 * everything again. Returns false and fills *ERROR if output was lost, except to a closed pipe. */
bool mp_pager_finish(struct mp_pager *pager, struct mp_error *error);

/* Calls WRITE with DATA to write to stdout, through a pager if WANTED. Calls it again if the pager could not be
 * executed. A reader that closes the pipe early is no error. Returns false and fills *ERROR if WRITE failed or
 * output was lost. */
bool mp_pager_show(bool (*write)(const void *data, struct mp_error *error), const void *data, bool wanted,
                   struct mp_error *error);

#endif
