#include "table_graph.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "columns.h"
#include "format_number.h"

#define INDENT 4                /* of ancestors and descendents against the entry's name */
#define NAME_RULE 24            /* dashes under the names */

struct printer {
    FILE *out;
    const struct mp_reduced *reduced;
    const struct mp_print_options *options;
    uint64_t bytes;             /* of the whole program */
    int index_width, bytes_width, called_width, total_width;
    const struct mp_breakdown_style *style;
    int width;                  /* of a breakdown */
    bool stars;                 /* one was printed */
};

/* One line.  NULL and absent parts stay blank. */
struct line {
    const struct mp_entry *entry;       /* of which index and self+desc are shown */
    const struct mp_sums *sums;
    uint64_t whole;             /* bytes that the sums are a percentage of */
    bool share;                 /* show the percentage, and the sums' kinds as fractions of whole */
    bool rule;                  /* a rule in the place of the fractions */
    bool star;
    bool named;                 /* calls and a name follow */
    bool has_called, has_total;
    uint64_t called, total;     /* or recur */
};

static int
digits(uint64_t number)
{
    return snprintf(NULL, 0, "%" PRIu64, number);
}

static int
wider(int width, int other)
{
    return width > other ? width : other;
}

static void
set_widths(struct printer *p)
{
    const struct mp_reduced *r = p->reduced;
    uint64_t most = r->graph->total.allocs;

    p->index_width = wider(digits(r->n_entries) + 2, (int)strlen("index"));
    p->bytes_width = wider(digits(p->bytes), 8);
    p->called_width = wider(digits(most), 6);
    for (uint32_t i = 0; i < r->n_entries; i++)
        if (r->entries[i].recur > most)
            most = r->entries[i].recur;
    p->total_width = wider(digits(most), 5);
}

/* ---------------------------------------------------------------- the columns */

static void
print_share(const struct printer *p, const struct line *line)
{
    char text[8];

    snprintf(text, sizeof text, "(%u)", mp_number_share(mp_sums_bytes(line->sums), line->whole));
    fprintf(p->out, " %5s", text);
}

static void
print_amount(struct printer *p, const struct line *line)
{
    char text[MP_BREAKDOWN_WIDTH + 1];

    if (!line->sums) {
        fprintf(p->out, " %*s%c %5s %*s", p->bytes_width, "", line->star ? '*' : ' ', "",
                p->width, "");
        return;
    }
    fprintf(p->out, " %*" PRIu64 "%c", p->bytes_width, mp_sums_bytes(line->sums),
            line->star ? '*' : ' ');
    if (line->share)
        print_share(p, line);
    else
        fprintf(p->out, " %5s", "");
    mp_breakdown_cells(p->style, line->sums->bytes, mp_sums_bytes(line->sums), text);
    fprintf(p->out, " %s", text);
}

static void
print_fractions(const struct printer *p, const struct line *line)
{
    char text[MP_BREAKDOWN_WIDTH + 1];

    memset(text, line->rule ? '-' : ' ', MP_BREAKDOWN_WIDTH);
    text[p->width] = '\0';
    if (line->share && !line->rule)
        mp_breakdown_cells(p->style, line->sums->bytes, line->whole, text);
    fprintf(p->out, " | %s |", text);
}

static void
print_calls(const struct printer *p, const struct line *line)
{
    if (line->has_called)
        fprintf(p->out, " %*" PRIu64, p->called_width, line->called);
    else
        fprintf(p->out, " %*s", p->called_width, "");
    if (line->has_total)
        fprintf(p->out, "/%-*" PRIu64, p->total_width, line->total);
    else
        fprintf(p->out, " %*s", p->total_width, "");
}

/* All of a line but the name at its end; no blanks at the end when there is none.
 * SELF_DESC: what stands there when there is no entry. */
static void
print_line(struct printer *p, const struct line *line, const char *self_desc)
{
    char index[24] = "", share[MP_NUMBER_SIZE];

    if (line->entry) {
        snprintf(index, sizeof index, "[%td]", line->entry - p->reduced->entries);
        mp_number_tenths(mp_sums_bytes(&line->entry->inclusive), p->bytes, share);
        self_desc = share;
    }
    p->stars |= line->star;
    fprintf(p->out, "%-*s %11s", p->index_width, index, self_desc);
    print_amount(p, line);
    print_fractions(p, line);
    if (line->named)
        print_calls(p, line);
}

static void
print_name(const struct printer *p, const struct mp_entry *entry, bool row)
{
    bool bold = p->options->color && !row;

    fprintf(p->out, "  %*s%s", row ? INDENT : 0, "", bold ? "\033[1m" : "");
    if (entry->function != MP_NO_ID)
        fputs(p->reduced->profile->functions[entry->function].name, p->out);
    if (entry->cycle && entry->function != MP_NO_ID)
        fprintf(p->out, " <cycle %" PRIu32 ">", entry->cycle);
    else if (entry->cycle)
        fprintf(p->out, "<cycle %" PRIu32 " as a whole>", entry->cycle);
    fprintf(p->out, "%s [%td]", bold ? "\033[0m" : "", entry - p->reduced->entries);
}

/* A rule with the letters of the breakdowns in it. */
static void
print_rule(const struct printer *p)
{
    char letters[MP_BREAKDOWN_WIDTH + 1];
    int before = p->index_width + 1 + 11 + 1 + p->bytes_width + 1 + 6 + 1;
    int after = 1 + p->called_width + 1 + p->total_width + 2 + NAME_RULE;

    mp_breakdown_heads(p->style, letters);
    for (char *c = letters; *c; c++)
        if (*c == ' ')
            *c = '-';
    while (before-- > 0)
        fputc('-', p->out);
    fprintf(p->out, "%s-+-%s-+", letters, letters);
    while (after-- > 0)
        fputc('-', p->out);
    fputc('\n', p->out);
}

static void
print_head(const struct printer *p, const char *index, const char *self_desc, const char *self,
           const char *of, const char *fractions, const char *called, const char *name)
{
    char sizes[32];

    snprintf(sizes, sizeof sizes, "%s-%s", p->style->what, of);
    fprintf(p->out, "%-*s %11s %*s %*s | %*s | %*s  %s\n", p->index_width, index, self_desc,
            p->bytes_width + 7, self, p->width, sizes, p->width, fractions,
            p->called_width + 1 + p->total_width, called, name);
}

static void
print_heads(const struct printer *p)
{
    print_head(p, "", "", "", "ances", "frac-ances", "called/total", "    ancestors");
    print_head(p, "index", "self + desc", "self   (%)", "func", "", "called/recur",
               "name [index]");
    print_head(p, "", "", "", "desc", "frac-desc", "called/total", "    descendents");
    print_rule(p);
}

/* ---------------------------------------------------------------- rows */

static const struct mp_entry *
entry_of(const struct printer *p, uint32_t function)
{
    return &p->reduced->entries[p->reduced->entry_of[function]];
}

static void
print_row(struct printer *p, const struct mp_row *row, bool ancestor, uint64_t whole)
{
    const struct mp_entry *other = entry_of(p, row->function);
    struct line line = {
        .sums = row->sums, .whole = whole, .share = true, .star = row->same_cycle,
        .named = true, .has_called = true, .called = row->sums->allocs,
        .has_total = true, .total = ancestor ? other->calling.allocs : other->called.allocs
    };

    print_line(p, &line, "");
    print_name(p, other, true);
    fputc('\n', p->out);
}

/* A line for N things that have no line of their own. */
static void
print_others(struct printer *p, const struct mp_sums *sums, uint64_t whole, uint32_t n,
             const char *what)
{
    struct line line = {
        .sums = sums, .whole = whole, .share = sums != NULL, .star = !sums,
        .named = true, .has_called = sums && sums->allocs > 0, .called = sums ? sums->allocs : 0
    };

    if (n == 0)
        return;
    print_line(p, &line, "");
    fprintf(p->out, "  %*s(%" PRIu32 " %s)\n", INDENT, "", n, what);
}

static void
print_all(struct printer *p, const struct mp_sums *sums)
{
    struct line line = { .sums = sums };

    print_line(p, &line, "all");
    fputc('\n', p->out);
}

/* Rows come by decreasing bytes.  How many have a line: those that reach the threshold, and the
 * last if it is the only one that does not. */
static uint32_t
rows_shown(const struct printer *p, const struct mp_row *rows, uint32_t n_rows)
{
    uint32_t n = 0;

    while (n < n_rows &&
           mp_print_shows(p->options, mp_sums_bytes(rows[n].sums), p->bytes))
        n++;
    return n + 1 == n_rows ? n_rows : n;
}

static void
print_rows(struct printer *p, const struct mp_row *rows, uint32_t n_rows, bool ancestors,
           uint64_t whole)
{
    uint32_t shown = rows_shown(p, rows, n_rows), others = 0, in_cycle = 0;
    struct mp_sums sums = { 0 };

    for (uint32_t i = 0; i < shown; i++)
        print_row(p, &rows[i], ancestors, whole);
    for (uint32_t i = shown; i < n_rows; i++) {
        if (rows[i].same_cycle) {
            in_cycle++;
        } else {
            others++;
            mp_sums_add(&sums, rows[i].sums);
        }
    }
    print_others(p, &sums, whole, others, others == 1 ? "other" : "others");
    print_others(p, NULL, whole, in_cycle, in_cycle == 1 ? "other in the cycle"
                                                         : "others in the cycle");
}

/* Each byte below an entry came over an ancestor, or from a chain that starts with the entry. */
static void
print_ancestors(struct printer *p, const struct mp_entry *entry)
{
    uint64_t whole = mp_sums_bytes(&entry->inclusive);
    bool outermost = mp_sums_any(&entry->root) && entry->n_ancestors > 0;
    struct line line = {
        .sums = &entry->root, .whole = whole, .share = true,
        .named = true, .has_called = true, .called = entry->root.allocs
    };

    if (entry->n_ancestors + outermost > 1)
        print_all(p, &entry->inclusive);
    print_rows(p, entry->ancestors, entry->n_ancestors, true, whole);
    if (!outermost)
        return;
    print_line(p, &line, "");
    fprintf(p->out, "  %*s<no caller>\n", INDENT, "");
}

static void
print_descendants(struct printer *p, const struct mp_entry *entry)
{
    print_rows(p, entry->descendants, entry->n_descendants, false,
               mp_sums_bytes(&entry->calling));
    if (entry->n_descendants > 1)
        print_all(p, &entry->calling);
}

/* ---------------------------------------------------------------- entries */

static struct line
line_of(const struct mp_entry *entry)
{
    return (struct line) {
        .entry = entry, .sums = &entry->self, .whole = mp_sums_bytes(&entry->inclusive),
        .share = true, .rule = true,
        .named = true, .has_called = true, .called = entry->called.allocs,
        .has_total = entry->recur > 0, .total = entry->recur
    };
}

static void
print_entry(struct printer *p, const struct mp_entry *entry)
{
    struct line line = line_of(entry);

    print_ancestors(p, entry);
    print_line(p, &line, "");
    print_name(p, entry, false);
    fputc('\n', p->out);
    print_descendants(p, entry);
    print_rule(p);
}

static void
print_member(struct printer *p, const struct mp_entry *cycle, const struct mp_entry *member)
{
    struct line line = line_of(member);

    line.entry = NULL;
    line.rule = false;
    line.whole = mp_sums_bytes(&cycle->self);
    print_line(p, &line, "");
    print_name(p, member, true);
    fputc('\n', p->out);
}

/* The first appearance of a cycle: what its members allocate themselves. */
static void
print_members(struct printer *p, const struct mp_entry *cycle)
{
    struct line line = line_of(cycle);
    struct mp_sums sums = { 0 };
    uint32_t others = 0;

    print_line(p, &line, "");
    print_name(p, cycle, false);
    fprintf(p->out, ", %" PRIu32 " members:\n", cycle->n_members);
    for (uint32_t i = 0; i < cycle->n_members; i++) {
        const struct mp_entry *member = entry_of(p, cycle->members[i]);

        if (mp_print_shows(p->options, mp_sums_bytes(&member->inclusive), p->bytes)) {
            print_member(p, cycle, member);
        } else {
            others++;
            mp_sums_add(&sums, &member->self);
        }
    }
    sums.allocs = 0;            /* their calls do not add up: a chain has several members */
    print_others(p, &sums, mp_sums_bytes(&cycle->self), others, others == 1 ? "other" : "others");
    print_rule(p);
}

static void
print_notes(const struct printer *p, uint32_t shown)
{
    uint32_t left = p->reduced->n_entries - shown;
    bool full = left > 0 && !mp_print_room(p->options, shown);
    char threshold[MP_NUMBER_SIZE];

    if (p->stars)
        fputs("* between members of one cycle: each byte counts once in its row, however often "
              "the chain\n  recurs; rows with a star overlap and do not add up.\n", p->out);
    if (full)
        fprintf(p->out, "%" PRIu32 " more entr%s left out\n", left, left == 1 ? "y" : "ies");
    else if (left > 0)
        fprintf(p->out, "%" PRIu32 " entr%s of less than %s %% left out\n", left,
                left == 1 ? "y" : "ies", mp_print_threshold_text(p->options, threshold));
}

/* Entries come by decreasing bytes: the first that is too small ends the table. */
static void
print_entries(struct printer *p)
{
    const struct mp_reduced *reduced = p->reduced;
    uint32_t i;

    set_widths(p);
    print_heads(p);
    for (i = 0; i < reduced->n_entries; i++) {
        const struct mp_entry *entry = &reduced->entries[i];

        if (!mp_print_room(p->options, i) ||
            !mp_print_shows(p->options, mp_sums_bytes(&entry->inclusive), p->bytes))
            break;
        if (entry->function == MP_NO_ID)
            print_members(p, entry);
        print_entry(p, entry);
    }
    print_notes(p, i);
}

bool
mp_table_graph_print(FILE *out, const struct mp_reduced *reduced,
                     const struct mp_print_options *options, struct mp_error *error)
{
    struct printer p = { .out = out, .reduced = reduced, .options = options };

    p.bytes = mp_sums_bytes(&reduced->graph->total);
    p.style = reduced->graph->style;
    p.width = mp_breakdown_width(p.style);
    mp_columns_title(out, "TABLE 4: ALLOCATION CALL GRAPH", options->color);
    if (reduced->n_entries > 0)
        print_entries(&p);
    else
        fputs(MP_PRINT_NOTHING, out);
    if (ferror(out))
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "writing the report: %s",
                       strerror(errno));
    return true;
}
