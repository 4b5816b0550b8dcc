/* SPDX-License-Identifier: MIT */
/*
 * picture.h -- formats a tally as rows of text, for a terminal or a file.
 */
#ifndef MP_PICTURE_H
#define MP_PICTURE_H

#include <stdio.h>

#include "lines.h"
#include "reporter/profile/ending.h"

/* Description of the process above the lines. */
struct mp_picture_process {
    const char *program;        /* name of the program */
    uint32_t pid;
    char ending[MP_ENDING_SIZE];        /* state of the process, for example "still running" */
    uint64_t duration;          /* duration, ns */
    uint64_t peak;              /* peak of the whole process, bytes */
    bool running;               /* the recording has not ended */
    bool estimated;             /* figures are estimated from samples */
    bool part;                  /* options exclude a part of the recording */
};

/* Position on the screen. Line 0 is the first line of the list. */
struct mp_picture_place {
    unsigned width, height;     /* columns and rows of the terminal */
    uint32_t top;               /* first line that is shown */
    uint32_t chosen;            /* selected line */
};

enum mp_picture_look { MP_LOOK_PLAIN, MP_LOOK_HEAD, MP_LOOK_COLUMNS, MP_LOOK_CHOSEN, MP_LOOK_SAYING };

struct mp_picture_row {
    const char *text;           /* UTF-8, not wider than the screen */
    enum mp_picture_look look;
};

struct mp_picture {
    struct mp_picture_row *rows;        /* rows of the screen */
    unsigned n;
    struct mp_arena *arena;     /* memory of the picture */
};

struct mp_picture_options {
    const struct mp_tally *tally;
    const struct mp_screen_lines *lines;
    const struct mp_lines_options *how;
    const struct mp_picture_process *process;
    const char *settings;       /* for example "every 1 s, paused"; may be "" */
    const char *only;           /* text of the pattern in how->only, or "" */
    const char *saying;         /* last row: a message, a question, or a summary of the keys */
    const char *ellipsis;
};

/* Returns the number of lines that fit into HEIGHT rows. */
unsigned mp_picture_room(unsigned height);

struct mp_picture *mp_picture_draw(const struct mp_picture_options *options,
                                   const struct mp_picture_place *place);

/* Draws the rows of text WORDS, beginning with row PLACE->top, instead of lines. WORDS ends with NULL. */
struct mp_picture *mp_picture_text(const char *const words[], const char *saying,
                                   const struct mp_picture_place *place);
void mp_picture_free(struct mp_picture *picture);       /* NULL is allowed */

/* Prints at most MOST lines to OUT in full: integers without units, and both rates and totals. */
void mp_picture_print(const struct mp_picture_options *options, uint32_t most, FILE *out);

#endif
