/* SPDX-License-Identifier: MIT */
/*
 * html_sums.c -- sums in two passes. A key is a function, a call, a line etc.
 *
 * The first pass walks over the tree. For each key of each node, it finds whether the node is the first on its chain
 * that has the key. The second pass, for each kind and thread, adds the figures of callees to those of their callers,
 * and credits the sum of each node to the keys for which the node is the first.
 */
#include "html_sums.h"

#include <stdlib.h>
#include <string.h>

#include "html_parts.h"
#include "reporter/base/json.h"
#include "reporter/base/map.h"
#include "reporter/base/search.h"
#include "reporter/profile/lifetimes.h"

/* ---------------------------------------------------------------- what nodes are credited to */

/* The sorts of keys. A node has at most one key of each sort. CALLER and CALLEE are the functions of the node's arc,
 * unless the function calls itself. */
enum keying { FUNCTION, ARC, CALLER, CALLEE, MODULE, SOURCE, LINE, KEYINGS };

#define NONE MP_NO_ID

/* A call from function to function, or a line of a source file. */
struct pair {
    uint32_t a, b;
};

struct nodes {
    const struct mp_tree *tree;
    uint32_t *arc, *place;      /* index in `arcs` and in `places`, or NONE, by node */
    uint8_t *first;             /* set of bits 1 << keying, by node: no caller on the node's chain has the same key */
    uint32_t *numbers;          /* number in the page, by function of the view */
    struct pair *arcs;   uint32_t n_arcs;       /* numbers of caller and callee */
    struct pair *places; uint32_t n_places;     /* id in `files` and line, which is 0 if unknown */
    struct mp_map files, modules;
    uint32_t *module_of;        /* id in `modules`, by function of the view */
    uint32_t n_keys[KEYINGS];   /* number of keys, by sort */
    struct mp_arena *arena;
};

/* Returns the index of the pair of A and B in *LIST of *N pairs, and adds the pair if needed. */
static uint32_t
number_pair(struct mp_map *map, struct pair **list, uint32_t *n, uint32_t *room, uint32_t a, uint32_t b)
{
    uint32_t id = mp_map_add_u64(map, (uint64_t)a << 32 | b);

    if (id == *n) {
        *list = mp_arena_grow(map->arena, *list, *n, room, sizeof **list);
        (*list)[(*n)++] = (struct pair){a, b};
    }
    return id;
}

static uint32_t
number_of(const struct nodes *w, uint32_t node)
{
    return w->numbers[mp_tree_function(w->tree, node)];
}

static void
number_modules(struct nodes *w)
{
    const struct mp_profile *view = w->tree->profile;

    w->module_of = mp_arena_alloc(w->arena, (view->n_functions + (size_t)1) * sizeof *w->module_of);
    for (uint32_t i = 0; i < view->n_functions; i++) {
        uint32_t module = view->functions[i].module;
        const char *name = module < view->n_modules ? view->modules[module].name : "";

        if (w->numbers[i] != 0)
            w->module_of[i] = mp_map_add(&w->modules, name, strlen(name));
    }
}

static void
number_keys(struct nodes *w)
{
    const struct mp_tree *tree = w->tree;
    struct mp_map arcs = {.arena = w->arena}, places = {.arena = w->arena};
    uint32_t arcs_room = 0, places_room = 0;
    uint32_t *file_of = mp_arena_alloc(w->arena, tree->profile->n_locations * sizeof *file_of);        /* id + 1 */

    number_modules(w);
    for (uint32_t i = 1; i < tree->n_nodes; i++) {
        const struct mp_location *at = &tree->profile->locations[tree->nodes[i].location];
        uint32_t parent = tree->nodes[i].parent;

        w->arc[i] = parent == 0 ? NONE : number_pair(&arcs, &w->arcs, &w->n_arcs, &arcs_room, number_of(w, parent),
                                                     number_of(w, i));
        w->place[i] = NONE;
        if (!at->file[0])
            continue;
        if (file_of[tree->nodes[i].location] == 0)
            file_of[tree->nodes[i].location] = mp_map_add(&w->files, at->file, strlen(at->file)) + 1;
        w->place[i] = number_pair(&places, &w->places, &w->n_places, &places_room,
                                  file_of[tree->nodes[i].location] - 1, tree->options.lines ? at->line : 0);
    }
}

/* Sets KEYS to the keys of NODE by sort, or NONE. */
static void
find_keys(const struct nodes *w, uint32_t node, uint32_t keys[static KEYINGS])
{
    const uint32_t arc = w->arc[node], place = w->place[node], function = mp_tree_function(w->tree, node);
    const bool apart = arc != NONE && w->arcs[arc].a != w->arcs[arc].b;

    keys[FUNCTION] = w->numbers[function];
    keys[ARC] = arc;
    keys[CALLER] = apart ? w->arcs[arc].a : NONE;
    keys[CALLEE] = apart ? w->arcs[arc].b : NONE;
    keys[MODULE] = w->module_of[function];
    keys[SOURCE] = place == NONE ? NONE : w->places[place].a;
    keys[LINE] = place == NONE || w->places[place].b == 0 ? NONE : place;
}

/* Adds the keys of NODE to the counts of keys on the current chain, or subtracts them if ENTERS is false. Sets the bit
 * in w->first[NODE] for each key that no node further out on the chain has. */
static void
count_node(struct nodes *w, uint32_t *on_chain[KEYINGS], uint32_t node, bool enters)
{
    uint32_t keys[KEYINGS];

    find_keys(w, node, keys);
    for (enum keying k = FUNCTION; k < KEYINGS; k++) {
        const uint32_t key = keys[k];

        if (key == NONE)
            continue;
        if (!enters)
            on_chain[k][key]--;
        else if (on_chain[k][key]++ == 0)
            w->first[node] |= (uint8_t)(1u << k);
    }
}

/* Walks over the tree in depth-first order. `on_chain` has the number of nodes with each key on the current chain. */
static void
find_firsts(struct nodes *w)
{
    struct mp_arena *scratch = mp_arena_new();
    const struct mp_tree_children children = mp_tree_children(w->tree, scratch);
    uint32_t *next = mp_arena_alloc(scratch, w->tree->n_nodes * sizeof *next), *on_chain[KEYINGS];

    for (unsigned k = 0; k < KEYINGS; k++)
        on_chain[k] = mp_arena_alloc(scratch, (w->n_keys[k] + (size_t)1) * sizeof(uint32_t));
    memcpy(next, children.first, w->tree->n_nodes * sizeof *next);
    for (uint32_t node = 0;;) {
        if (next[node] < children.first[node + 1]) {
            node = children.list[next[node]++];
            count_node(w, on_chain, node, true);
        } else if (node == 0) {
            break;
        } else {
            count_node(w, on_chain, node, false);
            node = w->tree->nodes[node].parent;
        }
    }
    mp_arena_free(scratch);
}

static struct nodes
find_nodes(const struct mp_tree *tree, struct mp_arena *arena)
{
    struct nodes w = {.tree = tree, .arena = arena, .files.arena = arena, .modules.arena = arena,
                      .arc = mp_arena_alloc(arena, tree->n_nodes * sizeof *w.arc),
                      .place = mp_arena_alloc(arena, tree->n_nodes * sizeof *w.place),
                      .first = mp_arena_alloc(arena, tree->n_nodes)};
    uint32_t n_functions;

    w.numbers = mp_html_function_numbers(tree, NULL, &n_functions, arena);
    number_keys(&w);
    w.n_keys[FUNCTION] = w.n_keys[CALLER] = w.n_keys[CALLEE] = n_functions;
    w.n_keys[ARC] = w.n_arcs;
    w.n_keys[MODULE] = w.modules.count;
    w.n_keys[SOURCE] = w.files.count;
    w.n_keys[LINE] = w.n_places;
    find_firsts(&w);
    return w;
}

/* ---------------------------------------------------------------- tables */

/* The figures that a table sums up by key. */
enum what {
    OF_SELF,                    /* what was allocated in nodes themselves */
    OF_FIRST,                   /* what was allocated in and below nodes that are the first with their key */
    OF_ROOT,                    /* the same for nodes at the outer end of chains */
    OF_OTHERS                   /* the same for nodes that are not the first with their key */
};

struct table {
    const char *key;
    enum keying keying;
    enum what what;
};

static const struct table tables[] = {
    {"self", FUNCTION, OF_SELF},      {"total", FUNCTION, OF_FIRST},   {"root", FUNCTION, OF_ROOT},
    {"recur", FUNCTION, OF_OTHERS},   {"arcs", ARC, OF_FIRST},         {"calling", CALLER, OF_FIRST},
    {"called", CALLEE, OF_FIRST},     {"modules self", MODULE, OF_SELF}, {"modules total", MODULE, OF_FIRST},
    {"files self", SOURCE, OF_SELF},  {"files total", SOURCE, OF_FIRST}, {"lines self", LINE, OF_SELF},
    {"lines total", LINE, OF_FIRST},
};
enum {
    TABLES = sizeof tables / sizeof *tables,
    TOTAL = 1,                  /* index of the table "total" */
    MOST_COLUMNS = MP_HTML_COLUMNS
};

/* A cell of a node. Entries of one group are summed up together. The group is a combination of kind, side and thread,
 * or the bucket of a lifetime. */
struct entry {
    uint32_t node, cell;
    uint64_t group;
};

/* The values to sum up. */
struct source {
    const struct mp_tree *tree;
    struct entry *entries; size_t n;    /* sorted by group, then by node */
    int64_t (*value)(const struct mp_cell *cell, const struct entry *entry, unsigned column);
    unsigned columns;           /* number of values of an entry */
};

/* The sums of one key in one group. */
struct row {
    uint32_t key;
    uint64_t group;
    int64_t values[MOST_COLUMNS];
};

struct rows {
    struct row *list;
    size_t n, room;
};

struct adder {
    const struct nodes *nodes;
    const struct source *source;
    unsigned first_table, end_table;    /* range of tables to fill */
    int64_t *sums[TABLES];      /* sums of the current group, by key and column */
    struct rows rows[TABLES];
    struct mp_html_below below;
    uint32_t *touched; uint32_t n_touched;      /* nodes in or below which the current group has entries, callees
                                                   first */
    uint64_t *is_touched;       /* bit set by node, used to compute `touched` */
};

/* Adds VALUE to *TO. Sums of a damaged file wrap around. */
static void
add_to(int64_t *to, int64_t value)
{
    *to = (int64_t)((uint64_t)*to + (uint64_t)value);
}

/* Sets the touched nodes for a group with N ENTRIES. */
static void
touch(struct adder *a, const struct entry *entries, size_t n)
{
    const uint32_t n_nodes = a->source->tree->n_nodes;

    for (size_t i = 0; i < n; i++)
        for (uint32_t at = entries[i].node; at != 0 && !(a->is_touched[at / 64] >> at % 64 & 1);
             at = a->source->tree->nodes[at].parent)
            a->is_touched[at / 64] |= UINT64_C(1) << at % 64;
    a->n_touched = 0;
    for (uint32_t word = (n_nodes + 63) / 64; word-- > 0;)
        for (uint64_t bits = a->is_touched[word]; bits != 0;) {
            uint32_t bit = 63 - (uint32_t)__builtin_clzll(bits);

            a->touched[a->n_touched++] = 64 * word + bit;
            bits &= ~(UINT64_C(1) << bit);
        }
    memset(a->is_touched, 0, (n_nodes + (size_t)63) / 64 * 8);
}

/* Adds VALUES, one for each column, to the sums of table number TABLE for the key that KEYS has for it. */
static void
credit(struct adder *a, unsigned table, const uint32_t keys[static KEYINGS], const int64_t *values)
{
    const uint32_t key = keys[tables[table].keying];
    const unsigned columns = a->source->columns;

    for (unsigned c = 0; key != NONE && c < columns; c++)
        add_to(&a->sums[table][(size_t)key * columns + c], values[c]);
}

/* Returns whether TABLE has everything that was allocated in and below NODE. */
static bool
counts_at(const struct nodes *nodes, const struct table *table, uint32_t node)
{
    bool first = nodes->first[node] >> table->keying & 1;

    return table->what == OF_FIRST    ? first
           : table->what == OF_OTHERS ? !first
                                      : table->what == OF_ROOT && nodes->tree->nodes[node].parent == 0;
}

/* Adds the N entries of one group to the sums. Visits callees before their callers, and with each node its entries. */
static void
add_group(struct adder *a, const struct entry *entries, size_t n)
{
    const struct mp_tree_node *nodes = a->source->tree->nodes;
    const unsigned columns = a->source->columns;

    for (uint32_t i = 0; i < a->n_touched; i++) {
        const uint32_t node = a->touched[i], parent = nodes[node].parent;
        struct mp_html_below_sums sums = mp_html_below_take(&a->below, node), *outer;
        int64_t *values = sums.values, self[MOST_COLUMNS];
        uint32_t keys[KEYINGS];

        find_keys(a->nodes, node, keys);
        for (; n > 0 && entries[n - 1].node == node; n--) {
            const struct entry *entry = &entries[n - 1];
            const struct mp_cell *cell = &a->source->tree->profile->cells[entry->cell];

            for (unsigned c = 0; c < columns; c++) {
                self[c] = a->source->value(cell, entry, c);
                add_to(&values[c], self[c]);
            }
            for (unsigned t = a->first_table; t < a->end_table; t++)
                if (tables[t].what == OF_SELF)
                    credit(a, t, keys, self);
        }
        outer = parent != 0 ? mp_html_below_add(&a->below, parent) : NULL;
        for (unsigned c = 0; outer && c < columns; c++)
            add_to(&outer->values[c], values[c]);
        for (unsigned t = a->first_table; t < a->end_table; t++)
            if (counts_at(a->nodes, &tables[t], node))
                credit(a, t, keys, values);
    }
}

static void
add_row(struct rows *rows, uint32_t key, uint64_t group, const int64_t *values, unsigned columns)
{
    if (rows->n == rows->room) {
        rows->room = rows->room > 0 ? 2 * rows->room : 256;
        rows->list = mp_need(realloc(rows->list, rows->room * sizeof *rows->list));
    }
    rows->list[rows->n] = (struct row){.key = key, .group = group};
    memcpy(rows->list[rows->n++].values, values, columns * sizeof *values);
}

/* Converts the sums of GROUP to rows, and clears the sums. */
static void
take_rows(struct adder *a, uint64_t group)
{
    const unsigned columns = a->source->columns;

    for (unsigned t = a->first_table; t < a->end_table; t++)
        for (uint32_t key = 0; key < a->nodes->n_keys[tables[t].keying]; key++) {
            int64_t *values = &a->sums[t][(size_t)key * columns];
            bool any = false;

            for (unsigned c = 0; c < columns; c++)
                any |= values[c] != 0;
            if (any)
                add_row(&a->rows[t], key, group, values, columns);
            memset(values, 0, columns * sizeof *values);
        }
}

/* Fills the rows of the tables FIRST to END - 1. The caller frees their lists. */
static void
add_all(const struct nodes *nodes, const struct source *source, unsigned first, unsigned end,
        struct rows rows[static TABLES])
{
    struct mp_arena *scratch = mp_arena_new();
    const uint32_t n_nodes = nodes->tree->n_nodes;
    struct adder a = {.nodes = nodes, .source = source, .first_table = first, .end_table = end,
                      .below.slot = mp_arena_alloc(scratch, n_nodes * sizeof *a.below.slot),
                      .touched = mp_arena_alloc(scratch, n_nodes * sizeof *a.touched),
                      .is_touched = mp_arena_alloc(scratch, (n_nodes + (size_t)63) / 64 * 8)};

    for (unsigned t = first; t < end; t++)
        a.sums[t] = mp_arena_alloc(scratch, (nodes->n_keys[tables[t].keying] + (size_t)1) * source->columns * 8);
    for (size_t i = 0, next; i < source->n; i = next) {
        for (next = i; next < source->n && source->entries[next].group == source->entries[i].group; next++)
            continue;
        touch(&a, source->entries + i, next - i);
        add_group(&a, source->entries + i, next - i);
        take_rows(&a, source->entries[i].group);
    }
    memcpy(rows, a.rows, sizeof a.rows);
    free(a.below.list);
    mp_arena_free(scratch);
}

/* ---------------------------------------------------------------- sources */

static int
compare_groups(const void *a, const void *b, void *data)
{
    const uint64_t *groups = data;

    return mp_order(groups[*(const uint32_t *)a], groups[*(const uint32_t *)b]);
}

/* Sorts the entries of SOURCE, which are sorted by node, by group, then by node. There are few groups. */
static void
sort_entries(struct source *source)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_map groups = {.arena = arena};
    struct entry *sorted = mp_arena_alloc(arena, source->n * sizeof *sorted);
    uint32_t *of = mp_arena_alloc(arena, source->n * sizeof *of), *order;
    size_t *first, next = 0;

    for (size_t i = 0; i < source->n; i++)
        of[i] = i > 0 && source->entries[i].group == source->entries[i - 1].group
                    ? of[i - 1] : mp_map_add_u64(&groups, source->entries[i].group);
    order = mp_arena_alloc(arena, groups.count * sizeof *order);
    first = mp_arena_alloc(arena, groups.count * sizeof *first);
    for (size_t i = 0; i < source->n; i++)
        first[of[i]]++;
    for (uint32_t i = 0; i < groups.count; i++)
        order[i] = i;
    qsort_r(order, groups.count, sizeof *order, compare_groups, groups.numbers);
    for (uint32_t i = 0; i < groups.count; i++) {
        const size_t n = first[order[i]];

        first[order[i]] = next;
        next += n;
    }
    for (size_t i = 0; i < source->n; i++)
        sorted[first[of[i]]++] = source->entries[i];
    memcpy(source->entries, sorted, source->n * sizeof *sorted);
    mp_arena_free(arena);
}

static int64_t
value_of_cell(const struct mp_cell *cell, const struct entry *entry, unsigned column)
{
    (void)entry;
    return mp_basic_figure(&cell->counts, mp_html_columns[column].figure);
}

/* Returns the cells of TREE as entries. The lower half of a group is the cell's kind, which contains the side, and the
 * upper half is the thread. Without a breakdown by kind, a group is the side only. */
static struct source
source_of_cells(const struct mp_tree *tree, enum mp_html_detail detail, struct mp_arena *arena)
{
    struct source source = {.tree = tree, .value = value_of_cell, .columns = MP_HTML_COLUMNS,
                            .entries = mp_arena_alloc(arena, (tree->n_cells + (size_t)1) * sizeof *source.entries)};
    const uint32_t side = ~((UINT32_C(1) << MP_HTML_SIDE_SHIFT) - 1);
    struct mp_html_threads threads = mp_html_threads(tree->profile, arena);

    for (uint32_t node = 0; node < tree->n_nodes; node++)
        for (uint32_t i = tree->nodes[node].first_cell; i < tree->nodes[node + 1].first_cell; i++) {
            const struct mp_cell *cell = &tree->profile->cells[tree->cells[i]];
            uint64_t group = detail == MP_HTML_BY_KIND ? (uint64_t)threads.of[cell->context] << 32 | cell->kind
                                                       : cell->kind & side;

            source.entries[source.n++] = (struct entry){node, tree->cells[i], group};
        }
    sort_entries(&source);
    return source;
}

static int64_t
value_of_lifetime(const struct mp_cell *cell, const struct entry *entry, unsigned column)
{
    return (int64_t)(column == 0 ? cell->rest->lifetimes->blocks : cell->rest->lifetimes->bytes)[entry->group];
}

/* Returns the lifetimes of TREE as entries, grouped by bucket. The two columns are blocks and bytes. */
static struct source
source_of_lifetimes(const struct mp_tree *tree, struct mp_arena *arena)
{
    struct source source = {.tree = tree, .value = value_of_lifetime, .columns = 2};
    uint32_t room = 0, n = 0;

    for (uint32_t node = 0; node < tree->n_nodes; node++)
        for (uint32_t i = tree->nodes[node].first_cell; i < tree->nodes[node + 1].first_cell; i++) {
            const struct mp_cell *cell = &tree->profile->cells[tree->cells[i]];
            const struct mp_lifetimes *lifetimes = mp_cell_lifetimes(cell);

            for (unsigned bucket = 0; lifetimes && !mp_is_lisp(cell) && bucket < MP_LIFETIMES; bucket++) {
                if (lifetimes->blocks[bucket] == 0)
                    continue;
                source.entries = mp_arena_grow(arena, source.entries, n, &room, sizeof *source.entries);
                source.entries[n++] = (struct entry){node, tree->cells[i], bucket};
            }
        }
    source.n = n;
    if (n > 0)
        sort_entries(&source);
    return source;
}

/* ---------------------------------------------------------------- JSON */

static void
write_keys(const struct rows *rows, struct mp_buffer *out)
{
    mp_json_key_open(out, "key", '[');
    for (size_t i = 0; i < rows->n; i++)
        mp_json_signed(out, (int64_t)rows->list[i].key - (i > 0 ? (int64_t)rows->list[i - 1].key : 0));
    mp_json_close(out, ']');
}

static void
write_values(const struct rows *rows, const char *key, unsigned column, struct mp_buffer *out)
{
    mp_json_key_open(out, key, '[');
    for (size_t i = 0; i < rows->n; i++)
        mp_json_signed(out, rows->list[i].values[column]);
    mp_json_close(out, ']');
}

/* The components of a row's group. KIND_BELOW_SIDE is the kind if there are two sides. */
enum component { KIND, KIND_BELOW_SIDE, SIDE, THREAD, BUCKET };

static uint64_t
component_of(uint64_t group, enum component component, const struct mp_profile *view)
{
    switch (component) {
    case KIND:
        return mp_html_kind(view, (uint32_t)group);
    case KIND_BELOW_SIDE:
        return mp_html_kind(view, (uint32_t)group & ((UINT32_C(1) << MP_HTML_SIDE_SHIFT) - 1));
    case SIDE:
        return (uint32_t)group >> MP_HTML_SIDE_SHIFT;
    case THREAD:
        return group >> 32;
    default:
        return group;
    }
}

static void
write_groups(const struct rows *rows, const char *key, enum component component, const struct mp_profile *view,
             struct mp_buffer *out)
{
    mp_json_key_open(out, key, '[');
    for (size_t i = 0; i < rows->n; i++)
        mp_json_number(out, component_of(rows->list[i].group, component, view));
    mp_json_close(out, ']');
}

static void
write_cell_tables(const struct nodes *nodes, bool sides, enum mp_html_detail detail, struct mp_buffer *out)
{
    struct mp_arena *arena = mp_arena_new();
    const struct source source = source_of_cells(nodes->tree, detail, arena);
    const struct mp_profile *view = nodes->tree->profile;
    struct rows rows[TABLES];

    add_all(nodes, &source, 0, TABLES, rows);
    mp_json_key_open(out, "tables", '{');
    for (unsigned t = 0; t < TABLES; t++) {
        mp_json_key_open(out, tables[t].key, '{');
        write_keys(&rows[t], out);
        if (detail == MP_HTML_BY_KIND) {
            write_groups(&rows[t], "kind", sides ? KIND_BELOW_SIDE : KIND, view, out);
            write_groups(&rows[t], "thread", THREAD, view, out);
        }
        if (sides)
            write_groups(&rows[t], "side", SIDE, view, out);
        for (unsigned c = 0; c < MP_HTML_COLUMNS; c++)
            write_values(&rows[t], mp_html_columns[c].key, c, out);
        mp_json_close(out, '}');
        free(rows[t].list);
    }
    mp_json_close(out, '}');
    mp_arena_free(arena);
}

/* Writes the histogram of lifetimes: the upper borders of all buckets but the last, and sums by function and bucket. */
static void
write_lifetimes(const struct nodes *nodes, struct mp_buffer *out)
{
    struct mp_arena *arena = mp_arena_new();
    const struct source source = source_of_lifetimes(nodes->tree, arena);
    struct rows rows[TABLES];

    add_all(nodes, &source, TOTAL, TOTAL + 1, rows);
    mp_json_key_open(out, "lived", '{');
    mp_json_key_open(out, "below", '[');
    for (unsigned i = 0; i + 1 < MP_LIFETIMES; i++)
        mp_json_number(out, (uint64_t)1 << MP_LIFETIME_BITS(i));
    mp_json_close(out, ']');
    write_keys(&rows[TOTAL], out);
    write_groups(&rows[TOTAL], "bucket", BUCKET, nodes->tree->profile, out);
    write_values(&rows[TOTAL], "blocks", 0, out);
    write_values(&rows[TOTAL], "bytes", 1, out);
    mp_json_close(out, '}');
    free(rows[TOTAL].list);
    mp_arena_free(arena);
}

static void
write_pairs(const char *key, const struct pair *pairs, uint32_t n, struct mp_buffer *out)
{
    mp_json_key_open(out, key, '[');
    for (uint32_t i = 0; i < n; i++) {
        mp_json_open(out, '[');
        mp_json_number(out, pairs[i].a);
        mp_json_number(out, pairs[i].b);
        mp_json_close(out, ']');
    }
    mp_json_close(out, ']');
}

void
mp_html_sums_write(const struct mp_tree *tree, bool sides, enum mp_html_detail detail, struct mp_buffer *out)
{
    struct mp_arena *arena = mp_arena_new();
    const struct nodes nodes = find_nodes(tree, arena);

    mp_json_open(out, '{');
    mp_json_key_bool(out, "parts", detail == MP_HTML_BY_KIND);
    mp_html_names_write("modules", &nodes.modules, out);
    mp_html_names_write("files", &nodes.files, out);
    write_pairs("arcs", nodes.arcs, nodes.n_arcs, out);
    write_pairs("lines", nodes.places, nodes.n_places, out);
    write_cell_tables(&nodes, sides, detail, out);
    if (tree->profile->lifetimes)
        write_lifetimes(&nodes, out);
    mp_json_close(out, '}');
    mp_arena_free(arena);
}
