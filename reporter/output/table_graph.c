#include "table_graph.h"

#include "reporter/profile/sort.h"

static const struct mp_table_column columns[MP_GRAPH_COLUMNS] = {
    [MP_GRAPH_INDEX] = {"index", "index", MP_UNIT_COUNT, "Number of the function's entry."},
    [MP_GRAPH_SHARE] = {"share", "self + desc", MP_UNIT_PERCENT,
                        "Share of all bytes that were allocated by the function or by what it "
                        "called.", MP_LAYOUT_TENTHS},
    [MP_GRAPH_BYTES] = {"bytes", "self", MP_UNIT_BYTES,
                        "Bytes: of the entry itself those that it allocated itself; of a caller "
                        "those that were allocated for it; of a callee those that it allocated for "
                        "the entry, or what it called."},
    [MP_GRAPH_PART] = {"part", "(%)", MP_UNIT_PERCENT,
                       "Share of the entry's bytes: of all that it and its callees allocated; of a "
                       "callee, of all that its callees did."},
    [MP_GRAPH_KINDS] = {"kinds", "%s-func", MP_UNIT_PARTS,
                        "The bytes by size or type of the objects, as shares of the row's bytes."},
    [MP_GRAPH_FRACTIONS] = {"fractions", "frac", MP_UNIT_PARTS,
                            "The bytes by size or type of the objects, as shares of the bytes that "
                            "the row is a part of."},
    [MP_GRAPH_CALLED] = {"called", "called", MP_UNIT_BLOCKS,
                         "Blocks or objects that were allocated on such chains."},
    [MP_GRAPH_TOTAL] = {"total", "total/recur", MP_UNIT_BLOCKS,
                        "Of a caller, all that its callees allocated for it; of a callee, all that "
                         "it was called for; of an allocator, all that it allocated itself; of an "
                         "innermost member, all with it on the chain; else how often it recurs."},
    [MP_GRAPH_FUNCTION] = {"function", "name", MP_UNIT_FUNCTION,
                           "The function; of a call inside a cycle, the caller; none: a whole "
                           "cycle."},
    [MP_GRAPH_CYCLE] = {"cycle", "cycle", MP_UNIT_COUNT,
                        "Number of the cycle that the function is a member of.", MP_LAYOUT_HIDDEN},
    [MP_GRAPH_MEMBERS] = {"members", "members", MP_UNIT_COUNT, "Functions of a whole cycle.",
                          MP_LAYOUT_HIDDEN},
    [MP_GRAPH_CALLEE] = {"callee", "callee", MP_UNIT_FUNCTION, "Callee of a call inside a cycle.",
                         MP_LAYOUT_HIDDEN},
    [MP_GRAPH_CALLEE_INDEX] = {"callee_index", "callee's index", MP_UNIT_COUNT,
                               "Number of the callee's entry.", MP_LAYOUT_HIDDEN},
};

static const struct mp_table_section sections[MP_GRAPH_SECTIONS] = {
    [MP_GRAPH_CALLERS] = {"callers", NULL},
    [MP_GRAPH_SELF] = {"self", NULL},
    [MP_GRAPH_CALLEES] = {"callees", NULL},
    [MP_GRAPH_ALLOCATORS] = {"allocators", "Allocated on its behalf by (each byte once):"},
    [MP_GRAPH_INNERMOST] = {"innermost", "The innermost member was (each byte once):"},
    [MP_GRAPH_CALLS] = {"calls", "Strongest calls inside:"},
    [MP_GRAPH_OF_CYCLE] = {"members", NULL},
};

const struct mp_table_kind mp_table_graph_kind = {
    .key = "graph", .title = "TABLE 4: ALLOCATION CALL GRAPH", .one = "entry", .many = "entries",
    .explanation = "Each function on a chain that allocated, with its callers and its callees.",
    .columns = columns, .n_columns = MP_GRAPH_COLUMNS,
    .sections = sections, .n_sections = MP_GRAPH_SECTIONS, .plain_count = true,
};

/* ---------------------------------------------------------------- entries */

/* Adds the row that sums up the other rows of its section. */
static void
add_all(struct mp_graph_rows *rows, const struct mp_sums *sums)
{
    struct mp_table_row *row = mp_graph_add_row(rows);

    row->is = MP_ROW_TOTAL;
    mp_graph_fill(row->values, sums);
}

static void
add_self(struct mp_graph_rows *rows, const struct mp_entry *entry)
{
    struct mp_value *values;

    rows->section = MP_GRAPH_SELF;
    values = mp_graph_add_entry(rows, &entry->self, mp_sums_bytes(&entry->inclusive), entry);
    values[MP_GRAPH_SHARE] = mp_value_share(mp_sums_bytes(&entry->inclusive), rows->bytes);
    values[MP_GRAPH_CALLED] = mp_graph_called(&entry->called);
    values[MP_GRAPH_TOTAL] = mp_value_if(entry->recur > 0, mp_value_number(entry->recur));
    if (entry->function == MP_NO_ID)
        values[MP_GRAPH_MEMBERS] = mp_value_number(entry->n_members);
}

/* Adds the callers or callees of an entry with WHOLE bytes. Shows at most MOST, and only those whose share of the
 * whole program's bytes reaches the threshold. Sums up the others. */
static void
add_rows(struct mp_graph_rows *rows, const struct mp_row *list, uint32_t n, uint64_t whole,
         uint32_t most)
{
    uint32_t shown = mp_graph_shown(rows, list, n, rows->bytes, most);
    uint32_t others = 0, in_cycle = 0;
    struct mp_sums sums = {0};

    for (uint32_t i = 0; i < shown; i++) {
        const struct mp_entry *other = mp_graph_entry(rows, list[i].function);
        struct mp_value *values = mp_graph_add_entry(rows, list[i].sums, whole, other);

        values[MP_GRAPH_TOTAL] = mp_graph_called(rows->section == MP_GRAPH_CALLERS ? &other->calling
                                                                                   : &other->called);
        rows->table->rows[rows->table->n_rows - 1].overlaps = list[i].same_cycle;
    }
    for (uint32_t i = shown; i < n; i++) {
        if (list[i].same_cycle) {
            in_cycle++;
        } else {
            others++;
            mp_sums_add(&sums, list[i].sums);
        }
    }
    mp_graph_add_rest(rows, &sums, whole, others);
    mp_graph_add_rest(rows, NULL, whole, in_cycle);
}

/* Adds the callers, and a row "<no caller>" for the bytes of chains that begin with the entry. Together the rows have
 * all bytes of the entry. */
static void
add_callers(struct mp_graph_rows *rows, const struct mp_entry *entry, uint32_t most)
{
    uint64_t whole = mp_sums_bytes(&entry->inclusive);
    bool outermost = mp_sums_any(&entry->root) && entry->n_ancestors > 0;

    rows->section = MP_GRAPH_CALLERS;
    if (entry->n_ancestors + outermost > 1)
        add_all(rows, &entry->inclusive);
    add_rows(rows, entry->ancestors, entry->n_ancestors, whole, most);
    if (outermost)
        mp_graph_add(rows, &entry->root, whole)[MP_GRAPH_FUNCTION] = mp_value_none("<no caller>");
}

static void
add_callees(struct mp_graph_rows *rows, const struct mp_entry *entry, uint32_t most)
{
    rows->section = MP_GRAPH_CALLEES;
    add_rows(rows, entry->descendants, entry->n_descendants, mp_sums_bytes(&entry->calling), most);
    if (entry->n_descendants > 1)
        add_all(rows, &entry->calling);
}

/* Adds an entry with its callers and callees. Callers precede the entry's own row. */
static void
add_entry(struct mp_graph_rows *rows, struct mp_cycles *cycles, const struct mp_entry *entry)
{
    bool cycle = entry->function == MP_NO_ID;
    uint32_t most = cycle ? mp_graph_most(rows, MP_GRAPH_CYCLE_ROWS) : UINT32_MAX;
    uint32_t first = rows->table->n_rows;

    add_callers(rows, entry, most);
    rows->entry = rows->table->n_rows;
    for (uint32_t i = first; i < rows->entry; i++)
        rows->table->rows[i].under = rows->entry;
    add_self(rows, entry);
    add_callees(rows, entry, most);
    if (cycle) {
        mp_graph_add_inside(rows, cycles, entry);
        mp_graph_add_members(rows, entry);
    }
}

/* Adds entries up to the first that is below the threshold. They are sorted by bytes, largest first. */
static void
add_entries(struct mp_graph_rows *rows)
{
    const struct mp_reduced *reduced = rows->reduced;
    struct mp_cycles *cycles = mp_cycles_new(reduced);
    uint32_t i;

    for (i = 0; i < reduced->n_entries; i++) {
        const struct mp_entry *entry = &reduced->entries[i];

        if (!mp_print_room(rows->options, i) ||
            !mp_print_shows(rows->options, mp_sums_bytes(&entry->inclusive), rows->bytes))
            break;
        add_entry(rows, cycles, entry);
    }
    mp_table_leave_out(rows->table, reduced->n_entries - i);
    rows->table->full = !mp_print_room(rows->options, i);
    mp_cycles_free(cycles);
}

static void
set_largest(struct mp_graph_rows *rows)
{
    const struct mp_reduced *r = rows->reduced;
    uint64_t *largest = mp_arena_alloc(rows->table->arena, MP_GRAPH_COLUMNS * sizeof *largest);

    largest[MP_GRAPH_INDEX] = r->n_entries;
    largest[MP_GRAPH_BYTES] = rows->bytes;
    largest[MP_GRAPH_CALLED] = largest[MP_GRAPH_TOTAL] = r->graph->total.allocs;
    for (uint32_t i = 0; i < r->n_entries; i++)
        if (r->entries[i].recur > largest[MP_GRAPH_TOTAL])
            largest[MP_GRAPH_TOTAL] = r->entries[i].recur;
    rows->table->largest = largest;
}

/* Returns true if more than half of the allocations have chains that were shortened by request. The graph would then
 * begin with functions that are not outermost callers, and would contain false cycles where a function is on both
 * sides of the cut. */
static bool
is_shortened(const struct mp_profile *profile)
{
    struct mp_totals totals;

    if (profile->meta.depth == 0)
        return false;
    mp_profile_totals(profile, &totals);
    return totals.depth_cut_allocs > totals.allocs / 2;
}

struct mp_table *
mp_table_graph(const struct mp_table_request *request)
{
    struct mp_table *table = mp_table_begin(&mp_table_graph_kind, request->options);
    const struct mp_reduced *reduced = request->sorted ? request->sorted : request->reduced;
    struct mp_graph_rows rows = {
        .table = table, .reduced = reduced, .options = request->options,
        .bytes = mp_sums_bytes(&reduced->graph->total),
    };

    if (request->sorted)
        table->note = mp_arena_printf(table->arena, "All figures are of %s.",
                                      mp_sorts[request->options->sort].what);
    table->breakdown = reduced->graph->style;
    if (reduced->n_entries == 0) {
        table->nothing = mp_table_nothing(request);
        return table;
    }
    if (is_shortened(request->profile)) {
        table->nothing = "Left out: of most chains only the last callers were kept, as asked for.";
        return table;
    }
    set_largest(&rows);
    add_entries(&rows);
    return table;
}
