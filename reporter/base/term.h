/*
 * term.h -- what stdout is: its width, whether it takes colours, and the pager before it.
 */
#ifndef MP_TERM_H
#define MP_TERM_H

#include <stdbool.h>
#include <sys/types.h>

#include "error.h"

enum mp_color_when { MP_COLOR_AUTO, MP_COLOR_ALWAYS, MP_COLOR_NEVER };

/* "auto", "always" or "never"; false: something else. */
bool mp_term_color_named(const char *name, enum mp_color_when *when);

/* Whether to colour stdout: when asked to, or on a terminal without NO_COLOR and TERM=dumb. */
bool mp_term_color(enum mp_color_when when);

/* Columns of the terminal that stdout is, COLUMNS of the environment before what it says itself; 0: it
 * is none. */
unsigned mp_term_width(void);

/* Whether the locale's encoding is UTF-8. */
bool mp_term_utf8(void);

/* What stands for what is left out, in the encoding of the locale. */
const char *mp_term_ellipsis(void);

/* Whether stdout is a pipe that nobody reads any more, as after head(1) or a pager that was left:
 * that output is lost then is no error. */
bool mp_term_reader_gone(void);

struct mp_pager {
    pid_t pid;                  /* 0: none */
    int terminal;               /* what stdout was before */
    bool failed;                /* it could not be run, and has shown nothing */
};

/* If stdout is a terminal, put a pager before it: $MPROF_PAGER, $PAGER or less.  Ask for width and
 * colour first.  A pager that cannot be started is no error: output goes to the terminal. */
void mp_pager_start(struct mp_pager *pager);

/* Flush stdout, end the pager, wait for it, and give stdout back to the terminal.  If the pager
 * FAILED, the caller is to write all again.  False: output was lost (never because the reader closed
 * the pipe, as head does). */
bool mp_pager_finish(struct mp_pager *pager, struct mp_error *error);

/* Have WRITE write to stdout, with DATA, through a pager if that is WANTED; again if the pager could not be run.
 * That nobody reads it to its end is no error.  False and *ERROR as WRITE says, or: output was lost. */
bool mp_pager_show(bool (*write)(const void *data, struct mp_error *error), const void *data, bool wanted,
                   struct mp_error *error);

#endif
