/*
 * scan_glib.h -- blocks of GLib to which programs have only pointers to the inside.
 *
 *   instance   The block of a GObject begins with the object's private data. The object is behind it, and all
 *              pointers are to the object. The object begins with a pointer to its class, and the class with a
 *              pointer to its type. The type leads to its data, which point to the class. All this is checked.
 *   type       The block of a fundamental type begins with a word of flags, and the type is behind it. It ends
 *              with its own number, which is small, and 0. Before them is a pointer to its data, unless the type
 *              is void.
 *   closure    The block has four words that only GObject uses, and the closure behind them, which has functions
 *              and a reference count.
 *   slab       Up to version 2.75, GLib cuts slices from blocks with the size of a power of two less two words,
 *              aligned to that power. The end of a block has GLib's own data, which link all slabs of a size in a
 *              ring. GLib uses no slabs if the environment has G_SLICE=always-malloc, or under valgrind, which
 *              sets that.
 *
 * Used in a copy of the process.
 */
#ifndef MP_SCAN_GLIB_H
#define MP_SCAN_GLIB_H

#include <stdbool.h>
#include <stdint.h>

#include "scan_blocks.h"
#include "scan_maps.h"

/* Returns whether BLOCK, one of BLOCKS, is an instance, type, closure or slab that a pointer to the place OFFSET
 * bytes behind its beginning keeps alive. */
bool mp_scan_glib_is_held(const struct mp_scan_blocks *blocks, const struct mp_scan_maps *maps,
                          const struct mp_scan_block *block, uintptr_t offset);

#endif
