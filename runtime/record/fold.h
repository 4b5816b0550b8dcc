/* SPDX-License-Identifier: MIT */
/*
 * fold.h -- folds recursion while recording (--fold-recursion), which means that repeated rounds are left out of
 * chains.
 *
 * A program that builds a tree recursively has a chain, and so a context, for each path from the root to a node.
 * With folding, a call continues in the context of an earlier call if two conditions hold: the same function
 * called the same function there, and every call since then also occurred before it. If A calls B, B calls A, and
 * so on:
 *
 *     chain             context
 *     A                 A
 *     A B               A B
 *     A B A             A B A
 *     A B A B           A B A B         A called B before, but since then B called A for the first time
 *     A B A B A         A B A           now nothing is new since B called A
 *     A B A B A B       A B A B
 *     A B A B A C       A B A C
 *
 * So each chain keeps the innermost function and its caller, every function, and every pair of caller and callee.
 * Sums by function and by pair are the same as for whole chains. The number and order of calls is lost.
 *
 * Functions are identified by the start of their code; inlined functions are part of the function around them.
 * Functions of a language's runtime, many of which reports omit, are part of the call: two calls are the same if
 * the same function made them through the same runtime functions.
 *
 * (The calling-context tree of Ammons, Ball and Larus returns to any earlier call of the function. Then the bytes
 * of A B A would not be counted for B.)
 */
#ifndef MP_FOLD_H
#define MP_FOLD_H

#include <stdint.h>

/* Returns the context in which FRAME, called in context PARENT, is recorded as a child. This is PARENT or a
 * context further out. */
uint32_t mp_fold_parent(uint32_t parent, uint32_t frame);

#endif
