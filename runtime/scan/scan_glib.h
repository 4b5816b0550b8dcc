/*
 * scan_glib.h -- blocks of GLib's, which programs hold by pointers to their insides only.
 *
 *   instance   what GObject allocates for an object begins with its private data, and the object, which all pointers
 *              are to, is behind.  The object begins with a pointer to its class; the class with one to its type; the
 *              type leads to its data, which point to the class: all that is checked.
 *   type       what GObject allocates for a fundamental type begins with a word of flags, and the type is behind.  It
 *              ends with its own number, which is small, and 0; before that is a pointer to its data, unless it is
 *              void.
 *   closure    four words that only GObject uses, and the closure behind: functions, and the count of references.
 *   slab       up to version 2.75 GLib cuts slices from blocks as large as a power of two less two words, aligned to
 *              that, at whose end it keeps what it needs to know of them: it links all slabs of a size in a ring.  It
 *              uses none if the environment has G_SLICE=always-malloc, or under valgrind, which has that set.
 *
 * For a copy of the process.
 */
#ifndef MP_SCAN_GLIB_H
#define MP_SCAN_GLIB_H

#include <stdbool.h>
#include <stdint.h>

#include "scan_blocks.h"
#include "scan_maps.h"

/* Is BLOCK, which is one of BLOCKS, one of these, and what is OFFSET bytes from its beginning what pointers are to? */
bool mp_scan_glib_is_held(const struct mp_scan_blocks *blocks, const struct mp_scan_maps *maps,
                          const struct mp_scan_block *block, uintptr_t offset);

#endif
