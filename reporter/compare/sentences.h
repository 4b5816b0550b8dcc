/* sentences.h -- what changed, in words. */
#ifndef MP_SENTENCES_H
#define MP_SENTENCES_H

#include "changes.h"

/* Figures of a whole side; those that are known of both come first. */
struct mp_side_figure {
    const char *key;            /* for programs: "kept_bytes" */
    const char *what;           /* for people: "bytes kept" */
    struct mp_difference difference;
};
enum { MP_SIDE_FIGURES = 7 };

/* Fill FIGURES; how many are known.  Of what lived at one moment that is what lived, of a part of the time what
 * happened in it. */
unsigned mp_side_figures(const struct mp_join *join, struct mp_side_figure figures[static MP_SIDE_FIGURES]);

struct mp_sentence {
    const char *key;            /* what it is about: total, most, new, gone, grown, shrunk, doubt, besides */
    const char *text;
};
enum { MP_SENTENCES = 8 };

/* Fill SENTENCES with what FUNCTIONS and CHAINS, changes by these, come to; how many there are, one at least.  In the
 * arena of FUNCTIONS. */
unsigned mp_sentences(struct mp_changes *functions, struct mp_changes *chains,
                      struct mp_sentence sentences[static MP_SENTENCES]);

/* What is compared by COST, for people: "bytes kept", "bytes alive". */
const char *mp_cost_name(const struct mp_join *join, enum mp_sort cost);

#endif
