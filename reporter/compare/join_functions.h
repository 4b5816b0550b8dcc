/*
 * join_functions.h -- collects the functions and modules of all runs, matches them, and creates the functions and
 * modules of the joined profile.
 */
#ifndef MP_JOIN_FUNCTIONS_H
#define MP_JOIN_FUNCTIONS_H

#include "match.h"
#include "reporter/profile/profile.h"

struct mp_noted {
    struct mp_profile *to;      /* the joined profile */
    struct mp_match_function *list;
    struct mp_noted_frame {     /* by function in `list`: properties of its frame */
        uint32_t mark, module;
        bool thread, interpreted, language, builtin;
    } *frames;
    uint32_t n, list_room, frames_room, modules_room;
    struct mp_map known;        /* keys made of all texts of a function */
    struct mp_map modules;      /* names, in the order of the joined profile */
    struct mp_arena *arena;
};

void mp_noted_begin(struct mp_noted *noted, struct mp_profile *to, struct mp_arena *arena);

/* Adds FUNCTION of VIEW, which is a view of PROFILE, unless an equal function was added before. FRAME is a frame of
 * the function. SIDES (match.h) are the sides that contain it. Returns its index in the list. */
uint32_t mp_note_function(struct mp_noted *noted, const struct mp_profile *profile,
                          const struct mp_profile *view, uint32_t function, const struct mp_frame *frame,
                          unsigned sides);

/* Returns the module of the joined profile for MODULE of PROFILE, or MP_NO_ID if MODULE is none. */
uint32_t mp_note_module(struct mp_noted *noted, const struct mp_profile *profile, uint32_t module);

/* Matches the functions, and creates functions, locations, frames and names of the joined profile. Function n has
 * location n and frame n. */
void mp_noted_end(struct mp_noted *noted);

#endif
