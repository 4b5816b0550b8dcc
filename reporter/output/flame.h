/*
 * flame.h -- chains as boxes: each function as wide as what was allocated through it, and below it
 * what it called, or, in reverse, what called it.
 *
 * What would be narrower than half a pixel stands together with its neighbours in one box, or
 * nowhere; chains are drawn to a depth; and if there were more than MP_FLAME_BOXES boxes, all that is
 * narrower than a whole pixel is together, or than two.  So the drawing's size has a bound.  What was
 * put together, and what lies further in than it is drawn, is counted.
 *
 * Of a part of the time (window.h) what is kept may have shrunk.  Then a chain is as wide as what it held
 * became more or less, and so are its callers: no box is of less than nothing, and none is narrower than those
 * below it together.  How much of a box shrank is its `less`.
 */
#ifndef MP_FLAME_H
#define MP_FLAME_H

#include <stdbool.h>
#include <stdint.h>

#include "reporter/profile/tree.h"

#define MP_FLAME_LEVELS 256u    /* but the root's */
#define MP_FLAME_BOXES 20000u

struct mp_flame_options {
    enum mp_sort cost;          /* what makes a box wide */
    bool reverse;               /* the functions that allocate first, and then their callers */
    uint32_t width;             /* of all, in pixels; not 0 */
    uint32_t most;              /* boxes; 0: MP_FLAME_BOXES */
};

struct mp_flame_box {
    uint64_t at, value;         /* where it begins, and how wide it is: as the cost counts */
    uint64_t self;              /* of that on chains that end here */
    uint64_t less;              /* of the width: what shrank */
    uint32_t level;             /* 0: that of all */
    uint32_t node;              /* of the tree: one whose function it is; MP_NO_ID: of several */
    uint32_t n;                 /* how many it stands for */
    bool inlined;               /* so was every such call */
    uint32_t first, end;        /* for flame.c */
};

/* Boxes come by level, those of a level from left to right.  The first is the root, of all. */
struct mp_flame {
    struct mp_flame_box *boxes;
    uint32_t n_boxes, room;
    uint32_t levels;            /* that there are, with the root's */
    uint64_t least;             /* how much has a box of its own */
    uint64_t n_merged, merged;  /* branches that have none, and how much they are */
    uint64_t cut;               /* what was allocated further in than the last level */
    bool change;                /* widths are of what grew or shrank */
    const struct mp_tree *tree;
    struct mp_arena *arena;     /* owns all of the above but the tree */
};

/* TREE must outlive it; the caller frees it.  A tree in which the cost counts nothing has one box. */
struct mp_flame *mp_flame_new(const struct mp_tree *tree, const struct mp_flame_options *options);
void mp_flame_free(struct mp_flame *flame);

#endif
