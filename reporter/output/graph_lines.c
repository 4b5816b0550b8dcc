#include "graph_lines.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#define INDENT 4                /* of ancestors and descendents against the entry's name */
#define NAME_RULE 24            /* dashes under the names */

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
set_widths(struct mp_lines *lines)
{
    const struct mp_reduced *r = lines->reduced;
    uint64_t most = r->graph->total.allocs;

    lines->index_width = wider(digits(r->n_entries) + 2, (int)strlen("index"));
    lines->bytes_width = wider(digits(lines->bytes), 8);
    lines->called_width = wider(digits(most), 6);
    for (uint32_t i = 0; i < r->n_entries; i++)
        if (r->entries[i].recur > most)
            most = r->entries[i].recur;
    lines->total_width = wider(digits(most), 5);
}

void
mp_lines_init(struct mp_lines *lines, FILE *out, const struct mp_reduced *reduced,
              const struct mp_print_options *options)
{
    *lines = (struct mp_lines) {.out = out, .reduced = reduced, .options = options};
    lines->bytes = mp_sums_bytes(&reduced->graph->total);
    lines->style = reduced->graph->style;
    lines->width = mp_breakdown_width(lines->style);
    set_widths(lines);
}

/* ---------------------------------------------------------------- heads and rules */

void
mp_lines_rule(const struct mp_lines *lines)
{
    char letters[MP_BREAKDOWN_WIDTH + 1];
    int before = lines->index_width + 1 + 11 + 1 + lines->bytes_width + 1 + 6 + 1;
    int after = 1 + lines->called_width + 1 + lines->total_width + 2 + NAME_RULE;

    mp_breakdown_heads(lines->style, letters);
    for (char *c = letters; *c; c++)
        if (*c == ' ')
            *c = '-';
    while (before-- > 0)
        fputc('-', lines->out);
    fprintf(lines->out, "%s-+-%s-+", letters, letters);
    while (after-- > 0)
        fputc('-', lines->out);
    fputc('\n', lines->out);
}

static void
print_head(const struct mp_lines *lines, const char *index, const char *self_desc,
           const char *self, const char *of, const char *fractions, const char *called,
           const char *name)
{
    char sizes[32];

    snprintf(sizes, sizeof sizes, "%s-%s", mp_breakdown_what(lines->style), of);
    fprintf(lines->out, "%-*s %11s %*s %*s | %*s | %*s  %s\n", lines->index_width, index,
            self_desc, lines->bytes_width + 7, self, lines->width, sizes, lines->width, fractions,
            lines->called_width + 1 + lines->total_width, called, name);
}

void
mp_lines_heads(const struct mp_lines *lines)
{
    print_head(lines, "", "", "", "ances", "frac-ances", "called/total", "    ancestors");
    print_head(lines, "index", "self + desc", "self   (%)", "func", "", "called/recur",
               "name [index]");
    print_head(lines, "", "", "", "desc", "frac-desc", "called/total", "    descendents");
    mp_lines_rule(lines);
}

/* ---------------------------------------------------------------- the columns */

static void
print_share(const struct mp_lines *lines, const struct mp_line *line)
{
    char text[8];

    snprintf(text, sizeof text, "(%u)", mp_number_share(mp_sums_bytes(line->sums), line->whole));
    fprintf(lines->out, " %5s", text);
}

static void
print_amount(const struct mp_lines *lines, const struct mp_line *line)
{
    char text[MP_BREAKDOWN_WIDTH + 1];

    if (!line->sums) {
        fprintf(lines->out, " %*s%c %5s %*s", lines->bytes_width, "", line->star ? '*' : ' ', "",
                lines->width, "");
        return;
    }
    fprintf(lines->out, " %*" PRIu64 "%c", lines->bytes_width, mp_sums_bytes(line->sums),
            line->star ? '*' : ' ');
    if (line->share)
        print_share(lines, line);
    else
        fprintf(lines->out, " %5s", "");
    mp_breakdown_cells(lines->style, line->sums->bytes, mp_sums_bytes(line->sums), text);
    fprintf(lines->out, " %s", text);
}

static void
print_fractions(const struct mp_lines *lines, const struct mp_line *line)
{
    char text[MP_BREAKDOWN_WIDTH + 1];

    memset(text, line->rule ? '-' : ' ', MP_BREAKDOWN_WIDTH);
    text[lines->width] = '\0';
    if (line->share && !line->rule)
        mp_breakdown_cells(lines->style, line->sums->bytes, line->whole, text);
    fprintf(lines->out, " | %s |", text);
}

static void
print_calls(const struct mp_lines *lines, const struct mp_line *line)
{
    if (line->has_called)
        fprintf(lines->out, " %*" PRIu64, lines->called_width, line->called);
    else
        fprintf(lines->out, " %*s", lines->called_width, "");
    if (line->has_total)
        fprintf(lines->out, "/%-*" PRIu64, lines->total_width, line->total);
    else
        fprintf(lines->out, " %*s", lines->total_width, "");
}

/* All of a line but what is named at its end; no blanks at the end when nothing is.  SELF_DESC:
 * what stands there when there is no entry. */
static void
print_line(struct mp_lines *lines, const struct mp_line *line, const char *self_desc)
{
    char index[24] = "", share[MP_NUMBER_SIZE];

    if (line->entry) {
        snprintf(index, sizeof index, "[%td]", line->entry - lines->reduced->entries);
        mp_number_tenths(mp_sums_bytes(&line->entry->inclusive), lines->bytes, share);
        self_desc = share;
    }
    lines->stars |= line->star;
    fprintf(lines->out, "%-*s %11s", lines->index_width, index, self_desc);
    print_amount(lines, line);
    print_fractions(lines, line);
    if (line->named)
        print_calls(lines, line);
}

struct mp_line
mp_lines_of(const struct mp_entry *entry)
{
    return (struct mp_line) {
        .entry = entry, .sums = &entry->self, .whole = mp_sums_bytes(&entry->inclusive),
        .share = true, .rule = true,
        .named = true, .has_called = true, .called = entry->called.allocs,
        .has_total = entry->recur > 0, .total = entry->recur
    };
}

/* ---------------------------------------------------------------- names */

static void
print_name(const struct mp_lines *lines, const struct mp_entry *entry, bool row)
{
    bool bold = lines->options->color && !row;

    fprintf(lines->out, "  %*s%s", row ? INDENT : 0, "", bold ? "\033[1m" : "");
    if (entry->function != MP_NO_ID)
        fputs(lines->reduced->profile->functions[entry->function].name, lines->out);
    if (entry->cycle && entry->function != MP_NO_ID)
        fprintf(lines->out, " <cycle %" PRIu32 ">", entry->cycle);
    else if (entry->cycle)
        fprintf(lines->out, "<cycle %" PRIu32 " as a whole>", entry->cycle);
    fprintf(lines->out, "%s [%td]", bold ? "\033[0m" : "", entry - lines->reduced->entries);
}

void
mp_lines_named(struct mp_lines *lines, const struct mp_line *line, const struct mp_entry *entry,
               bool row)
{
    print_line(lines, line, "");
    print_name(lines, entry, row);
}

void
mp_lines_text(struct mp_lines *lines, const struct mp_line *line, const char *format, ...)
{
    va_list args;

    print_line(lines, line, "");
    fprintf(lines->out, "  %*s", INDENT, "");
    va_start(args, format);
    vfprintf(lines->out, format, args);
    va_end(args);
    fputc('\n', lines->out);
}

/* ---------------------------------------------------------------- rows */

void
mp_lines_others(struct mp_lines *lines, const struct mp_sums *sums, uint64_t whole, uint32_t n,
                const char *one, const char *many)
{
    struct mp_line line = {
        .sums = sums, .whole = whole, .share = sums != NULL, .star = !sums,
        .named = true, .has_called = sums && sums->allocs > 0, .called = sums ? sums->allocs : 0
    };

    if (n == 0)
        return;
    print_line(lines, &line, "");
    fprintf(lines->out, "  %*s(%" PRIu32 " %s)\n", INDENT, "", n, n == 1 ? one : many);
}

void
mp_lines_all(struct mp_lines *lines, const struct mp_sums *sums)
{
    struct mp_line line = { .sums = sums };

    print_line(lines, &line, "all");
    fputc('\n', lines->out);
}

uint32_t
mp_lines_shown(const struct mp_lines *lines, const struct mp_row *rows, uint32_t n_rows,
               uint64_t whole, uint32_t most)
{
    uint32_t n = 0;

    while (n < n_rows && n < most &&
           mp_print_shows(lines->options, mp_sums_bytes(rows[n].sums), whole))
        n++;
    return n + 1 == n_rows && n < most ? n_rows : n;
}

static void
print_row(struct mp_lines *lines, const struct mp_row *row, bool ancestor, uint64_t whole)
{
    const struct mp_entry *other = mp_lines_entry(lines, row->function);
    struct mp_line line = {
        .sums = row->sums, .whole = whole, .share = true, .star = row->same_cycle,
        .named = true, .has_called = true, .called = row->sums->allocs,
        .has_total = true, .total = ancestor ? other->calling.allocs : other->called.allocs
    };

    mp_lines_named(lines, &line, other, true);
    fputc('\n', lines->out);
}

void
mp_lines_rows(struct mp_lines *lines, const struct mp_row *rows, uint32_t n_rows, bool ancestors,
              uint64_t whole, uint32_t most)
{
    uint32_t shown = mp_lines_shown(lines, rows, n_rows, lines->bytes, most);
    uint32_t others = 0, in_cycle = 0;
    struct mp_sums sums = { 0 };

    for (uint32_t i = 0; i < shown; i++)
        print_row(lines, &rows[i], ancestors, whole);
    for (uint32_t i = shown; i < n_rows; i++) {
        if (rows[i].same_cycle) {
            in_cycle++;
        } else {
            others++;
            mp_sums_add(&sums, rows[i].sums);
        }
    }
    mp_lines_others(lines, &sums, whole, others, "other", "others");
    mp_lines_others(lines, NULL, whole, in_cycle, "other in the cycle", "others in the cycle");
}
