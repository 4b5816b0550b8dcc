#include "table_graph.h"

#define MEMBERS 20u

/* Copies SUMS to the table's arena, because they belong to a temporary description of the cycle's inside. */
static const struct mp_sums *
keep(const struct mp_graph_rows *rows, const struct mp_sums *sums)
{
    struct mp_sums *kept = mp_arena_alloc(rows->table->arena, sizeof *kept);

    *kept = *sums;
    return kept;
}

/* Adds rows that sum up to WHOLE. The column "total" of a row contains all allocations of its function: in the rows
 * of allocators, allocations that the function made itself; in other rows, allocations with the function on the
 * chain. */
static void
add_parts(struct mp_graph_rows *rows, enum mp_graph_section section, const struct mp_row *list,
          uint32_t n, uint64_t whole)
{
    uint32_t shown = mp_graph_shown(rows, list, n, whole, mp_graph_most(rows, MP_GRAPH_CYCLE_ROWS));
    struct mp_sums others = {0};

    rows->section = (uint8_t)section;
    for (uint32_t i = 0; i < shown; i++) {
        const struct mp_entry *entry = mp_graph_entry(rows, list[i].function);
        struct mp_value *values = mp_graph_add_entry(rows, keep(rows, list[i].sums), whole, entry);

        values[MP_GRAPH_TOTAL] =
            mp_graph_called(section == MP_GRAPH_ALLOCATORS ? &entry->self : &entry->inclusive);
    }
    for (uint32_t i = shown; i < n; i++)
        mp_sums_add(&others, list[i].sums);
    mp_graph_add_rest(rows, &others, whole, n - shown);
}

static void
add_call(struct mp_graph_rows *rows, const struct mp_arc *arc, uint64_t whole)
{
    const struct mp_reduced *r = rows->reduced;
    struct mp_value *values =
        mp_graph_add_entry(rows, &arc->sums, whole, mp_graph_entry(rows, arc->caller));

    if (arc->recur > 0)
        values[MP_GRAPH_TOTAL] = mp_value_number(arc->recur);
    values[MP_GRAPH_CALLEE] = mp_value_function(r->profile, arc->callee);
    values[MP_GRAPH_CALLEE_INDEX] = mp_value_number(r->entry_of[arc->callee]);
    rows->table->rows[rows->table->n_rows - 1].overlaps = true;
}

static void
add_calls(struct mp_graph_rows *rows, const struct mp_inside *inside, uint64_t whole)
{
    uint32_t most = mp_graph_most(rows, MP_GRAPH_CYCLE_ROWS), shown = 0;

    rows->section = MP_GRAPH_CALLS;
    while (shown < inside->n_arcs && shown < most &&
           mp_print_shows(rows->options, mp_sums_bytes(&inside->arcs[shown]->sums), whole))
        add_call(rows, inside->arcs[shown++], whole);
    mp_graph_add_rest(rows, NULL, whole, inside->n_arcs - shown);
}

void
mp_graph_add_inside(struct mp_graph_rows *rows, struct mp_cycles *cycles,
                    const struct mp_entry *cycle)
{
    uint64_t whole = mp_sums_bytes(&cycle->inclusive);
    struct mp_arena *arena;
    struct mp_inside inside;

    if (cycle->cycle > MP_CYCLES_TOLD)
        return;
    arena = mp_arena_new();
    mp_cycles_inside(cycles, cycle, arena, &inside);
    add_parts(rows, MP_GRAPH_ALLOCATORS, inside.allocators, inside.n_allocators, whole);
    add_parts(rows, MP_GRAPH_INNERMOST, inside.innermost, inside.n_innermost, whole);
    add_calls(rows, &inside, whole);
    mp_arena_free(arena);
}

/* Adds the members with what they allocate themselves. In the table of 1988, this is where a cycle first appears. */
void
mp_graph_add_members(struct mp_graph_rows *rows, const struct mp_entry *cycle)
{
    uint64_t whole = mp_sums_bytes(&cycle->self);
    uint32_t most = mp_graph_most(rows, MEMBERS), shown = 0;
    struct mp_sums others = {0};

    rows->section = MP_GRAPH_OF_CYCLE;
    for (uint32_t i = 0; i < cycle->n_members; i++) {
        const struct mp_entry *member = mp_graph_entry(rows, cycle->members[i]);
        struct mp_value *values;

        if (shown == most ||
            !mp_print_shows(rows->options, mp_sums_bytes(&member->inclusive), rows->bytes)) {
            mp_sums_add(&others, &member->self);
            continue;
        }
        shown++;
        values = mp_graph_add_entry(rows, &member->self, whole, member);
        values[MP_GRAPH_CALLED] = mp_graph_called(&member->called);
        values[MP_GRAPH_TOTAL] = mp_value_if(member->recur > 0, mp_value_number(member->recur));
    }
    others.allocs = 0;          /* the numbers of calls overlap because a chain contains several members */
    mp_graph_add_rest(rows, &others, whole, cycle->n_members - shown);
}
