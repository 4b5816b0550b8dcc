/*
 * lines.h -- which items of a tally are shown, in which order.
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
    bool reverse;               /* the least first */
    bool totals;                /* allocs and bytes since recording began, not since the look before */
    bool within;                /* of functions: with what they call */
    struct mp_pattern *only;       /* items with such a name, on such a chain; NULL: all */
    const bool *open;           /* by item of the tree: its callees are shown; NULL: all are */
    uint32_t n_open;            /* items beyond are closed */
};

struct mp_line {
    uint32_t item;
    uint32_t depth;             /* in the tree; else 0 */
    bool has_more;              /* callees, shown or not */
};

/* Malloc()ed. */
struct mp_lines {
    struct mp_line *list;
    uint32_t n;
};

/* How the sort is called on the command line: "live". */
extern const char *const mp_line_sorts[MP_LINE_SORTS];
extern const char *const mp_bys[MP_BYS];

struct mp_lines mp_lines_make(const struct mp_tally *tally, const struct mp_lines_options *options);
void mp_lines_free(struct mp_lines *lines);

/* The figures of ITEM that are shown: at the last look, or at the one before. */
const struct mp_tally_figures *mp_lines_figures(const struct mp_lines_options *options,
                                                const struct mp_tally_item *item, bool before);

/* What ITEM allocated: in all, or since the look before. */
uint64_t mp_lines_allocs(const struct mp_lines_options *options, const struct mp_tally_item *item);
uint64_t mp_lines_bytes(const struct mp_lines_options *options, const struct mp_tally_item *item);

/* The name of ITEM, of a site with at most CALLERS callers: "f < g < main".  In ARENA. */
const char *mp_lines_name(const struct mp_tally *tally, enum mp_by by, uint32_t item,
                          unsigned callers, struct mp_arena *arena);

#endif
