/*
 * picture.h -- what is to be seen of a tally, as rows of text: on a terminal, or in a script's file.
 */
#ifndef MP_PICTURE_H
#define MP_PICTURE_H

#include <stdio.h>

#include "lines.h"
#include "reporter/profile/ending.h"

/* What is said of the process above the lines. */
struct mp_picture_process {
    const char *program;        /* its name */
    uint32_t pid;
    char ending[MP_ENDING_SIZE];        /* how it stands: "still running" */
    uint64_t duration;          /* ns */
    uint64_t peak;              /* bytes, of the whole process */
    bool running;               /* the recording goes on */
    bool estimated;             /* figures are made of samples */
    bool part;                  /* options leave something out */
};

/* Numbers of lines are 0 at the top. */
struct mp_picture_place {
    unsigned width, height;     /* columns and rows of the terminal */
    uint32_t top;               /* the first line that is shown */
    uint32_t chosen;            /* the one that keys are about */
};

enum mp_picture_look { MP_LOOK_PLAIN, MP_LOOK_HEAD, MP_LOOK_COLUMNS, MP_LOOK_CHOSEN, MP_LOOK_SAYING };

struct mp_picture_row {
    const char *text;           /* UTF-8, of at most the width's columns */
    enum mp_picture_look look;
};

struct mp_picture {
    struct mp_picture_row *rows;        /* as many as the terminal has */
    unsigned n;
    struct mp_arena *arena;     /* owns the picture */
};

struct mp_picture_options {
    const struct mp_tally *tally;
    const struct mp_lines *lines;
    const struct mp_lines_options *how;
    const struct mp_picture_process *process;
    const char *settings;       /* "every 1 s, paused"; "" */
    const char *only;           /* the pattern of how->only; "": none */
    const char *saying;         /* the last row: a message, a question, or what keys do */
    const char *ellipsis;
};

/* How many lines find room in HEIGHT rows. */
unsigned mp_picture_room(unsigned height);

struct mp_picture *mp_picture_draw(const struct mp_picture_options *options,
                                   const struct mp_picture_place *place);

/* Any text instead of lines, from row TOP of it on: WORDS end with NULL. */
struct mp_picture *mp_picture_text(const char *const words[], const char *saying,
                                   const struct mp_picture_place *place);
void mp_picture_free(struct mp_picture *picture);       /* NULL is allowed */

/* Print all, with at most MOST lines, each in full: whole numbers without units, and both rates and
 * totals. */
void mp_picture_print(const struct mp_picture_options *options, uint32_t most, FILE *out);

#endif
