/* SPDX-License-Identifier: MIT */
/*
 * table.h -- a table of the report before it becomes text: rows of values, and columns that define their meaning.
 *
 * reporter/table/ owns the report: its head, its tables, and their forms as text and JSON. It reads profiles that its
 * caller has loaded and restricted to a view. Commands, other directories that print tables, and reporter/api.h call
 * it.
 *
 * A table's own file (tables.h) computes a struct mp_table. Renderers depend on no particular table:
 *
 *     for each row:  for each column:  table->rows[i].values[column], by kind->columns[column].unit
 *
 * So a column is described once, in the array `columns` of its table:
 *
 *     [KEPT] = {"kept_bytes", "bytes kept", MP_UNIT_BYTES, "Bytes never freed.", MP_LAYOUT_AFTER, MP_OF(KEPT)},
 *
 * mp_table_print() prints "bytes kept" as its head. mp_json_table() writes its key, unit and explanation once, and its
 * value in each row as {"kept_bytes": 96}. doc/columns.sh generates the schema and the list in mprof-json(5) from the
 * same array. The page uses the key and the value. mp_table_fill() sets the values of all columns with a figure.
 *
 * A value is a number in the unit of its column, never a text that must be parsed. Rows are in the order of display.
 * Items without a row of their own are summed up in a row MP_ROW_REST or in `left_out`. So the rows that do not
 * overlap and the rest add up exactly to the whole.
 *
 * A row may belong to another row (`under`), as classes to their built-in type, or callers and callees to a function
 * of the call graph. Rows under the same row are adjacent to it, before or after it.
 */
#ifndef MP_TABLE_H
#define MP_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "print.h"
#include "reporter/graph/breakdown_kinds.h"
#include "reporter/profile/estimate.h"
#include "reporter/profile/profile.h"

/* Unit of a column's values. Comments name the members of struct mp_value that contain them. */
enum mp_unit {
    MP_UNIT_BYTES = 1,          /* number */
    MP_UNIT_BLOCKS,             /* number of malloc blocks, Lisp objects, or calls that allocated them */
    MP_UNIT_COUNT,              /* number of other things, or the identifying number of such a thing */
    MP_UNIT_PERCENT,            /* number / whole, both in bytes or both in blocks; no value if whole is 0 */
    MP_UNIT_MEAN,               /* number (bytes) / whole (blocks); no value if whole is 0 */
    MP_UNIT_PARTS,              /* parts of whole in bytes, one for each column of the table's breakdown, which
                                   defines their keys */
    MP_UNIT_TEXT,               /* text */
    MP_UNIT_NAMES,              /* names, and their number */
    MP_UNIT_FUNCTION,           /* text: the name; number: the id in the profile */
    MP_UNIT_CHAIN,              /* text: the visible part of a chain; names: its words, followed by NULL, or NULL;
                                   number: the context's id in the profile; calls: the same part as calls, or NULL,
                                   see mp_print_options */
    MP_UNIT_FIGURES,            /* figures of a finding, and their number */
    MP_UNIT_TENTHS,             /* number of tenths, 15 for 1.5 */
    MP_UNIT_ADDRESS             /* number; in JSON a hexadecimal text */
};

/* Flags for the text form of a column. Other formats may ignore them. */
enum mp_layout {
    MP_LAYOUT_USUAL = 0,
    MP_LAYOUT_TENTHS = 1,       /* percentage with one decimal, 49.8 instead of (49) */
    MP_LAYOUT_BAR = 2,          /* a vertical bar follows the column */
    MP_LAYOUT_OPTIONAL = 4,     /* hidden if no row has a value */
    MP_LAYOUT_HIDDEN = 8,       /* always hidden, or displayed as part of another column */
    MP_LAYOUT_AFTER = 16,       /* describes what happened to blocks later; hidden in tables of one point in time */
    MP_LAYOUT_KEPT_SHARE = 32,  /* share of kept bytes; hidden if those may be negative */
    MP_LAYOUT_SIGNED = 64,      /* a change; positive numbers have a plus sign */
    MP_LAYOUT_CODE = 128,       /* source code; cut at the end instead of the middle */
    MP_LAYOUT_SPARE = 256,      /* hidden if a terminal is too narrow for both it and a column of code */
    MP_LAYOUT_SORTED = 512      /* blank unless rows are sorted by the column's figure */
};

struct mp_calls;                /* reporter/graph/node_chain.h */
struct mp_finding_figure;       /* reporter/findings/findings.h */

struct mp_table_column {
    const char *key;            /* machine-readable name: a-z and _, unique within the table; NULL in mp_json_rows()
                                   if only text tables have the column */
    const char *title;          /* human-readable; %s is replaced by what distinguishes objects, such as "size" */
    enum mp_unit unit;
    const char *explanation;    /* one human-readable sentence */
    unsigned layout;            /* sum of enum mp_layout */
    unsigned figure;            /* MP_OF(...): the figure that the column counts or is a share of; 0 for none */
};

/* Initialises the figure of a column: MP_OF(KEPT) for MP_FIGURE_KEPT. */
#define MP_OF(name) .figure = MP_FIGURE_##name + 1

struct mp_value {
    bool known;                 /* false if there is no value; all members except text are then 0 */
    bool estimated;             /* number is an estimate; its 95 % interval is low to high */
    bool negative;              /* the value is -number, see `growth` below */
    bool blank;                 /* text tables leave the cell empty */
    uint64_t number, whole;
    union {
        struct {
            uint64_t low, high;
        };
        const struct mp_calls *calls;
    };
    const char *text;           /* replaces a number in text tables, or NULL */
    union {
        const uint64_t *parts;          /* breakdown->n of them */
        const char *const *names;
        const struct mp_finding_figure *figures;
    };
};

struct mp_table_row {
    enum { MP_ROW_ITEM, MP_ROW_TOTAL, MP_ROW_REST } is;
    uint64_t n;                 /* number of items summed up in the row, for MP_ROW_REST */
    uint32_t under;             /* index of the row that this one belongs to, or MP_NO_ID */
    uint8_t section;            /* index in kind->sections: relation to the row `under` */
    bool overlaps;              /* counts some of what other rows count; the sum exceeds the whole */
    struct mp_value *values;    /* kind->n_columns of them */
};

/* A group of rows with the same relation to the row that they are under. */
struct mp_table_section {
    const char *key;            /* machine-readable name */
    const char *heading;        /* human-readable, or NULL for no heading */
};

/* Describes the value of COLUMN in left-out rows by a text such as "%s bytes kept", in singular and plural. */
struct mp_table_said {
    uint8_t column;
    const char *one, *many;
};

/* The constant properties of all tables of one kind. */
struct mp_table_kind {
    const char *key;            /* name on the command line; variants of one table share it */
    const char *title;          /* for example "TABLE 1: ALLOCATION BINS" */
    const char *one, *many;     /* what a row is: "bin", "bins" */
    const char *explanation;    /* one human-readable sentence */
    const struct mp_table_column *columns;
    size_t n_columns;
    const struct mp_table_section *sections;    /* NULL if rows are not grouped */
    size_t n_sections;
    const struct mp_table_said *said;           /* values described for left-out rows */
    size_t n_said;
    bool plain_count;           /* print the number of left-out rows without commas */
    bool grouped;               /* print numbers in rows with commas */
};

struct mp_table {
    const struct mp_table_kind *kind;
    struct mp_table_row *rows;
    uint32_t n_rows, room;
    struct mp_table_row left_out;       /* MP_ROW_REST; n is 0 if nothing was left out */
    unsigned permille;          /* minimum share of a visible row, in tenths of a percent */
    uint64_t least;             /* minimum bytes or blocks (`least_blocks`) instead; 0 to use `permille` */
    bool least_blocks;
    enum mp_sort sort;          /* figure that rows are sorted by */
    bool no_temporary;          /* the number of temporary blocks in the window is unknown */
    bool by_size;               /* rows are of sizes, for which fewer figures are known than for chains (sort.h) */
    bool above;                 /* rows with exactly the minimum share are left out, too */
    bool full;                  /* rows were left out because of a maximum number of rows */
    bool calls;                 /* values of chains contain their calls */
    bool moment;                /* describes one point in time, see MP_LAYOUT_AFTER */
    bool growth;                /* describes what happened between two points in time; "kept" columns contain growth,
                                   which may be negative */
    const bool *lacking;        /* by column: the profile lacks its figure, see mp_table_forget(); or NULL */
    const char *note;           /* human-readable note that is necessary to understand the table, or NULL */
    const char *nothing;        /* human-readable reason why there are no rows, or NULL */
    const struct mp_breakdown_style *breakdown; /* for columns in MP_UNIT_PARTS, or NULL */
    const uint64_t *largest;    /* by column: maximum number including left-out rows, so that widths do not depend on
                                   the threshold; NULL if irrelevant */
    uint64_t collections;       /* number of collections, or MP_NO_COLLECTIONS if irrelevant */
    struct mp_arena *arena;     /* owns rows, values and what they point to, except data of the profile or graph,
                                   which must outlive the table */
};
#define MP_NO_COLLECTIONS UINT64_MAX

struct mp_table *mp_table_new(const struct mp_table_kind *kind);
void mp_table_free(struct mp_table *table);

/* Returns an empty table whose memory comes from ARENA. It is not freed by mp_table_free(). */
struct mp_table *mp_table_new_in(struct mp_arena *arena, const struct mp_table_kind *kind);

/* Returns an empty table of KIND, with thresholds from OPTIONS. */
struct mp_table *mp_table_begin(const struct mp_table_kind *kind,
                                const struct mp_print_options *options);

/* Returns whether VIEW lacks the number of blocks, and with it their sizes. At a point in time blocks are those that
 * were alive then. */
bool mp_table_lacks_blocks(const struct mp_table *table, const struct mp_profile *view);

/* Makes all values of TABLE unknown in columns whose figure VIEW lacks, and notes these columns, which text tables then
 * hide. Profiles that other tools wrote may lack figures. */
void mp_table_forget(struct mp_table *table, const struct mp_profile *view);

/* Returns whether mp_table_forget() made COLUMN unknown. */
static inline bool
mp_table_lacks(const struct mp_table *table, size_t column)
{
    return table->lacking && table->lacking[column];
}

/* Appends a row whose values are all unknown. The row may move when another is added; its values do not. */
struct mp_table_row *mp_table_add(struct mp_table *table);

/* Append a row and return its values. */
struct mp_value *mp_table_add_item(struct mp_table *table);
struct mp_value *mp_table_add_total(struct mp_table *table);

/* Creates `left_out`, which sums up N rows. Returns its values. */
struct mp_value *mp_table_leave_out(struct mp_table *table, uint64_t n);

/* Sets the columns with a figure in VALUES, a row of TABLE, to COUNTS; shares are those of WHOLE. Of the columns with
 * MP_LAYOUT_SORTED, those whose figure is unknown or has another column remain unset. */
void mp_table_fill(const struct mp_table *table, struct mp_value *values, const struct mp_counts *counts,
                   const struct mp_counts *whole);

static inline struct mp_value
mp_value_number(uint64_t number)
{
    return (struct mp_value){.known = true, .number = number};
}

/* Returns the value of kept bytes or blocks, which are signed: between two points in time they may be negative. */
static inline struct mp_value
mp_value_kept(uint64_t kept)
{
    const bool negative = (int64_t)kept < 0;

    return (struct mp_value){.known = true, .negative = negative, .number = negative ? -kept : kept};
}

/* Returns a figure of COUNTS, estimated or exact. */
static inline struct mp_value
mp_value_figure(const struct mp_counts *counts, enum mp_figure figure)
{
    struct mp_estimate estimate = mp_counts_estimate(counts, figure);

    if ((int64_t)estimate.value < 0 && mp_figure_is_kept(figure))
        return mp_value_kept(estimate.value);
    return (struct mp_value){.known = true, .estimated = !estimate.exact, .number = estimate.value,
                             .low = estimate.low, .high = estimate.high};
}

/* Returns the larger distance between VALUE, which is estimated, and the ends of its interval. */
static inline uint64_t
mp_value_error(const struct mp_value *value)
{
    return mp_estimate_error(&(struct mp_estimate){value->number, value->low, value->high, false});
}

/* Returns a share or a mean. */
static inline struct mp_value
mp_value_share(uint64_t part, uint64_t whole)
{
    return (struct mp_value){.known = true, .number = part, .whole = whole};
}

/* Returns VALUE. If not SHOWN, text tables leave its cell empty. */
static inline struct mp_value
mp_value_if(bool shown, struct mp_value value)
{
    value.blank = !shown;
    return value;
}

/* Returns an unknown value that is displayed as TEXT. */
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
        .known = true, .number = function, .text = profile->functions[function].text};
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

/* ---------------------------------------------------------------- renderers */

/* Prints the title, the rows in columns, and what was left out. Returns false and sets *ERROR if OUT
 * cannot be written. */
bool mp_table_print(const struct mp_table *table, const struct mp_print_options *options, FILE *out,
                    struct mp_error *error);

/* Prints only the titles of the columns and the rows. */
void mp_table_print_rows(const struct mp_table *table, const struct mp_print_options *options, FILE *out);

/* Print what precedes and follows the rows, and check OUT for errors. For tables with rows in another layout. */
void mp_table_print_title(const struct mp_table *table, const struct mp_print_options *options,
                          FILE *out);
void mp_table_print_left_out(const struct mp_table *table, FILE *out);
bool mp_table_printed(FILE *out, struct mp_error *error);

struct mp_json_out;

/* Writes TABLE as JSON, row by row, so that memory does not grow with its size. Its functions are ids in VIEW. */
void mp_json_table(struct mp_json_out *out, const struct mp_table *table, const struct mp_profile *view);

/* Writes the rows of TABLE as the member "rows", a list of objects with a member for each column. */
void mp_json_rows(struct mp_json_out *out, const struct mp_table *table);

#endif
