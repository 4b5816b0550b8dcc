/*
 * view_frames.h -- the first half of a view: which frame stands there for each of the profile's.
 *
 * The view keeps all frames, locations and functions of the profile.  Behind them come those of the
 * runtime's names, and frames with functions of such names that were copied into each other.
 */
#ifndef MP_VIEW_FRAMES_H
#define MP_VIEW_FRAMES_H

#include "profile.h"
#include "view.h"

struct mp_view_frames {
    const struct mp_profile *from;
    struct mp_profile *to;      /* the view */
    enum mp_frames shown;
    uint32_t *frame_of_name;    /* by name: the view's frame */
    uint32_t *name_of_function; /* by function: that of copies of it, MP_NO_ID: none */
    uint32_t first_inlined;     /* from here on: frames with functions that were copied there */
    uint32_t *frame_to;         /* by frame: the view's; MP_NO_ID: it is not shown */
    struct mp_arena *arena;     /* scratch */
};

/* Fill FRAMES, which has from, to, shown and arena, and the code of the view.  PLACES: names with
 * file and line. */
void mp_view_frames_make(struct mp_view_frames *frames, bool places);

/* One more function, with a location and a frame of its own, whose id is returned.  There is room for
 * one that is no name's.  NAME_ID: the runtime's name, or MP_NO_ID. */
uint32_t mp_view_frames_add(struct mp_view_frames *frames, const char *name, const char *file,
                            uint32_t name_id);

#endif
