/*
 * reach.h -- what is reached from the roots, and how.  Weak references lead nowhere.
 *
 * For mprof heap, and for mprof leaks.  Nothing here recurses, so lists may be as long as memory is.
 */
#ifndef MP_REACH_H
#define MP_REACH_H

#include "heap.h"

enum mp_reach {
    MP_REACH_NOT,
    MP_REACH_INSIDE,            /* only by ways on which something holds the inside of an object, not its start */
    MP_REACH_START              /* by a way of references to starts of objects */
};

/* Words on stacks and of threads may be left over from what has long been done.  From here on, until the tops of HEAP
 * are made anew, what other roots lead to is held by these alone: references to it from what only stacks and threads
 * lead to are left out, as weak ones are.  References must be in memory. */
void mp_heap_prefer_lasting(struct mp_heap *heap);

/* By object: how it is reached, from roots of the KINDS (bits 1u << enum mp_heap_root_kind; UINT32_MAX: all).
 * The caller frees it. */
uint8_t *mp_heap_reach(const struct mp_heap *heap, uint32_t kinds);

/* By object: is it reached from all roots if nobody may pass through objects that are in a set?  A set's exact
 * retained size is that of its own objects and of what is reached with it only.  The caller frees it. */
typedef bool mp_heap_in_set(const struct mp_heap *heap, uint32_t node, const void *data);
bool mp_heap_in_none(const struct mp_heap *heap, uint32_t node, const void *data);
uint8_t *mp_heap_reach_without(const struct mp_heap *heap, mp_heap_in_set *in_set, const void *data);

/* By node: is it reached from NODE, or is it that?  The caller frees it. */
uint8_t *mp_heap_reach_from(const struct mp_heap *heap, uint32_t node);

/* Of each set of tops, what is reached from no top of another one: `set_of` is by top, a number below N, MP_NO_ID:
 * of none.  Adds to the N sums. */
struct mp_heap_sum {
    uint64_t objects, bytes;
};
void mp_heap_only_from(const struct mp_heap *heap, const uint32_t *set_of, uint32_t n, struct mp_heap_sum *sums);

/* A shortest way from a node to an object of a set, nodes from first to last, *N of them; NULL: there is none.  The
 * caller frees it. */
uint32_t *mp_heap_path(const struct mp_heap *heap, uint32_t from, mp_heap_in_set *in_set, const void *data,
                       uint32_t *n);

#endif
