#include "table_direct.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <libsmartcols.h>

enum column { PERCENT, BYTES, SIZES, BAR, KEPT, KEPT_SIZES, BAR_TOO, CALLS, NAME, N_COLUMNS };

static const struct {
    const char *head;
    int flags;
} columns[N_COLUMNS] = {
    [PERCENT] = { "% mem", SCOLS_FL_RIGHT },
    [BYTES] = { "bytes", SCOLS_FL_RIGHT },
    [SIZES] = { "     % mem(size)", 0 },
    [BAR] = { "|", 0 },
    [KEPT] = { "bytes kept", SCOLS_FL_RIGHT },
    [KEPT_SIZES] = { "      % all kept", 0 },
    [BAR_TOO] = { "|", 0 },
    [CALLS] = { "calls", SCOLS_FL_RIGHT },
    [NAME] = { "name", SCOLS_FL_TRUNC },
};

struct table {
    struct libscols_table *lines;
    const struct mp_reduced *reduced;
    const struct mp_print_options *options;
    uint64_t bytes, kept;       /* of the whole program */
};

static bool
set_text(struct libscols_line *line, enum column column, const char *text)
{
    return scols_line_set_data(line, column, text) == 0;
}

static bool
set_number(struct libscols_line *line, enum column column, uint64_t number)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRIu64, number);
    return set_text(line, column, text);
}

static struct libscols_line *
new_line(const struct table *t)
{
    struct libscols_line *line = scols_table_new_line(t->lines, NULL);

    if (!line || !set_text(line, BAR, "|") || !set_text(line, BAR_TOO, "|"))
        return NULL;
    return line;
}

/* The letters of the breakdowns, which libsmartcols sees as the first row. */
static bool
add_heads(const struct table *t)
{
    struct libscols_line *line = new_line(t);
    char text[MP_BREAKDOWN_WIDTH + 1];

    mp_breakdown_heads(t->reduced->graph->style, text);
    return line && set_text(line, SIZES, text) && set_text(line, KEPT_SIZES, text);
}

static bool
add_row(const struct table *t, const struct mp_sums *sums, const char *name, bool percent)
{
    struct libscols_line *line = new_line(t);
    uint64_t bytes = mp_sums_bytes(sums);
    char sizes[MP_BREAKDOWN_WIDTH + 1], kept[MP_BREAKDOWN_WIDTH + 1], share[16] = "";

    mp_breakdown_cells(sums->bytes, t->bytes, sizes);
    mp_breakdown_cells(sums->kept, t->kept, kept);
    if (percent && t->bytes > 0)
        snprintf(share, sizeof share, "%.1f", (double)bytes * 100 / (double)t->bytes);
    return line && set_text(line, PERCENT, share) && set_number(line, BYTES, bytes) &&
           set_text(line, SIZES, sizes) && set_number(line, KEPT, mp_sums_kept(sums)) &&
           set_text(line, KEPT_SIZES, kept) && set_number(line, CALLS, sums->allocs) &&
           set_text(line, NAME, name);
}

/* Functions come by decreasing bytes: the first that is too small ends the table.  *SHOWN: how
 * many are in it. */
static bool
add_functions(const struct table *t, uint32_t *shown)
{
    const struct mp_reduced *r = t->reduced;
    uint32_t i;

    for (i = 0; i < r->n_direct; i++) {
        const struct mp_sums *self = &r->graph->nodes[r->direct[i]].self;

        if (!mp_print_shows(t->options->verbosity, mp_sums_bytes(self), t->bytes))
            break;
        if (!add_row(t, self, r->profile->functions[r->direct[i]].name, true))
            return false;
    }
    *shown = i;
    return true;
}

static bool
set_up(const struct table *t)
{
    bool narrow = t->options->width > 0;

    for (unsigned i = 0; i < N_COLUMNS; i++)
        if (!scols_table_new_column(t->lines, columns[i].head, i == NAME ? 0.2 : 0,
                                    narrow ? columns[i].flags : columns[i].flags & SCOLS_FL_RIGHT))
            return false;
    if (narrow) {
        scols_table_set_termwidth(t->lines, t->options->width);
        scols_table_set_termforce(t->lines, SCOLS_TERMFORCE_ALWAYS);
    } else {
        scols_table_set_termforce(t->lines, SCOLS_TERMFORCE_NEVER);
    }
    return true;
}

static void
print_left_out(FILE *out, const struct table *t, uint32_t shown)
{
    const struct mp_reduced *r = t->reduced;
    struct mp_sums left = { 0 };
    uint32_t n = r->n_direct - shown;
    uint64_t bytes;

    if (n == 0)
        return;
    for (uint32_t i = shown; i < r->n_direct; i++)
        mp_sums_add(&left, &r->graph->nodes[r->direct[i]].self);
    bytes = mp_sums_bytes(&left);
    fprintf(out, "Below %s %%, left out (--verbose shows all): %" PRIu32 " function%s, %" PRIu64
                 " byte%s (%.1f %%), %" PRIu64 " call%s.\n",
            t->options->verbosity == MP_TERSE ? "1" : "0.5", n, n == 1 ? "" : "s",
            bytes, bytes == 1 ? "" : "s", (double)bytes * 100 / (double)t->bytes,
            left.allocs, left.allocs == 1 ? "" : "s");
}

bool
mp_table_direct_print(FILE *out, const struct mp_reduced *reduced,
                      const struct mp_print_options *options, struct mp_error *error)
{
    struct table t = { .reduced = reduced, .options = options };
    const struct mp_sums *total = &reduced->graph->total;
    uint32_t shown;
    bool whole;

    t.bytes = mp_sums_bytes(total);
    t.kept = mp_sums_kept(total);
    t.lines = scols_new_table();
    whole = t.lines && set_up(&t) && add_heads(&t) && add_row(&t, total, "<TOTAL>", false) &&
            add_functions(&t, &shown) && scols_table_set_stream(t.lines, out) == 0 &&
            scols_print_table(t.lines) == 0;
    scols_unref_table(t.lines);
    if (!whole)
        return mp_fail(error, MP_ERR_MEMORY, MP_NO_OFFSET, "the table of direct allocation");
    print_left_out(out, &t, shown);
    if (ferror(out))
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "writing the report: %s",
                       strerror(errno));
    return true;
}
