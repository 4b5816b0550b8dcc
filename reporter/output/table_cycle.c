#include "table_cycle.h"

#include <inttypes.h>

#define ROWS 10u
#define MEMBERS 20u

/* USUAL: how many there are unless OPTIONS say something else. */
static uint32_t
most_rows(const struct mp_print_options *options, uint32_t usual)
{
    if (options->most > 0)
        return options->most;
    return options->verbosity == MP_VERBOSE ? UINT32_MAX : usual;
}

uint32_t
mp_table_cycle_rows(const struct mp_print_options *options)
{
    return most_rows(options, ROWS);
}

void
mp_table_cycle_intro(const struct mp_lines *lines, const struct mp_entry *cycle)
{
    fprintf(lines->out, "Cycle %" PRIu32 ", %" PRIu32 " members: a chain passes many, so that "
            "shares inside overlap, and near 100 %% in the core.\n",
            cycle->cycle, cycle->n_members);
}

/* Rows that add up to WHOLE.  Each says how many of the allocations of its function these are:
 * of those that it makes ITSELF, or of those with it on the chain. */
static void
print_parts(struct mp_lines *lines, const struct mp_row *rows, uint32_t n_rows, uint64_t whole,
            bool itself)
{
    uint32_t shown = mp_lines_shown(lines, rows, n_rows, whole,
                                    mp_table_cycle_rows(lines->options));
    struct mp_sums others = { 0 };

    for (uint32_t i = 0; i < shown; i++) {
        const struct mp_entry *entry = mp_lines_entry(lines, rows[i].function);
        struct mp_line line = {
            .sums = rows[i].sums, .whole = whole, .share = true,
            .named = true, .has_called = true, .called = rows[i].sums->allocs, .has_total = true,
            .total = itself ? entry->self.allocs : entry->inclusive.allocs
        };

        mp_lines_named(lines, &line, entry, true);
        fputc('\n', lines->out);
    }
    for (uint32_t i = shown; i < n_rows; i++)
        mp_sums_add(&others, rows[i].sums);
    mp_lines_others(lines, &others, whole, n_rows - shown, "other", "others");
}

static void
print_arc(struct mp_lines *lines, const struct mp_arc *arc, uint64_t whole)
{
    const struct mp_reduced *r = lines->reduced;
    struct mp_line line = {
        .sums = &arc->sums, .whole = whole, .share = true, .star = true,
        .named = true, .has_called = true, .called = arc->sums.allocs,
        .has_total = arc->recur > 0, .total = arc->recur
    };

    mp_lines_text(lines, &line, "%s [%" PRIu32 "] > %s [%" PRIu32 "]",
                  r->profile->functions[arc->caller].name, r->entry_of[arc->caller],
                  r->profile->functions[arc->callee].name, r->entry_of[arc->callee]);
}

static void
print_arcs(struct mp_lines *lines, const struct mp_inside *inside, uint64_t whole)
{
    uint32_t most = mp_table_cycle_rows(lines->options), shown = 0;

    while (shown < inside->n_arcs && shown < most &&
           mp_print_shows(lines->options, mp_sums_bytes(&inside->arcs[shown]->sums), whole))
        print_arc(lines, inside->arcs[shown++], whole);
    mp_lines_others(lines, NULL, whole, inside->n_arcs - shown, "other", "others");
}

void
mp_table_cycle_inside(struct mp_lines *lines, struct mp_cycles *cycles,
                      const struct mp_entry *cycle)
{
    uint64_t whole = mp_sums_bytes(&cycle->inclusive);
    struct mp_arena *arena;
    struct mp_inside inside;

    if (cycle->cycle > MP_CYCLES_TOLD) {
        fprintf(lines->out, "(what is inside is told of %u cycles only)\n", MP_CYCLES_TOLD);
        return;
    }
    arena = mp_arena_new();
    mp_cycles_inside(cycles, cycle, arena, &inside);
    fputs("Allocated on its behalf by (each byte once):\n", lines->out);
    print_parts(lines, inside.allocators, inside.n_allocators, whole, true);
    fputs("The innermost member was (each byte once):\n", lines->out);
    print_parts(lines, inside.innermost, inside.n_innermost, whole, false);
    fputs("Strongest calls inside:\n", lines->out);
    print_arcs(lines, &inside, whole);
    mp_arena_free(arena);
}

/* What the members allocate themselves: the first appearance of a cycle in the table of 1988. */
void
mp_table_cycle_members(struct mp_lines *lines, const struct mp_entry *cycle)
{
    uint64_t whole = mp_sums_bytes(&cycle->self);
    uint32_t most = most_rows(lines->options, MEMBERS), shown = 0;
    struct mp_line line = mp_lines_of(cycle);
    struct mp_sums others = { 0 };

    mp_lines_named(lines, &line, cycle, false);
    fprintf(lines->out, ", %" PRIu32 " members:\n", cycle->n_members);
    for (uint32_t i = 0; i < cycle->n_members; i++) {
        const struct mp_entry *member = mp_lines_entry(lines, cycle->members[i]);

        if (shown == most ||
            !mp_print_shows(lines->options, mp_sums_bytes(&member->inclusive), lines->bytes)) {
            mp_sums_add(&others, &member->self);
            continue;
        }
        shown++;
        line = mp_lines_of(member);
        line.entry = NULL;
        line.rule = false;
        line.whole = whole;
        mp_lines_named(lines, &line, member, true);
        fputc('\n', lines->out);
    }
    others.allocs = 0;          /* their calls do not add up: a chain has several members */
    mp_lines_others(lines, &others, whole, cycle->n_members - shown, "other", "others");
}
