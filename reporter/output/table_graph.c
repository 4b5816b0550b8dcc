#include "table_graph.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "graph_lines.h"
#include "reporter/base/columns.h"
#include "reporter/graph/cycles.h"
#include "table_cycle.h"

/* Each byte below an entry came over an ancestor, or from a chain that starts with the entry. */
static void
print_ancestors(struct mp_lines *lines, const struct mp_entry *entry, uint32_t most)
{
    uint64_t whole = mp_sums_bytes(&entry->inclusive);
    bool outermost = mp_sums_any(&entry->root) && entry->n_ancestors > 0;
    struct mp_line line = {
        .sums = &entry->root, .whole = whole, .share = true,
        .named = true, .has_called = true, .called = entry->root.allocs
    };

    if (entry->n_ancestors + outermost > 1)
        mp_lines_all(lines, &entry->inclusive);
    mp_lines_rows(lines, entry->ancestors, entry->n_ancestors, true, whole, most);
    if (outermost)
        mp_lines_text(lines, &line, "<no caller>");
}

static void
print_descendants(struct mp_lines *lines, const struct mp_entry *entry, uint32_t most)
{
    mp_lines_rows(lines, entry->descendants, entry->n_descendants, false,
                  mp_sums_bytes(&entry->calling), most);
    if (entry->n_descendants > 1)
        mp_lines_all(lines, &entry->calling);
}

static void
print_function(struct mp_lines *lines, const struct mp_entry *entry)
{
    struct mp_line line = mp_lines_of(entry);

    print_ancestors(lines, entry, UINT32_MAX);
    mp_lines_named(lines, &line, entry, false);
    fputc('\n', lines->out);
    print_descendants(lines, entry, UINT32_MAX);
    mp_lines_rule(lines);
}

/* As if the members were one function; then what is inside, and the members. */
static void
print_cycle(struct mp_lines *lines, struct mp_cycles *cycles, const struct mp_entry *entry)
{
    struct mp_line line = mp_lines_of(entry);
    uint32_t most = mp_table_cycle_rows(lines->options);

    mp_table_cycle_intro(lines, entry);
    print_ancestors(lines, entry, most);
    mp_lines_named(lines, &line, entry, false);
    fputc('\n', lines->out);
    print_descendants(lines, entry, most);
    mp_table_cycle_inside(lines, cycles, entry);
    mp_lines_rule(lines);
    mp_table_cycle_members(lines, entry);
    mp_lines_rule(lines);
}

static void
print_notes(const struct mp_lines *lines, uint32_t shown)
{
    uint32_t left = lines->reduced->n_entries - shown;
    bool full = left > 0 && !mp_print_room(lines->options, shown);
    char threshold[MP_NUMBER_SIZE];

    if (lines->stars)
        fputs("* between members of one cycle: each byte counts once in its row, however often "
              "the chain\n  recurs; rows with a star overlap and do not add up.\n", lines->out);
    if (full)
        fprintf(lines->out, "%" PRIu32 " more entr%s left out\n", left, left == 1 ? "y" : "ies");
    else if (left > 0)
        fprintf(lines->out, "%" PRIu32 " entr%s of less than %s %% left out\n", left,
                left == 1 ? "y" : "ies", mp_print_threshold_text(lines->options, threshold));
}

/* Entries come by decreasing bytes: the first that is too small ends the table. */
static void
print_entries(struct mp_lines *lines)
{
    const struct mp_reduced *reduced = lines->reduced;
    struct mp_cycles *cycles = mp_cycles_new(reduced);
    uint32_t i;

    mp_lines_heads(lines);
    for (i = 0; i < reduced->n_entries; i++) {
        const struct mp_entry *entry = &reduced->entries[i];

        if (!mp_print_room(lines->options, i) ||
            !mp_print_shows(lines->options, mp_sums_bytes(&entry->inclusive), lines->bytes))
            break;
        if (entry->function == MP_NO_ID)
            print_cycle(lines, cycles, entry);
        else
            print_function(lines, entry);
    }
    print_notes(lines, i);
    mp_cycles_free(cycles);
}

bool
mp_table_graph_print(FILE *out, const struct mp_reduced *reduced,
                     const struct mp_print_options *options, struct mp_error *error)
{
    struct mp_lines lines;

    mp_lines_init(&lines, out, reduced, options);
    mp_columns_title(out, "TABLE 4: ALLOCATION CALL GRAPH", options->color);
    if (reduced->n_entries > 0)
        print_entries(&lines);
    else
        fputs(MP_PRINT_NOTHING, out);
    if (ferror(out))
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "writing the report: %s",
                       strerror(errno));
    return true;
}
