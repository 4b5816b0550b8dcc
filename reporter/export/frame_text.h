/* frame_text.h -- formats calls as the tools of valgrind do. */
#ifndef MP_EXPORT_FRAME_TEXT_H
#define MP_EXPORT_FRAME_TEXT_H

#include "reporter/profile/tree.h"

/* Returns the text of the call NODE, which must not be the root: "0x1139: f (a.c:12)" or "0x1139: f (in
 * /usr/lib/libx.so)". The address is an offset in the module's file. The text is allocated in ARENA. */
const char *mp_export_frame_text(const struct mp_tree *tree, uint32_t node, struct mp_arena *arena);

/* Returns the text "[CONS]" that is written as the innermost call on chains of objects of KIND. The text is allocated
 * in ARENA. */
const char *mp_export_kind_text(const struct mp_tree *tree, uint32_t kind, struct mp_arena *arena);

#endif
