/* SPDX-License-Identifier: MIT */
/*
 * lines.h -- selects and sorts the items of a tally that are shown.
 */
#ifndef MP_LINES_H
#define MP_LINES_H

#include "reporter/base/pattern.h"
#include "reporter/graph/tree.h"

/* ---------------------------------------------------------------- counting */

/*
 * Live memory and allocations by function, site, type and thread, at each sample of a recording.
 *
 * Ids of contexts and functions differ between two readings of a live file. A tally gives each item a permanent id,
 * so that figures of two samples can be compared and items stay selected or expanded. It reads no files and draws
 * nothing.
 */

enum mp_by {
    MP_BY_FUNCTION,             /* functions; own: charged to it, see charge.h; within: allocated while it ran */
    MP_BY_SITE,                 /* allocating chains; items of the tree with figures of their own */
    MP_BY_TYPE,                 /* types of objects and sizes of blocks; within is the same as own */
    MP_BY_THREAD,               /* threads; within is the same as own */
    MP_BY_TREE,                 /* callers with their callees */
    MP_BYS
};

struct mp_tally_figures {
    uint64_t live, blocks;      /* live bytes and blocks; includes all objects not known to be dead */
    uint64_t allocs, bytes;     /* allocated since recording began */
};

struct mp_tally_item {
    const char *name;
    uint32_t parent;            /* item of the caller in the tree, with a smaller id; else MP_NO_ID */
    uint32_t function;          /* function's item, for items of the tree; else MP_NO_ID */
    struct mp_tally_figures own, within;                /* at the last sample */
    struct mp_tally_figures own_before, within_before;  /* at the previous sample */
};

struct mp_tally_list {
    struct mp_map keys;
    struct mp_tally_item *items;    /* items by id; never removed */
    uint32_t n, room;
};

struct mp_tally {
    struct mp_tally_list lists[MP_BYS];     /* the list of sites is empty, see mp_tally_of() */
    struct mp_tally_figures all, all_before;
    uint64_t time;              /* time of the last sample, ns since recording began */
    double seconds;             /* seconds between the last two samples; 0 if there was only one */
    struct mp_arena *arena;     /* memory of all of the above */
};

struct mp_tally_options {
    bool raw;                   /* charge the innermost functions, even functions of the language runtime */
};

struct mp_tally *mp_tally_new(void);
void mp_tally_free(struct mp_tally *tally);     /* NULL is allowed */

/* Adds a sample taken at TIME, ns since recording began, with the figures of TREE, which was built with `one_cut`.
 * Figures by size come from the view's cell_bins if it has them, else from its bins. */
void mp_tally_take(struct mp_tally *tally, const struct mp_tree *tree,
                   const struct mp_tally_options *options, uint64_t time);

/* Returns the list whose items BY shows. */
static inline const struct mp_tally_list *
mp_tally_of(const struct mp_tally *tally, enum mp_by by)
{
    return &tally->lists[by == MP_BY_SITE ? MP_BY_TREE : by];
}

/* Returns NOW minus BEFORE, or 0 if the figure shrank, which can happen between two readings of a live file. */
static inline uint64_t
mp_tally_grown(uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}

enum mp_line_sort {
    MP_LINES_LIVE, MP_LINES_BLOCKS, MP_LINES_ALLOCS, MP_LINES_BYTES, MP_LINES_NAME, MP_LINE_SORTS
};

struct mp_lines_options {
    enum mp_by by;
    enum mp_line_sort sort;
    bool reverse;               /* smallest first */
    bool totals;                /* show allocs and bytes since recording began, not since the previous sample */
    bool within;                /* show functions with what they call */
    struct mp_pattern *only;       /* only items with a matching name, or with one on their chain; NULL for all */
    const bool *open;           /* for each item of the tree, whether its callees are shown; NULL if all are */
    uint32_t n_open;            /* number of elements of `open`; later items are collapsed */
};

struct mp_line {
    uint32_t item;
    uint32_t depth;             /* depth in the tree; 0 for other lists */
    bool has_more;              /* it has callees, shown or not */
};

/* Shown lines, allocated with malloc(). */
struct mp_screen_lines {
    struct mp_line *list;
    uint32_t n;
};

/* Command-line names of the sort orders, for example "live", and of the lists, for example "function". */
extern const char *const mp_line_sorts[MP_LINE_SORTS];
extern const char *const mp_bys[MP_BYS];

struct mp_screen_lines mp_lines_make(const struct mp_tally *tally, const struct mp_lines_options *options);
void mp_lines_free(struct mp_screen_lines *lines);

/* Returns the figures of ITEM that are shown, from the last sample or the one BEFORE. */
const struct mp_tally_figures *mp_lines_figures(const struct mp_lines_options *options,
                                                const struct mp_tally_item *item, bool before);

/* Return the allocations and bytes of ITEM, in total or since the previous sample, as the options require. */
uint64_t mp_lines_allocs(const struct mp_lines_options *options, const struct mp_tally_item *item);
uint64_t mp_lines_bytes(const struct mp_lines_options *options, const struct mp_tally_item *item);

/* Returns the name of ITEM. A site's name contains at most CALLERS callers, for example "f < g < main". It may be
 * allocated in ARENA. */
const char *mp_lines_name(const struct mp_tally *tally, enum mp_by by, uint32_t item,
                          unsigned callers, struct mp_arena *arena);

#endif
