/* SPDX-License-Identifier: MIT */
/*
 * flame.h -- call chains as the boxes of a flame graph. A box represents a function. Its width is what was allocated
 * through the function, and below it are its callees (in reverse, its callers).
 *
 * The number of boxes is bounded. Neighbours narrower than half a pixel are merged into one box, or omitted if they
 * are too narrow even together. Levels after MP_FLAME_LEVELS are not drawn. If more than MP_FLAME_BOXES boxes remain,
 * the minimum width is doubled until they fit. `n_merged`, `merged` and `cut` count what has no box of its own.
 *
 * Between two points in time (window.h), kept bytes may have shrunk. Then the width of a chain is the absolute change
 * of its kept bytes, and a caller's width is the sum over its chains. So no width is negative, and no box is narrower
 * than its children together. `less` is the part of a box that shrank.
 */
#ifndef MP_FLAME_H
#define MP_FLAME_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "reporter/graph/tree.h"

#define MP_FLAME_LEVELS 256u    /* maximum number of levels below the root */
#define MP_FLAME_BOXES 20000u

struct mp_flame_options {
    enum mp_sort cost;          /* figure that determines the width */
    bool reverse;               /* allocating functions on top, their callers below */
    uint32_t width;             /* of the drawing, in pixels; not 0 */
    uint32_t most;              /* maximum number of boxes; 0 for MP_FLAME_BOXES */
};

struct mp_flame_box {
    uint64_t at, value;         /* left edge and width, in units of the cost */
    uint64_t self;              /* part of value from chains that end at this box */
    uint64_t less;              /* part of value that shrank */
    uint32_t level;             /* 0 for the root */
    uint32_t node;              /* a tree node of its function; MP_NO_ID if the box merges several functions */
    uint32_t n;                 /* number of boxes merged into it */
    bool inlined, tail;         /* true if all calls that it represents are inlined, or ended with tail calls */
    uint32_t first, end;        /* range of chains; private to flame.c */
};

/* Boxes are sorted by level, and within a level from left to right. The first is the root. */
struct mp_flame {
    struct mp_flame_box *boxes;
    uint32_t n_boxes, room;
    uint32_t levels;            /* number of levels, including the root's */
    uint64_t least;             /* minimum value for a box of its own */
    uint64_t n_merged, merged;  /* number and total value of branches without a box of their own */
    uint64_t cut;               /* total value below the last level */
    bool change;                /* widths are absolute changes */
    const struct mp_tree *tree;
    struct mp_arena *arena;     /* owns everything above except the tree */
};

/* Returns the boxes of TREE, which must outlive them. The caller frees them. If the cost is 0 in the whole tree,
 * there is only the root. */
struct mp_flame *mp_flame_new(const struct mp_tree *tree, const struct mp_flame_options *options);
void mp_flame_free(struct mp_flame *flame);

/* Writes the flame graph of TREE, which is built from a view of PROFILE, to OUT as an SVG without scripts. PART
 * describes in words which part of the profile the view shows, as on the command line; "" if all. options->width
 * includes the margins. */
void mp_flame_svg(const struct mp_profile *profile, const struct mp_tree *tree,
                  const struct mp_flame_options *options, const char *part, FILE *out);

#endif
