/* frame_text.h -- calls as the tools of valgrind write them. */
#ifndef MP_EXPORT_FRAME_TEXT_H
#define MP_EXPORT_FRAME_TEXT_H

#include "reporter/profile/tree.h"

/* The call that is NODE, not the root: "0x1139: f (a.c:12)" or "0x1139: f (in /usr/lib/libx.so)"; the address is
 * an offset in the file.  In ARENA. */
const char *mp_export_frame_text(const struct mp_tree *tree, uint32_t node, struct mp_arena *arena);

/* What stands for objects of KIND, one of the view's, innermost on their chains: "[CONS]".  In ARENA. */
const char *mp_export_kind_text(const struct mp_tree *tree, uint32_t kind, struct mp_arena *arena);

#endif
