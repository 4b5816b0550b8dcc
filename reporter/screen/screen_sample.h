/* SPDX-License-Identifier: MIT */
/*
 * screen_sample.h -- samples of a recording. Each sample reads the data file again and adds its figures to a tally.
 *
 * The process receives no request. Names are kept after they were found once (symbols.h), so a sample costs about as
 * much as reading the file: 60 ms for 300,000 contexts.
 */
#ifndef MP_SCREEN_LOOK_H
#define MP_SCREEN_LOOK_H

#include <sys/stat.h>

#include "picture.h"
#include "reporter/base/error.h"
#include "reporter/view/filter.h"
#include "reporter/view/view.h"

struct mp_look_options {
    struct mp_view_options view;
    struct mp_filters *filters;         /* filters of the view, owned by the caller */
};

struct mp_looks {
    const struct mp_look_options *options;
    struct mp_tally *tally;             /* figures of the current recording */
    struct mp_picture_process process;
    char *path;                         /* path of the data file */
    const char *notice;                 /* message about a change at the last sample, or NULL */

    /* Identity of the current recording. */
    uint32_t pid;
    uint64_t start_ticks;               /* start time of the process on this machine; 0 if unknown */
    uint64_t start_realtime;
    struct stat file;                   /* status of the file when it was read */
    struct mp_arena *arena;             /* memory of the program's name */
};

/* Begins with the data file TARGET, or with that of the process TARGET if it is a number, and takes the first sample.
 * Prints the progress of finding names to stderr if that is a terminal. On failure returns false and fills *ERROR. */
bool mp_looks_begin(struct mp_looks *looks, const char *target, const struct mp_look_options *options,
                    struct mp_error *error);

/* Takes another sample. If the process has begun another recording, switches to it and starts a new tally. A file
 * that can no longer be read is not an error; its recording is shown as ended. */
void mp_looks_again(struct mp_looks *looks);
void mp_looks_end(struct mp_looks *looks);

#endif
