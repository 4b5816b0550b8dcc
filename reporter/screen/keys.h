/*
 * keys.h -- what keys do: which lines are shown, in which order, which one is chosen.
 *
 * No terminal is needed here: a key is a number, and what it does is a change of struct mp_controls, or
 * something for the caller to do.
 */
#ifndef MP_KEYS_H
#define MP_KEYS_H

#include "picture.h"

/* Characters are themselves. */
enum mp_key {
    MP_KEY_NONE = 0x200000, MP_KEY_GONE,        /* nobody is there who could press one */
    MP_KEY_RESIZED, MP_KEY_UP, MP_KEY_DOWN, MP_KEY_LEFT, MP_KEY_RIGHT, MP_KEY_PAGE_UP,
    MP_KEY_PAGE_DOWN, MP_KEY_HOME, MP_KEY_END, MP_KEY_ENTER, MP_KEY_ESCAPE, MP_KEY_BACKSPACE
};

enum mp_do {
    MP_DO_NOTHING,              /* but draw */
    MP_DO_LINES,                /* make the lines anew */
    MP_DO_LOOK,                 /* look now */
    MP_DO_SNAPSHOT,
    MP_DO_CHECKPOINT,           /* its name is `answer` */
    MP_DO_QUIT
};

enum mp_asked { MP_ASKED_NOTHING, MP_ASKED_ONLY, MP_ASKED_SEARCH, MP_ASKED_INTERVAL, MP_ASKED_CHECKPOINT };
#define MP_ANSWER_SIZE 160

struct mp_controls {
    struct mp_lines_options how;
    struct mp_picture_place place;
    double interval;            /* seconds between looks */
    bool paused, help;
    uint32_t item;              /* that keys are about, wherever it stands; MP_NO_ID: the first line */
    bool *open;                 /* by item of the tree; malloc()ed */
    uint32_t n_open;
    struct mp_pattern pattern;            /* of `only`, unless that is empty */
    char only[MP_ANSWER_SIZE], sought[MP_ANSWER_SIZE];
    enum mp_asked asked;        /* what the keys answer now */
    char answer[MP_ANSWER_SIZE];
    char saying[256];           /* until the next key; "": nothing */
};

#define MP_LEAST_INTERVAL 0.1
#define MP_MOST_INTERVAL  86400.0

#define MP_CONTROLS_DEFAULT {.interval = 1, .item = MP_NO_ID, .place = {.width = 80, .height = 24}}
void mp_controls_end(struct mp_controls *controls);

/* The recording is another one now: items have other numbers. */
void mp_controls_forget(struct mp_controls *controls);

/* What the lines of TALLY depend on; before they are made. */
const struct mp_lines_options *mp_controls_how(struct mp_controls *controls,
                                               const struct mp_tally *tally);

/* LINES are new, or the terminal has another size: find the chosen item, and have it on the screen. */
void mp_controls_settle(struct mp_controls *controls, const struct mp_lines *lines);

enum mp_do mp_controls_key(struct mp_controls *controls, const struct mp_tally *tally,
                           const struct mp_lines *lines, uint32_t key);

/* TEXT as seconds between looks; false: it is none. */
bool mp_controls_interval(const char *text, double *seconds);

/* "every 1 s, paused"; the last row of the screen. */
const char *mp_controls_settings(const struct mp_controls *controls, char out[static 64]);
const char *mp_controls_saying(const struct mp_controls *controls, char out[static 256]);

/* The help: NULL behind the last row. */
extern const char *const mp_controls_help[];

#endif
