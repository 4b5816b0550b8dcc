/* frames.h -- chains of a view as frames, not functions: for formats that have addresses. */
#ifndef MP_EXPORT_FRAMES_H
#define MP_EXPORT_FRAMES_H

#include "export.h"

struct mp_frame_lists {
    const struct mp_profile *view;
    const bool *hidden;         /* by context: see mp_startup_contexts(); NULL: none is */
    uint32_t deepest;           /* frames of the longest chain */
    uint32_t *list;             /* of the last chain that was asked for, innermost first */
};

/* In ARENA. */
struct mp_frame_lists mp_frame_lists(const struct mp_export *export, struct mp_arena *arena);

/* Fill `list` with the frames of CONTEXT's chain, as far out as mp_tree_build() shows its functions.  How many
 * they are: none of the root. */
uint32_t mp_frame_list(const struct mp_frame_lists *lists, uint32_t context);

#endif
