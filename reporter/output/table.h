/*
 * table.h -- a table of the report before it is text: rows of values, and columns that say what
 * the values are.
 *
 * A table's file (tables.h) computes a struct mp_table; print_table.h lays it out as text.  Whoever
 * writes tables in another form needs no more than this header, and knows no table by name:
 *
 *     for each row:  for each column:  table->rows[i].values[column], by kind->columns[column].unit
 *
 * A value is a number in the unit of its column, never a text that has to be taken apart.  Rows come
 * in the order in which they are shown.  What has no row of its own is in a row that stands for
 * several (MP_ROW_REST), or in `left_out`: rows that do not overlap, and what has none, add up to
 * their whole exactly.
 *
 * Rows may belong to another row (`under`): classes to the type that they are of, and in the call
 * graph callers and callees to their function.  A row and those under it stand together, and those
 * under it may come first.
 */
#ifndef MP_TABLE_H
#define MP_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "print.h"
#include "reporter/graph/breakdown_kinds.h"
#include "reporter/profile/estimate.h"
#include "reporter/profile/profile.h"

/* What a column's values are, and which members of struct mp_value hold them. */
enum mp_unit {
    MP_UNIT_BYTES = 1,          /* number */
    MP_UNIT_BLOCKS,             /* number: blocks of malloc, objects of Lisp, or calls that made them */
    MP_UNIT_COUNT,              /* number: of anything else; or what such a thing is numbered by */
    MP_UNIT_PERCENT,            /* number, and the whole that it is a part of, both in bytes or both
                                   in blocks; of a whole of 0 there is no share */
    MP_UNIT_MEAN,               /* number (bytes) divided by whole (blocks), unless that is 0 */
    MP_UNIT_PARTS,              /* parts, by column of the table's breakdown, which has keys for
                                   them, of one whole; bytes */
    MP_UNIT_TEXT,               /* text */
    MP_UNIT_NAMES,              /* names; number: how many */
    MP_UNIT_FUNCTION,           /* text: its name; number: its id in the profile */
    MP_UNIT_CHAIN,              /* text: the part that is shown of the chain of a context; names: the
                                   words of it, NULL behind the last, or NULL; number: its id in the
                                   profile; calls: the same part, or NULL, see mp_print_options */
    MP_UNIT_FIGURES             /* figures: what a finding is told by; number: how many */
};

/* What the text of a table does with a column; other forms need not heed it. */
enum mp_layout {
    MP_LAYOUT_USUAL = 0,
    MP_LAYOUT_TENTHS = 1,       /* a percentage as 49.8, where (49) is usual */
    MP_LAYOUT_BAR = 2,          /* a bar stands behind it */
    MP_LAYOUT_OPTIONAL = 4,     /* not shown where no row has a value */
    MP_LAYOUT_HIDDEN = 8,       /* not shown, or with another column */
    MP_LAYOUT_AFTER = 16,       /* what became of blocks later: not shown where the table is of what was
                                   alive at one moment */
    MP_LAYOUT_KEPT_SHARE = 32,  /* a share of what is kept: not shown where that may be less than 0 */
    MP_LAYOUT_SIGNED = 64,      /* a change: what is more than 0 has a plus sign */
    MP_LAYOUT_CODE = 128,       /* lines of source: on a terminal their ends are cut, not their middles */
    MP_LAYOUT_SPARE = 256       /* gives way to a column of code where a terminal has no room for both */
};

struct mp_calls;                /* reporter/profile/chain.h */
struct mp_finding_figure;       /* reporter/findings/findings.h */

struct mp_table_column {
    const char *key;            /* its name for programs: a-z and _, unique within the table */
    const char *title;          /* for people; %s: what objects are told apart by */
    enum mp_unit unit;
    const char *explanation;    /* one sentence for people */
    unsigned layout;            /* sum of enum mp_layout */
};

struct mp_value {
    bool known;                 /* false: there is none, and all but text is 0 */
    bool estimated;             /* the number is an estimate, whose 95 % interval is low to high */
    bool negative;              /* it is less than 0 by the number: see `growth` below */
    bool blank;                 /* a 0 in whose place the text of a table has nothing */
    uint64_t number, whole;
    union {
        struct {
            uint64_t low, high;
        };
        const struct mp_calls *calls;
    };
    const char *text;           /* of numbers: what people are told in the number's place, or NULL */
    union {
        const uint64_t *parts;          /* breakdown->n of them */
        const char *const *names;
        const struct mp_finding_figure *figures;
    };
};

struct mp_table_row {
    enum { MP_ROW_ITEM, MP_ROW_TOTAL, MP_ROW_REST } is;
    uint64_t n;                 /* MP_ROW_REST: how many items are summed up in it */
    uint32_t under;             /* the row that it belongs to, an index; MP_NO_ID: to none */
    uint8_t section;            /* index in kind->sections: what it is to that row */
    bool overlaps;              /* counts in part what other rows of its section count: the whole is
                                   less than their sum */
    struct mp_value *values;    /* kind->n_columns of them */
};

/* Rows with something in common, as seen from the row that they are under. */
struct mp_table_section {
    const char *key;            /* as of columns */
    const char *heading;        /* for people; NULL: it needs none */
};

/* How what was left out is told: the value of COLUMN with what it counts, "%s bytes kept". */
struct mp_table_said {
    uint8_t column;
    const char *one, *many;
};

/* What all tables of a kind have in common: constant. */
struct mp_table_kind {
    const char *key;            /* as on the command line, unique but for forms of one table */
    const char *title;          /* "TABLE 1: ALLOCATION BINS" */
    const char *one, *many;     /* what its rows are: "bin", "bins" */
    const char *explanation;    /* one sentence for people */
    const struct mp_table_column *columns;
    size_t n_columns;
    const struct mp_table_section *sections;    /* NULL: all rows are of one sort */
    size_t n_sections;
    const struct mp_table_said *said;           /* of what was left out */
    size_t n_said;
    bool plain_count;           /* how many rows were left out is printed without commas */
};

struct mp_table {
    const struct mp_table_kind *kind;
    struct mp_table_row *rows;
    uint32_t n_rows, room;
    struct mp_table_row left_out;       /* MP_ROW_REST; n is 0: nothing was */
    unsigned permille;          /* why: tenths of a percent that a row must have to be shown; */
    uint64_t least;             /* or so many bytes, or blocks: `least_blocks`; 0: by the share */
    bool least_blocks;
    bool above;                 /* what has just that share is not shown either */
    bool full;                  /* or because so many rows were wanted and no more */
    bool calls;                 /* values of chains have their calls */
    bool moment;                /* of what was alive at one moment: see MP_LAYOUT_AFTER */
    bool growth;                /* of what happened between two: what columns call kept is what grew */
    const char *note;           /* what must be known to read it, for people; or NULL */
    const char *nothing;        /* why there are no rows, for people; NULL: there are */
    const struct mp_breakdown_style *breakdown; /* of columns of MP_UNIT_PARTS; NULL: none */
    const uint64_t *largest;    /* by column: the largest number, also of rows left out, so that a
                                   column is as wide for any threshold; NULL: it does not matter */
    uint64_t collections;       /* MP_NO_COLLECTIONS: they do not matter */
    struct mp_arena *arena;     /* owns rows, values and what these point to, unless the profile or
                                   the graph does, which must outlive the table */
};
#define MP_NO_COLLECTIONS UINT64_MAX

struct mp_table *mp_table_new(const struct mp_table_kind *kind);
void mp_table_free(struct mp_table *table);

/* A table of KIND, and why rows are left out, by OPTIONS. */
struct mp_table *mp_table_begin(const struct mp_table_kind *kind,
                                const struct mp_print_options *options);

/* One more row, at the end, of which no value is known.  It may move when the next is added; its
 * values do not. */
struct mp_table_row *mp_table_add(struct mp_table *table);

/* The values of one more row. */
struct mp_value *mp_table_add_item(struct mp_table *table);
struct mp_value *mp_table_add_total(struct mp_table *table);

/* The values of what is left out: those of N rows. */
struct mp_value *mp_table_leave_out(struct mp_table *table, uint64_t n);

static inline struct mp_value
mp_value_number(uint64_t number)
{
    return (struct mp_value){.known = true, .number = number};
}

/* What is kept, or, between two moments, by how much it grew: a signed number. */
static inline struct mp_value
mp_value_kept(uint64_t kept)
{
    const bool negative = (int64_t)kept < 0;

    return (struct mp_value){.known = true, .negative = negative, .number = negative ? -kept : kept};
}

/* A figure of COUNTS, estimated or exact. */
static inline struct mp_value
mp_value_figure(const struct mp_counts *counts, enum mp_figure figure)
{
    struct mp_estimate estimate = mp_counts_estimate(counts, figure);

    if ((int64_t)estimate.value < 0 && (figure == MP_FIGURE_KEPT || figure == MP_FIGURE_KEPT_BLOCKS))
        return mp_value_kept(estimate.value);
    return (struct mp_value){.known = true, .estimated = !estimate.exact, .number = estimate.value,
                             .low = estimate.low, .high = estimate.high};
}

/* How far the interval of VALUE, which is estimated, goes, to the side where it goes further. */
static inline uint64_t
mp_value_error(const struct mp_value *value)
{
    return mp_estimate_error(&(struct mp_estimate){value->number, value->low, value->high, false});
}

/* A share; also a mean. */
static inline struct mp_value
mp_value_share(uint64_t part, uint64_t whole)
{
    return (struct mp_value){.known = true, .number = part, .whole = whole};
}

/* VALUE; or, unless it is to be SHOWN, the same where the text of a table has nothing. */
static inline struct mp_value
mp_value_if(bool shown, struct mp_value value)
{
    value.blank = !shown;
    return value;
}

/* TEXT instead of a value. */
static inline struct mp_value
mp_value_none(const char *text)
{
    return (struct mp_value){.text = text};
}

static inline struct mp_value
mp_value_text(const char *text)
{
    return (struct mp_value){.known = true, .text = text};
}

static inline struct mp_value
mp_value_function(const struct mp_profile *profile, uint32_t function)
{
    return (struct mp_value){
        .known = true, .number = function, .text = profile->functions[function].name};
}

static inline struct mp_value
mp_value_chain(uint32_t context, const char *text, const char *const *words,
               const struct mp_calls *calls)
{
    return (struct mp_value){
        .known = true, .number = context, .text = text, .names = words, .calls = calls};
}

static inline struct mp_value
mp_value_parts(const uint64_t *parts, uint64_t whole)
{
    return (struct mp_value){.known = true, .whole = whole, .parts = parts};
}

static inline struct mp_value
mp_value_names(const char *const *names, uint64_t n)
{
    return (struct mp_value){.known = n > 0, .number = n, .names = names};
}

#endif
