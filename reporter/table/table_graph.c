/* SPDX-License-Identifier: MIT */
#include "table_graph.h"

#include "reporter/view/sort.h"

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
                         "Blocks or objects that were allocated on such chains.", MP_OF(ALLOCS)},
    [MP_GRAPH_TOTAL] = {"total", "total/recur", MP_UNIT_BLOCKS,
                        "Of a caller, all that its callees allocated for it; of a callee, all that "
                         "it was called for; of an allocator, all that it allocated itself; of an "
                         "innermost member, all with it on the chain; else how often it recurs.", MP_OF(ALLOCS)},
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
    [MP_GRAPH_OF_CYCLE] = {"members", NULL},
    [MP_GRAPH_CALLERS] = {"callers", NULL},
    [MP_GRAPH_SELF] = {"self", NULL},
    [MP_GRAPH_CALLEES] = {"callees", NULL},
    [MP_GRAPH_ALLOCATORS] = {"allocators", "Allocated on its behalf by (each byte once):"},
    [MP_GRAPH_INNERMOST] = {"innermost", "The innermost member was (each byte once):"},
    [MP_GRAPH_CALLS] = {"calls", "Strongest calls inside:"},
};

const struct mp_table_kind mp_table_graph_kind = {
    .key = "graph", .title = "TABLE 4: ALLOCATION CALL GRAPH", .one = "entry", .many = "entries",
    .explanation = "Each function on a chain that allocated, with its callers and its callees.",
    .columns = columns, .n_columns = MP_GRAPH_COLUMNS,
    .sections = sections, .n_sections = MP_GRAPH_SECTIONS, .plain_count = true,
};

/* State of computing the table. */
struct rows {
    struct mp_table *table;
    const struct mp_reduced *reduced;
    const struct mp_print_options *options;
    uint64_t bytes;             /* of the whole program */
    uint32_t entry;             /* row of the current entry */
    uint8_t section;            /* section to which rows are added */
};

static const struct mp_entry *
entry_of(const struct rows *rows, uint32_t function)
{
    return &rows->reduced->entries[rows->reduced->entry_of[function]];
}

/* ---------------------------------------------------------------- rows */

/* Adds a row without values to the current section. */
static struct mp_table_row *
add_row(struct rows *rows)
{
    struct mp_table_row *row = mp_table_add(rows->table);

    row->section = rows->section;
    row->under = rows->section == MP_GRAPH_SELF ? MP_NO_ID : rows->entry;
    return row;
}

/* Sets the bytes of a row and their kinds to SUMS. */
static void
fill(struct mp_value values[static MP_GRAPH_COLUMNS], const struct mp_sums *sums)
{
    const struct mp_counts counts = mp_sums_counts(sums);

    values[MP_GRAPH_BYTES] = mp_value_figure(&counts, MP_FIGURE_BYTES);
    values[MP_GRAPH_KINDS] = mp_value_parts(sums->bytes, mp_sums_bytes(sums));
}

/* Returns the number of blocks in SUMS. */
static struct mp_value
called_of(const struct mp_sums *sums)
{
    const struct mp_counts counts = mp_sums_counts(sums);

    return mp_value_figure(&counts, MP_FIGURE_ALLOCS);
}

static void
fill_part(struct mp_value values[static MP_GRAPH_COLUMNS], const struct mp_sums *sums,
          uint64_t whole)
{
    fill(values, sums);
    values[MP_GRAPH_PART] = mp_value_share(mp_sums_bytes(sums), whole);
    values[MP_GRAPH_FRACTIONS] = mp_value_parts(sums->bytes, whole);
}

/* Adds a row for SUMS to the current section, as a part of WHOLE bytes. Returns its values. */
static struct mp_value *
add(struct rows *rows, const struct mp_sums *sums, uint64_t whole)
{
    struct mp_value *values = add_row(rows)->values;

    fill_part(values, sums, whole);
    values[MP_GRAPH_CALLED] = called_of(sums);
    return values;
}

/* Like add(), and also sets the columns that identify ENTRY. */
static struct mp_value *
add_entry(struct rows *rows, const struct mp_sums *sums, uint64_t whole,
          const struct mp_entry *entry)
{
    struct mp_value *values = add(rows, sums, whole);

    values[MP_GRAPH_INDEX] = mp_value_number((uint64_t)(entry - rows->reduced->entries));
    if (entry->function != MP_NO_ID)
        values[MP_GRAPH_FUNCTION] = mp_value_function(rows->reduced->profile, entry->function);
    if (entry->cycle)
        values[MP_GRAPH_CYCLE] = mp_value_number(entry->cycle);
    return values;
}

/* Adds a row that sums up N items without rows of their own; nothing if N is 0. SUMS is NULL if the items overlap. */
static void
add_rest(struct rows *rows, const struct mp_sums *sums, uint64_t whole,
         uint32_t n)
{
    struct mp_table_row *row;
    struct mp_sums *kept;

    if (n == 0)
        return;
    row = add_row(rows);
    row->is = MP_ROW_REST;
    row->n = n;
    row->overlaps = !sums;
    if (!sums)
        return;
    kept = mp_arena_alloc(rows->table->arena, sizeof *kept);
    *kept = *sums;
    fill_part(row->values, kept, whole);
    if (sums->allocs > 0)
        row->values[MP_GRAPH_CALLED] = called_of(sums);
}

/* Returns how many rows of LIST are shown. LIST has N rows, sorted by bytes, largest first. Shown are at most MOST
 * that reach the threshold relative to WHOLE bytes. A single remaining row is shown, too. */
static uint32_t
shown_of(const struct rows *rows, const struct mp_row *list, uint32_t n,
         uint64_t whole, uint32_t most)
{
    uint32_t shown = 0;

    while (shown < n && shown < most &&
           mp_print_shows(rows->options, mp_sums_bytes(list[shown].sums), whole))
        shown++;
    return shown + 1 == n && shown < most ? n : shown;
}

/* Returns the maximum number of rows in a list of a cycle: options->most, or if that is 0, no limit in a verbose
 * report, else USUAL. */
static uint32_t
most_of(const struct rows *rows, uint32_t usual)
{
    if (rows->options->most > 0)
        return rows->options->most;
    return rows->options->verbosity == MP_VERBOSE ? UINT32_MAX : usual;
}

/* ---------------------------------------------------------------- cycles */

#define CYCLE_ROWS 10u
#define MEMBERS 20u

/* Copies SUMS to the table's arena, because they belong to a temporary description of the cycle's inside. */
static const struct mp_sums *
keep(const struct rows *rows, const struct mp_sums *sums)
{
    struct mp_sums *kept = mp_arena_alloc(rows->table->arena, sizeof *kept);

    *kept = *sums;
    return kept;
}

/* Adds rows that sum up to WHOLE. The column "total" of a row contains all allocations of its function: in the rows
 * of allocators, allocations that the function made itself; in other rows, allocations with the function on the
 * chain. */
static void
add_parts(struct rows *rows, enum mp_graph_section section, const struct mp_row *list,
          uint32_t n, uint64_t whole)
{
    uint32_t shown = shown_of(rows, list, n, whole, most_of(rows, CYCLE_ROWS));
    struct mp_sums others = {0};

    rows->section = (uint8_t)section;
    for (uint32_t i = 0; i < shown; i++) {
        const struct mp_entry *entry = entry_of(rows, list[i].function);
        struct mp_value *values = add_entry(rows, keep(rows, list[i].sums), whole, entry);

        values[MP_GRAPH_TOTAL] =
            called_of(section == MP_GRAPH_ALLOCATORS ? &entry->self : &entry->inclusive);
    }
    for (uint32_t i = shown; i < n; i++)
        mp_sums_add(&others, list[i].sums);
    add_rest(rows, &others, whole, n - shown);
}

static void
add_call(struct rows *rows, const struct mp_arc *arc, uint64_t whole)
{
    const struct mp_reduced *r = rows->reduced;
    struct mp_value *values =
        add_entry(rows, &arc->sums, whole, entry_of(rows, arc->caller));

    if (arc->recur > 0)
        values[MP_GRAPH_TOTAL] = mp_value_number(arc->recur);
    values[MP_GRAPH_CALLEE] = mp_value_function(r->profile, arc->callee);
    values[MP_GRAPH_CALLEE_INDEX] = mp_value_number(r->entry_of[arc->callee]);
    rows->table->rows[rows->table->n_rows - 1].overlaps = true;
}

static void
add_calls(struct rows *rows, const struct mp_inside *inside, uint64_t whole)
{
    uint32_t most = most_of(rows, CYCLE_ROWS), shown = 0;

    rows->section = MP_GRAPH_CALLS;
    while (shown < inside->n_arcs && shown < most &&
           mp_print_shows(rows->options, mp_sums_bytes(&inside->arcs[shown]->sums), whole))
        add_call(rows, inside->arcs[shown++], whole);
    add_rest(rows, NULL, whole, inside->n_arcs - shown);
}

/* Adds rows about a cycle that functions do not have: who allocates on its behalf, its innermost members, and its
 * strongest calls. */
static void
add_inside(struct rows *rows, struct mp_cycles *cycles,
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

/* Adds the members with what they allocate themselves. A cycle first appears here, as in the table of 1988. */
static void
add_members(struct rows *rows, const struct mp_entry *cycle)
{
    uint64_t whole = mp_sums_bytes(&cycle->self);
    uint32_t most = most_of(rows, MEMBERS), shown = 0;
    struct mp_sums others = {0};

    rows->section = MP_GRAPH_OF_CYCLE;
    for (uint32_t i = 0; i < cycle->n_members; i++) {
        const struct mp_entry *member = entry_of(rows, cycle->members[i]);
        struct mp_value *values;

        if (shown == most ||
            !mp_print_shows(rows->options, mp_sums_bytes(&member->inclusive), rows->bytes)) {
            mp_sums_add(&others, &member->self);
            continue;
        }
        shown++;
        values = add_entry(rows, &member->self, whole, member);
        values[MP_GRAPH_CALLED] = called_of(&member->called);
        values[MP_GRAPH_TOTAL] = mp_value_if(member->recur > 0, mp_value_number(member->recur));
    }
    others.allocs = 0;          /* the numbers of calls overlap because a chain contains several members */
    add_rest(rows, &others, whole, cycle->n_members - shown);
}

/* ---------------------------------------------------------------- entries */

/* Adds the row that sums up the other rows of its section. */
static void
add_all(struct rows *rows, const struct mp_sums *sums)
{
    struct mp_table_row *row = add_row(rows);

    row->is = MP_ROW_TOTAL;
    fill(row->values, sums);
}

static void
add_self(struct rows *rows, const struct mp_entry *entry)
{
    struct mp_value *values;

    rows->section = MP_GRAPH_SELF;
    values = add_entry(rows, &entry->self, mp_sums_bytes(&entry->inclusive), entry);
    values[MP_GRAPH_SHARE] = mp_value_share(mp_sums_bytes(&entry->inclusive), rows->bytes);
    values[MP_GRAPH_CALLED] = called_of(&entry->called);
    values[MP_GRAPH_TOTAL] = mp_value_if(entry->recur > 0, mp_value_number(entry->recur));
    if (entry->function == MP_NO_ID)
        values[MP_GRAPH_MEMBERS] = mp_value_number(entry->n_members);
}

/* Adds the callers or callees of an entry with WHOLE bytes. Shows at most MOST, and only those whose share of the
 * whole program's bytes reaches the threshold. Sums up the others. */
static void
add_rows(struct rows *rows, const struct mp_row *list, uint32_t n, uint64_t whole,
         uint32_t most)
{
    uint32_t shown = shown_of(rows, list, n, rows->bytes, most);
    uint32_t others = 0, in_cycle = 0;
    struct mp_sums sums = {0};

    for (uint32_t i = 0; i < shown; i++) {
        const struct mp_entry *other = entry_of(rows, list[i].function);
        struct mp_value *values = add_entry(rows, list[i].sums, whole, other);

        values[MP_GRAPH_TOTAL] = called_of(rows->section == MP_GRAPH_CALLERS ? &other->calling
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
    add_rest(rows, &sums, whole, others);
    add_rest(rows, NULL, whole, in_cycle);
}

/* Adds the callers, and a row "<no caller>" for the bytes of chains that begin with the entry. Together the rows have
 * all bytes of the entry. */
static void
add_callers(struct rows *rows, const struct mp_entry *entry, uint32_t most)
{
    uint64_t whole = mp_sums_bytes(&entry->inclusive);
    bool outermost = mp_sums_any(&entry->root) && entry->n_ancestors > 0;

    rows->section = MP_GRAPH_CALLERS;
    if (entry->n_ancestors + outermost > 1)
        add_all(rows, &entry->inclusive);
    add_rows(rows, entry->ancestors, entry->n_ancestors, whole, most);
    if (outermost)
        add(rows, &entry->root, whole)[MP_GRAPH_FUNCTION] = mp_value_none("<no caller>");
}

static void
add_callees(struct rows *rows, const struct mp_entry *entry, uint32_t most)
{
    rows->section = MP_GRAPH_CALLEES;
    add_rows(rows, entry->descendants, entry->n_descendants, mp_sums_bytes(&entry->calling), most);
    if (entry->n_descendants > 1)
        add_all(rows, &entry->calling);
}

/* Adds an entry with its callers and callees. Members of a cycle and callers precede the entry's own row. */
static void
add_function(struct rows *rows, struct mp_cycles *cycles, const struct mp_entry *entry)
{
    bool cycle = entry->function == MP_NO_ID;
    uint32_t most = cycle ? most_of(rows, CYCLE_ROWS) : UINT32_MAX;
    uint32_t first = rows->table->n_rows;

    if (cycle)
        add_members(rows, entry);
    add_callers(rows, entry, most);
    rows->entry = rows->table->n_rows;
    for (uint32_t i = first; i < rows->entry; i++)
        rows->table->rows[i].under = rows->entry;
    add_self(rows, entry);
    add_callees(rows, entry, most);
    if (cycle)
        add_inside(rows, cycles, entry);
}

/* Adds entries up to the first that is below the threshold. They are sorted by bytes, largest first. */
static void
add_entries(struct rows *rows)
{
    const struct mp_reduced *reduced = rows->reduced;
    struct mp_cycles *cycles = mp_cycles_new(reduced);
    uint32_t i;

    for (i = 0; i < reduced->n_entries; i++) {
        const struct mp_entry *entry = &reduced->entries[i];

        if (!mp_print_room(rows->options, i) ||
            !mp_print_shows(rows->options, mp_sums_bytes(&entry->inclusive), rows->bytes))
            break;
        add_function(rows, cycles, entry);
    }
    mp_table_leave_out(rows->table, reduced->n_entries - i);
    rows->table->full = !mp_print_room(rows->options, i);
    mp_cycles_free(cycles);
}

static void
set_largest(struct rows *rows)
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
    struct rows rows = {
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
