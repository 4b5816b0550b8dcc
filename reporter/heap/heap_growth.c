#include "heap_growth.h"

#include <stdlib.h>
#include <string.h>

#include "heap_report.h"
#include "heap_texts.h"
#include "reporter/base/search.h"

/* The figures of one type, site or root in both snapshots. */
struct change {
    const char *name, *kind;
    uint64_t objects[2], bytes[2], retained[2];
};

struct changes {
    struct mp_arena *arena;
    struct mp_map names;
    struct change *list;
    uint32_t room;
};

/* Returns the entry for NAME and KIND, and adds it if it is new. */
static struct change *
change_of(struct changes *changes, const char *name, const char *kind)
{
    const char *key = mp_arena_printf(changes->arena, "%s\1%s", kind, name);
    const uint32_t n = changes->names.count, id = mp_map_add(&changes->names, key, strlen(key));

    if (id == n) {
        changes->list = mp_arena_grow(changes->arena, changes->list, n, &changes->room, sizeof *changes->list);
        changes->list[id] = (struct change){.name = name, .kind = kind};
    }
    return &changes->list[id];
}

/* Returns the growth of retained bytes or, if they did not change, of shallow bytes. */
static int64_t
growth(const struct change *change)
{
    return change->retained[1] != change->retained[0] ? (int64_t)(change->retained[1] - change->retained[0])
                                                      : (int64_t)(change->bytes[1] - change->bytes[0]);
}

static int
by_growth(const void *a, const void *b)
{
    int64_t x = growth(a), y = growth(b);

    return x != y ? mp_order_signed(y, x) : strcmp(((const struct change *)a)->name, ((const struct change *)b)->name);
}

/* Adds a table of what changed. KEY and HEAD are the key and the title of the column of names, and KIND is the title of
 * the column of kinds. */
static void
put_changes(struct changes *changes, const char *name, const char *title, const char *key, const char *head,
            const char *kind, struct mp_heap_tables *tables)
{
    enum { OBJECTS, SHALLOW, SHALLOW_NOW, RETAINED, RETAINED_NOW, KIND, NAME };
    const struct mp_table_column columns[] = {
        [OBJECTS] = {"objects_change", "Objects", MP_UNIT_BLOCKS, NULL, MP_LAYOUT_SIGNED},
        [SHALLOW] = {"shallow_change", "Shallow", MP_UNIT_BYTES, NULL, MP_LAYOUT_SIGNED},
        [SHALLOW_NOW] = {"shallow", "now", MP_UNIT_BYTES},
        [RETAINED] = {"retained_change", "Retained", MP_UNIT_BYTES, NULL, MP_LAYOUT_SIGNED},
        [RETAINED_NOW] = {"retained", "now", MP_UNIT_BYTES},
        [KIND] = {"kind", kind, MP_UNIT_TEXT},
        [NAME] = {key, head, MP_UNIT_TEXT},
    };
    struct mp_table *table = mp_heap_table_add(tables, name, title, MP_HEAP_COLUMNS(columns));

    if (changes->names.count > 0)
        qsort(changes->list, changes->names.count, sizeof *changes->list, by_growth);
    for (uint32_t i = 0; i < changes->names.count; i++) {
        const struct change *change = &changes->list[i];
        struct mp_value *row;

        if (change->objects[0] == change->objects[1] && change->bytes[0] == change->bytes[1] &&
            change->retained[0] == change->retained[1])
            continue;
        row = mp_heap_table_row(tables, table);
        if (!row)
            continue;
        row[OBJECTS] = mp_value_kept(change->objects[1] - change->objects[0]);
        row[SHALLOW] = mp_value_kept(change->bytes[1] - change->bytes[0]);
        row[SHALLOW_NOW] = mp_value_number(change->bytes[1]);
        row[RETAINED] = mp_value_kept(change->retained[1] - change->retained[0]);
        row[RETAINED_NOW] = mp_value_number(change->retained[1]);
        row[KIND] = mp_value_text(change->kind);
        row[NAME] = mp_value_text(change->name);
    }
}

/* ----------------------------------------------------------------- growth */

static void
add_side(struct changes *changes, const struct mp_heap *heap, const struct mp_dominators *dominators,
         enum mp_heap_by by, unsigned side)
{
    struct mp_heap_rows rows = mp_heap_sums(heap, dominators, by);

    for (uint32_t i = 0; i < rows.n; i++) {
        const char *name = by == MP_HEAP_BY_TYPE ? mp_heap_type_text(heap, rows.list[i].id)
                                                 : mp_heap_site_text(heap, rows.list[i].id, changes->arena);
        struct change *change = change_of(changes, name, "");

        change->objects[side] += rows.list[i].objects;
        change->bytes[side] += rows.list[i].bytes;
        change->retained[side] += rows.list[i].retained;
    }
    mp_heap_rows_free(&rows);
}

static void
add_roots(struct changes *changes, const struct mp_heap *heap, const struct mp_dominators *dominators, unsigned side)
{
    struct mp_heap_rows rows = mp_heap_top_rows(heap, dominators, MP_TOP_ROOT, MP_NO_ID);

    for (uint32_t i = 0; i < rows.n; i++) {
        const struct mp_heap_top *top = &heap->tops[rows.list[i].id];
        const char *title = mp_heap_top_text(heap, rows.list[i].id);
        struct change *change = change_of(
            changes, *top->group ? mp_arena_printf(changes->arena, "%s, %s", title, top->group) : title,
            mp_heap_kind_name(top->kind));

        change->objects[side] += rows.list[i].objects;
        change->bytes[side] += rows.list[i].bytes;
        change->retained[side] += rows.list[i].retained;
    }
    mp_heap_rows_free(&rows);
}

bool
mp_heap_growth(struct mp_heap *before, struct mp_heap *after, struct mp_heap_tables *tables, struct mp_error *error)
{
    struct mp_heap *const heaps[] = {before, after};
    struct mp_dominators dominators;
    struct changes by[3];
    bool ok = true;

    for (unsigned i = 0; i < 3; i++)
        by[i] = (struct changes){.arena = tables->arena, .names = {.arena = tables->arena}};
    for (unsigned side = 0; side < 2 && ok; side++) {
        mp_heap_forget_states(heaps[side]);
        ok = mp_heap_recall_references(heaps[side], error);
        if (ok)
            mp_heap_prefer_lasting(heaps[side]);
        ok = ok && mp_dominate(heaps[side], &dominators, error);
        if (!ok)
            break;
        add_side(&by[0], heaps[side], &dominators, MP_HEAP_BY_TYPE, side);
        add_side(&by[1], heaps[side], &dominators, MP_HEAP_BY_SITE, side);
        add_roots(&by[2], heaps[side], &dominators, side);
        mp_dominators_free(&dominators);
    }
    if (!ok)
        return false;
    put_changes(&by[0], "types", "What changed by type", "type", "Type", "", tables);
    put_changes(&by[1], "sites", "What changed by site", "site", "Site", "", tables);
    put_changes(&by[2], "roots", "What changed by root", "root", "Root", "Kind", tables);
    return true;
}

/* -------------------------------------------------------------- survivors */

/* Returns whether HEAP has an object with the address, type and size of the object OBJECT of OTHER. */
static bool
has_same(const struct mp_heap *heap, const struct mp_heap *other, uint32_t object)
{
    bool inside;
    uint32_t found = mp_heap_find(heap, mp_heap_address(other, object), &inside);
    const struct mp_heap_class *a, *b = mp_heap_class(other, object);

    if (found == MP_NO_ID || inside)
        return false;
    a = mp_heap_class(heap, found);
    return a->size == b->size && strcmp(mp_heap_type_text(heap, a->type), mp_heap_type_text(other, b->type)) == 0;
}

/* Adds a table of the N SUMS, which are by type if TYPES is set, else by site. */
static void
put_sums(const struct mp_heap *heap, struct mp_heap_row *sums, uint32_t n, bool types, struct mp_heap_tables *tables)
{
    enum { OBJECTS, SHALLOW, NAME };
    const struct mp_table_column columns[] = {
        [OBJECTS] = {"objects", "Objects", MP_UNIT_BLOCKS},
        [SHALLOW] = {"shallow", "Shallow", MP_UNIT_BYTES},
        [NAME] = {types ? "type" : "site", types ? "Type" : "Site", MP_UNIT_TEXT},
    };
    struct changes changes = {.arena = tables->arena, .names = {.arena = tables->arena}};
    struct mp_table *table = mp_heap_table_add(
        tables, types ? "types" : "sites", types ? "What came and stayed, by type" : "What came and stayed, by site",
        MP_HEAP_COLUMNS(columns));

    for (uint32_t i = 0; i < n; i++) {
        struct change *change;

        if (sums[i].objects == 0 && sums[i].bytes == 0)
            continue;
        change = change_of(&changes, types ? mp_heap_type_text(heap, mp_heap_whole_type(heap, i))
                                           : mp_heap_site_text(heap, i, tables->arena), "");
        change->objects[1] += sums[i].objects;
        change->bytes[1] += sums[i].bytes;
    }
    if (changes.names.count > 0)
        qsort(changes.list, changes.names.count, sizeof *changes.list, by_growth);
    for (uint32_t i = 0; i < changes.names.count; i++) {
        struct mp_value *row = mp_heap_table_row(tables, table);

        if (!row)
            continue;
        row[OBJECTS] = mp_value_number(changes.list[i].objects[1]);
        row[SHALLOW] = mp_value_number(changes.list[i].bytes[1]);
        row[NAME] = mp_value_text(changes.list[i].name);
    }
}

void
mp_heap_survivors(struct mp_heap *first, struct mp_heap *second, struct mp_heap *third, struct mp_heap_tables *tables)
{
    struct mp_heap_row *types = mp_need(calloc(third->n_types, sizeof *types));
    struct mp_heap_row *sites = mp_need(calloc(third->n_sites, sizeof *sites));

    mp_heap_forget_states(first);
    mp_heap_forget_states(second);
    mp_heap_forget_states(third);
    for (uint32_t i = 0; i < third->n_objects; i++) {
        const struct mp_heap_class *class = mp_heap_class(third, i);

        if (has_same(first, third, i) || !has_same(second, third, i))
            continue;
        types[class->type].objects += !mp_heap_is_part(third, i);
        types[class->type].bytes += class->size;
        sites[class->site].objects += !mp_heap_is_part(third, i);
        sites[class->site].bytes += class->size;
    }
    put_sums(third, types, third->n_types, true, tables);
    put_sums(third, sites, third->n_sites, false, tables);
    free(types);
    free(sites);
}
