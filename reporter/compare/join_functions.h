/*
 * join_functions.h -- the functions and modules of all runs, first as they are noted, then as the joined profile
 * has them.
 */
#ifndef MP_JOIN_FUNCTIONS_H
#define MP_JOIN_FUNCTIONS_H

#include "match.h"
#include "reporter/profile/profile.h"

struct mp_noted {
    struct mp_profile *to;      /* the joined profile */
    struct mp_match_function *list;
    struct mp_noted_frame {     /* by function that was noted */
        uint32_t mark, module;
        bool thread, interpreted, language, builtin;
    } *frames;
    uint32_t n, list_room, frames_room, modules_room;
    struct mp_map known;        /* all texts of a function */
    struct mp_map modules;      /* their names, in the order of the joined profile */
    struct mp_arena *arena;
};

void mp_noted_begin(struct mp_noted *noted, struct mp_profile *to, struct mp_arena *arena);

/* Note FUNCTION of VIEW, a view of PROFILE, which FRAME stands for, and that SIDES (match.h) have it.  Its number
 * in the list. */
uint32_t mp_note_function(struct mp_noted *noted, const struct mp_profile *profile,
                          const struct mp_profile *view, uint32_t function, const struct mp_frame *frame,
                          unsigned sides);

/* The joined profile's module for MODULE of PROFILE, which may be none. */
uint32_t mp_note_module(struct mp_noted *noted, const struct mp_profile *profile, uint32_t module);

/* Match what was noted, and fill functions, locations, frames and names of the joined profile: the function of
 * number n, its location and its frame have that number. */
void mp_noted_end(struct mp_noted *noted);

#endif
