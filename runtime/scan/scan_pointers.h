/* SPDX-License-Identifier: MIT */
/*
 * scan_pointers.h -- decides which words point to a block, and whether they count as pointers to its beginning.
 *
 * Some programs keep only a pointer to the inside of a block. The cases that valgrind's memcheck recognises with
 * --leak-check-heuristics=all, its default, are recognised here, as its manual describes them. A pointer of such a case
 * is written as a pointer to the beginning of the block.
 *
 *   length64   The block begins with its length less 8. The pointer is to the next word.
 *   newarray   The block begins with a number of elements, as for new[] of a class with a destructor. The pointer is
 *              to the first element, in the next word.
 *   stdstring  The block begins with the length, capacity and count of a std::string from before C++11. The pointer is
 *              to the text behind them.
 *   multipleinheritance
 *              The block begins with a pointer to a table of virtual functions. The pointer is to another place in
 *              the block that has such a pointer.
 *
 * There are two more cases. A thread's descriptor points to the second entry of the vector of its thread-local
 * storage. And several blocks of GLib are recognised (scan_pointers.c).
 */
#ifndef MP_SCAN_POINTERS_H
#define MP_SCAN_POINTERS_H

#include "scan_blocks.h"
#include "scan_maps.h"

/* Returns the word to write for WORD if it points to one of BLOCKS, or 0 if it does not. */
uintptr_t mp_scan_pointer(const struct mp_scan_blocks *blocks, const struct mp_scan_maps *maps, uintptr_t word);

#endif
