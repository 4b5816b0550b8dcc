/*
 * view_frames.h -- the first half of making a view: finds the frame that the view shows for each of the
 * profile's frames.
 *
 * The view keeps all frames, locations and functions of the profile. After them it adds those for the runtime's
 * names. Then follow copies of frames into which functions with such names were inlined.
 */
#ifndef MP_VIEW_FRAMES_H
#define MP_VIEW_FRAMES_H

#include "profile.h"
#include "view.h"

struct mp_view_frames {
    const struct mp_profile *from;
    struct mp_profile *to;      /* the view */
    enum mp_frames shown;
    uint32_t *frame_of_name;    /* by name: the frame that the view adds for it */
    uint32_t *name_of_function; /* by function: the name of an inlined copy of it, or MP_NO_ID */
    uint32_t first_inlined;     /* first of the frames into which functions with names were inlined */
    uint32_t *frame_to;         /* by frame: the frame shown instead, or MP_NO_ID if it is hidden */
    struct mp_arena *arena;     /* scratch */
};

/* Fills FRAMES, in which the caller has set from, to, shown and arena, and adds the frames to the view. If
 * PLACES, names contain file and line. */
void mp_view_frames_make(struct mp_view_frames *frames, bool places);

/* Adds a function with its own location and frame, and returns the frame's id. NAME_ID is the runtime's name or
 * MP_NO_ID. mp_view_frames_make() reserves space for one function without a name. */
uint32_t mp_view_frames_add(struct mp_view_frames *frames, const char *name, const char *file,
                            uint32_t name_id);

#endif
