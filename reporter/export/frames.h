/* frames.h -- chains of a view as frames instead of functions, for formats with addresses. */
#ifndef MP_EXPORT_FRAMES_H
#define MP_EXPORT_FRAMES_H

#include "export.h"

struct mp_frame_lists {
    const struct mp_profile *view;
    const bool *hidden;         /* by context, see mp_startup_contexts(); NULL if none is hidden */
    uint32_t deepest;           /* number of frames of the longest chain */
    uint32_t *list;             /* frames of the last chain requested, innermost first */
};

/* Prepares the chains of EXPORT's view. The result is allocated in ARENA. */
struct mp_frame_lists mp_frame_lists(const struct mp_export *export, struct mp_arena *arena);

/* Writes the frames of CONTEXT's chain to `list`, as far out as mp_tree_build() shows functions. Returns their
 * number, which is 0 for the root. */
uint32_t mp_frame_list(const struct mp_frame_lists *lists, uint32_t context);

#endif
