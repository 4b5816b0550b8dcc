/*
 * fold.h -- recursion folded while recording (--fold-recursion): rounds that a chain has made
 * before are left out of it.
 *
 * A program that builds a tree recursively has a chain, and so a context, for each way from the
 * root to a node.  Folded, a call goes on in the context of an earlier call, if the same function
 * called the same function there, and nothing called anything since that had not called it before.
 * On the way A calls B, B calls A, and so on
 *
 *     chain             context
 *     A                 A
 *     A B               A B
 *     A B A             A B A
 *     A B A B           A B A B         A called B before, but since B called A for the first time
 *     A B A B A         A B A           now nothing is new since B called A
 *     A B A B A B       A B A B
 *     A B A B A C       A B A C
 *
 * So of each chain there remain: the innermost function and its caller, every function, and every
 * pair of functions of which one called the other.  Sums by function and by pair are the same as
 * those of whole chains; what is lost is how often, and in which order, it all happened.
 *
 * Functions are told apart by where their code starts; those that were inlined into another are a
 * part of it.  Functions of a language's runtime, of which reports leave out many, are a part of
 * the call: a call is the same if the same function made it through the same ones.
 *
 * (The calling-context tree of Ammons, Ball and Larus goes back to any earlier call of the
 * function; then the bytes of A B A would not be counted for B.)
 */
#ifndef MP_FOLD_H
#define MP_FOLD_H

#include <stdint.h>

/* FRAME is called in context PARENT: the context whose child it becomes, PARENT or one further
 * out. */
uint32_t mp_fold_parent(uint32_t parent, uint32_t frame);

#endif
