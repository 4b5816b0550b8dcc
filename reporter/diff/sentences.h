/* SPDX-License-Identifier: MIT */
/* sentences.h -- describes in words what changed. */
#ifndef MP_SENTENCES_H
#define MP_SENTENCES_H

#include "changes.h"

/* A figure of both sides as a whole. */
struct mp_side_figure {
    const char *key;            /* machine-readable: "kept_bytes" */
    const char *what;           /* human-readable: "bytes kept" */
    struct mp_difference difference;
};
enum { MP_SIDE_FIGURES = 7 };

/* Sets FIGURES and returns how many are known. For one point in time they are what was alive, for a part of the time
 * what happened in it. */
unsigned mp_side_figures(const struct mp_join *join, struct mp_side_figure figures[static MP_SIDE_FIGURES]);

struct mp_sentence {
    const char *key;            /* topic: total, most, new, gone, grown, shrunk, doubt, besides */
    const char *text;
};
enum { MP_SENTENCES = 8 };

/* Sets SENTENCES to a summary of FUNCTIONS and CHAINS, which are the changes by function and by chain. Returns their
 * number, at least 1. Texts are allocated in the arena of FUNCTIONS. */
unsigned mp_sentences(struct mp_changes *functions, struct mp_changes *chains,
                      struct mp_sentence sentences[static MP_SENTENCES]);

/* Returns a description of the figure that is compared: "bytes kept", "bytes alive". */
const char *mp_cost_name(const struct mp_join *join, enum mp_sort cost);

#endif
