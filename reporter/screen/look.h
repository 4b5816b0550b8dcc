/*
 * look.h -- looks at a recording: each reads its data file anew, and adds its figures to a tally.
 *
 * The process is not asked and does not notice.  Names that were found once are known (symbols.h), so a
 * look costs about as much as reading the file: 60 ms for 300,000 contexts.
 */
#ifndef MP_LOOK_H
#define MP_LOOK_H

#include <sys/stat.h>

#include "picture.h"
#include "reporter/base/error.h"
#include "reporter/profile/filter.h"
#include "reporter/profile/view.h"

struct mp_look_options {
    struct mp_view_options view;
    struct mp_filters *filters;         /* not owned */
    const char *executable;             /* NULL, or the program's file if not at its recorded path */
};

struct mp_looks {
    const struct mp_look_options *options;
    struct mp_tally *tally;             /* of the present recording */
    struct mp_picture_process process;
    char *path;                         /* of the data file */
    const char *notice;                 /* what was new at the last look, for people; NULL: nothing */

    /* What belongs to the present recording: */
    uint32_t pid;
    uint64_t start_ticks;               /* of the process, if it is here; 0: not known */
    uint64_t start_realtime;
    struct stat file;                   /* as it was when it was read */
    struct mp_arena *arena;             /* has the program's name */
};

/* Begin with the data file TARGET, or with that of the process TARGET, if that is a number; and look
 * once.  Progress of names goes to stderr if that is a terminal. */
bool mp_looks_begin(struct mp_looks *looks, const char *target, const struct mp_look_options *options,
                    struct mp_error *error);

/* Look again.  If the process has begun another recording, that is the present one from now on, with a
 * tally of its own.  A file that cannot be read any more is no error: it is a recording that has ended. */
void mp_looks_again(struct mp_looks *looks);
void mp_looks_end(struct mp_looks *looks);

#endif
