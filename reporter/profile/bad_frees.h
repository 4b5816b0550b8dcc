/* bad_frees.h -- what is said of frees that are faults of the program, and where it does them. */
#ifndef MP_BAD_FREES_H
#define MP_BAD_FREES_H

#include "chain.h"

/* A kind of faulty frees: its names, and what was freed, as "of memory that was freed already". */
struct mp_bad_free_text {
    const char *key, *label, *text;
};
extern const struct mp_bad_free_text mp_bad_free_texts[MP_BAD_FREES];

/* The chain of PLACE, one of FREES, outermost first; n is 0: not known.  What calls main is left out.  In ARENA. */
struct mp_calls mp_bad_free_calls(const struct mp_bad_frees *frees, const struct mp_bad_free *place,
                                  struct mp_arena *arena);

/* A call of these: "f (a.c:3)".  And all of them: "main > f (a.c:3)".  In ARENA. */
const char *mp_bad_free_call(const struct mp_calls *calls, uint32_t i, struct mp_arena *arena);
const char *mp_bad_free_chain(const struct mp_bad_frees *frees, const struct mp_bad_free *place,
                              struct mp_arena *arena);

#endif
