/* SPDX-License-Identifier: MIT */
/*
 * keys.h -- what keys do: select the lines that are shown, their order and the selected line.
 *
 * These functions need no terminal. A key is a number. It changes struct mp_controls, or mp_controls_key() returns an
 * action for the caller.
 */
#ifndef MP_KEYS_H
#define MP_KEYS_H

#include "picture.h"

/* Special keys. A character is its own code point. */
enum mp_key {
    MP_KEY_NONE = 0x200000, MP_KEY_GONE,        /* input is closed, so no key can be pressed */
    MP_KEY_RESIZED, MP_KEY_UP, MP_KEY_DOWN, MP_KEY_LEFT, MP_KEY_RIGHT, MP_KEY_PAGE_UP,
    MP_KEY_PAGE_DOWN, MP_KEY_HOME, MP_KEY_END, MP_KEY_ENTER, MP_KEY_ESCAPE, MP_KEY_BACKSPACE
};

enum mp_do {
    MP_DO_NOTHING,              /* only draw again */
    MP_DO_LINES,                /* make the lines again */
    MP_DO_LOOK,                 /* sample now */
    MP_DO_SNAPSHOT,
    MP_DO_CHECKPOINT,           /* set a checkpoint called `answer` */
    MP_DO_QUIT
};

enum mp_asked { MP_ASKED_NOTHING, MP_ASKED_ONLY, MP_ASKED_SEARCH, MP_ASKED_INTERVAL, MP_ASKED_CHECKPOINT };
#define MP_ANSWER_SIZE 160

struct mp_controls {
    struct mp_lines_options how;
    struct mp_picture_place place;
    double interval;            /* seconds between samples */
    bool paused, help;
    uint32_t item;              /* selected item, which may move between lines; MP_NO_ID selects the first line */
    bool *open;                 /* for each item of the tree, whether it is expanded; allocated with malloc() */
    uint32_t n_open;
    struct mp_pattern pattern;            /* compiled form of `only`, unless that is empty */
    char only[MP_ANSWER_SIZE], sought[MP_ANSWER_SIZE];
    enum mp_asked asked;        /* question that keys answer now */
    char answer[MP_ANSWER_SIZE];
    char saying[256];           /* message shown until the next key, or "" */
};

#define MP_LEAST_INTERVAL 0.1
#define MP_MOST_INTERVAL  86400.0

#define MP_CONTROLS_DEFAULT {.interval = 1, .item = MP_NO_ID, .place = {.width = 80, .height = 24}}
void mp_controls_end(struct mp_controls *controls);

/* Resets what depends on ids of items, because another recording is shown from now on. */
void mp_controls_forget(struct mp_controls *controls);

/* Returns the options of the lines of TALLY. Must be called before the lines are made. */
const struct mp_lines_options *mp_controls_how(struct mp_controls *controls,
                                               const struct mp_tally *tally);

/* Finds the selected item in LINES and scrolls to it. Called after the lines or the terminal's size have changed. */
void mp_controls_settle(struct mp_controls *controls, const struct mp_screen_lines *lines);

enum mp_do mp_controls_key(struct mp_controls *controls, const struct mp_tally *tally,
                           const struct mp_screen_lines *lines, uint32_t key);

/* Parses TEXT as the seconds between samples. Returns false if it is invalid. */
bool mp_controls_interval(const char *text, double *seconds);

/* mp_controls_settings() returns a text like "every 1 s, paused". mp_controls_saying() returns the last row of the
 * screen. Both write to OUT. */
const char *mp_controls_settings(const struct mp_controls *controls, char out[static 64]);
const char *mp_controls_saying(const struct mp_controls *controls, char out[static 256]);

/* The rows of the help, ending with NULL. */
extern const char *const mp_controls_help[];

#endif
