/* SPDX-License-Identifier: MIT */
/*
 * head.h -- the head of the report: what was recorded, and what is missing.
 *
 * Rows are computed before they become text, as in tables. A row has a label, and figures or a text or both.
 */
#ifndef MP_HEAD_H
#define MP_HEAD_H

#include <stdio.h>

#include "print.h"
#include "reporter/base/arena.h"
#include "reporter/profile/profile.h"

struct mp_head_row {
    const char *key;            /* machine-readable name: a-z and _; several rows may share one */
    const char *label;          /* human-readable label */
    enum { MP_HEAD_TEXT, MP_HEAD_BLOCKS, MP_HEAD_BYTES, MP_HEAD_BOTH, MP_HEAD_NAMES } has;
    uint64_t blocks;            /* number of blocks or objects, or another count */
    uint64_t bytes;
    const char *text;           /* text after the figures, or in place of them; "" if none */
    bool close;                 /* the text follows the figures after one blank, not two */
    const char *const *names;   /* n_names of them */
    uint32_t n_names;
};

struct mp_head {
    struct mp_head_row *rows;
    uint32_t n_rows, room;
    struct mp_arena *arena;     /* owns rows and texts, except texts of the profile, which must outlive the head */
};

/* Returns the head of PROFILE. With LISP, it describes only Lisp objects. VIEW is the part of the profile that is
 * shown, or NULL; from it come skipped functions and source files whose requested lines are unavailable. */
struct mp_head *mp_head(const struct mp_profile *profile, const struct mp_profile *view, bool lisp);
void mp_head_free(struct mp_head *head);

/* Prints a sentence with the figures of PROFILE that are known, of Lisp objects only if LISP, in lines of at most WIDTH
 * columns; 0 is unlimited. It explains the terms that later tables use. MORE is another sentence or NULL. */
void mp_head_line(const struct mp_profile *profile, bool lisp, const char *more, unsigned width, FILE *out);

/* Prints HEAD as text. */
void mp_head_print(const struct mp_head *head, const struct mp_print_options *options, FILE *out);

/* Returns true if module ID of PROFILE has a problem that no earlier module with the same file has. */
bool mp_head_has_problem(const struct mp_profile *profile, uint32_t id);

/* Returns why a table of Lisp objects has no rows: either there are no objects, or they could not be recorded. The
 * text is constant or allocated in ARENA. */
const char *mp_head_no_objects(const struct mp_profile *profile, struct mp_arena *arena);

/* Adds a row with a text. */
void mp_head_say(struct mp_head *head, const char *key, const char *label, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
