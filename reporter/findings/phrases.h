/* SPDX-License-Identifier: MIT */
/*
 * phrases.h -- parts of sentences about a place: its name and lines, who calls it, through which wrapper, how large its
 * blocks are. SORT is the figure that the sentence is about. All texts are in the arena of the facts.
 */
#ifndef MP_FINDINGS_PHRASES_H
#define MP_FINDINGS_PHRASES_H

#include "facts.h"

/* Returns the name of PLACE with the lines that have most of SORT: "make_text (text.c:12, 15 and 31)". A function
 * without a name is followed by the nearest caller that has one: "prog+0x1230 (below main)". */
const char *mp_phrase_name(const struct mp_facts *facts, const struct mp_candidate_place *place, enum mp_sort sort);

/* Returns who calls PLACE, beginning with a comma: ", called by read_all (text.c:40)", ", called from read_all on
 * behalf of load (60 %) and merge (25 %)", or "". */
const char *mp_phrase_callers(const struct mp_facts *facts, const struct mp_candidate_place *place, enum mp_sort sort);

/* Returns the name and the callers of PLACE, as the subject of a sentence: "make_text (text.c:12), called by load,". */
const char *mp_phrase_who(const struct mp_facts *facts, const struct mp_candidate_place *place, enum mp_sort sort);

/* Returns through which wrapper or function of a library PLACE allocates, beginning with a blank: " through
 * get_memory, which serves 19 callers,", " through strdup", or "". */
const char *mp_phrase_through(const struct mp_facts *facts, const struct mp_candidate_place *place, enum mp_sort sort);

#endif
