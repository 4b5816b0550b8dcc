/*
 * scan_pointers.h -- which words point to a block, and whether as to its beginning.
 *
 * Programs have reasons to keep only a pointer to the inside of a block.  Those that memcheck knows by default are
 * known here (its --leak-check-heuristics=all, by what its manual says of them); such a word is written as one that
 * points to the beginning:
 *
 *   length64   the block begins with its length less 8, and the pointer is to what is behind
 *   newarray   it begins with a number of elements, as of new[] of a class with a destructor: likewise
 *   stdstring  it begins with length, capacity and count of a std::string from before C++11, whose text is behind
 *   multipleinheritance   it begins with a pointer to a table of virtual functions, and so do the bytes that are
 *              pointed to
 *
 * Two more: a thread's descriptor points into the vector of its thread-local storage, behind the first entry; and
 * blocks of GLib's (scan_glib.h).
 */
#ifndef MP_SCAN_POINTERS_H
#define MP_SCAN_POINTERS_H

#include "scan_blocks.h"
#include "scan_maps.h"

/* What WORD is to be written as, if it points to one of BLOCKS; 0: it does not. */
uintptr_t mp_scan_pointer(const struct mp_scan_blocks *blocks, const struct mp_scan_maps *maps, uintptr_t word);

#endif
