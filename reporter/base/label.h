/* SPDX-License-Identifier: MIT */
/*
 * label.h -- labels that a user gives a run, such as build, branch or service.
 *
 * MPROF_LABELS and recordings have the labels of a run as one text, "build=17,branch=main". A backslash precedes each
 * comma and each backslash of a label. Of equal keys the last one counts.
 */
#ifndef MP_LABEL_H
#define MP_LABEL_H

#include <stdint.h>

#include "arena.h"

#define MP_LABELS_MOST 64u      /* maximum number of labels of a run; further ones are ignored */

struct mp_label {
    const char *name, *value;
};

/* Adds the labels in TEXT to the N in LIST, which has space for MP_LABELS_MOST and keeps the label it has if a key is
 * the same. What is no label, because it has no key or no =, is left out. Returns the new number. The texts are in
 * ARENA. */
uint32_t mp_labels_list(const char *text, struct mp_label list[], uint32_t n, struct mp_arena *arena);

/* Returns the N labels in LIST as one text in ARENA. */
const char *mp_labels_text(const struct mp_label list[], uint32_t n, struct mp_arena *arena);

/* Returns the labels that A and B have in common, as one text in ARENA. */
const char *mp_labels_common(const char *a, const char *b, struct mp_arena *arena);

#endif
