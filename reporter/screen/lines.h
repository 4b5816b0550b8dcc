/*
 * lines.h -- selects and sorts the items of a tally that are shown.
 */
#ifndef MP_LINES_H
#define MP_LINES_H


#include "reporter/base/pattern.h"
#include "tally.h"

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
