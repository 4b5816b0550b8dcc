/* SPDX-License-Identifier: MIT */
/* missing.h -- what a recording can lack (enum mp_missing of runtime/format.h), and what each output calls it. */
#ifndef MP_MISSING_H
#define MP_MISSING_H

#include "profile.h"

struct mp_missing_fact {
    enum mp_missing kind;
    const char *key;            /* machine-readable name */
    const char *calls;          /* name of the calls that the monitor cannot see, whose number is unknown; NULL if
                                   the missing records are counted */
    const char *label, *text;   /* label in the head of the report, and the words behind the number; label is NULL if
                                   the head describes this kind in another way */
    const char *one, *many;     /* words behind the number in a sentence; NULL if no figure of the profile becomes
                                   wrong by records of this kind */
};

/* In the order of display. */
extern const struct mp_missing_fact mp_missing_facts[MP_MISS_KINDS];

#define MP_MISSING_SIZE 96

/* Writes a clause about N missing records of KIND to OUT and returns it, as "3 allocations were not recorded" or
 * "calls of malloc that reach the program's own are not seen". Returns NULL if no figure of the profile becomes wrong
 * by them. */
const char *mp_missing_text(enum mp_missing kind, uint64_t n, char out[static MP_MISSING_SIZE]);

/* Returns in ARENA why META does not describe a whole run, as clauses like "recording stopped early: No space left on
 * device; 3 allocations were not recorded". Returns NULL if it does. */
const char *mp_missing_why(const struct mp_meta *meta, struct mp_arena *arena);

/* Reasons why a process is not recorded. mp_missing_no_file() writes to OUT that the process could not create its data
 * file because of the error NUMBER, and returns OUT. */
#define MP_WHY_FILTER "was forked behind a seccomp filter"
#define MP_WHY_SIZE 128
const char *mp_missing_no_file(uint32_t number, char out[static MP_WHY_SIZE]);

/* Adds the processes in MORE to TO. The new list and copies of MORE's texts are in ARENA. */
void mp_unrecorded_add(struct mp_unrecorded_list *to, const struct mp_unrecorded_list *more, struct mp_arena *arena);

/* Returns the number of processes in LIST. */
uint64_t mp_unrecorded_count(const struct mp_unrecorded_list *list);

/* Returns the number of kinds of calls that the monitor could not see. */
unsigned mp_missing_calls(const struct mp_meta *meta);

#endif
