/* SPDX-License-Identifier: MIT */
#include "heap_growth.h"

#include <stdlib.h>
#include <string.h>

#include "heap_report.h"
#include "heap_texts.h"
#include "reporter/base/search.h"

/* The figures of one type, site, package or root in two snapshots. In a state, only the second one is used. */
struct change {
    const char *name, *kind, *group;    /* kind and group: of a root, else "" */
    uint64_t objects[2], bytes[2], retained[2];
};

struct changes {
    struct mp_arena *arena;
    struct mp_map names;
    struct change *list;
    uint32_t room;
};

static const char *
key_of(struct mp_arena *arena, const char *name, const char *kind, const char *group)
{
    return mp_arena_printf(arena, "%s\1%s\1%s", kind, group, name);
}

/* Returns the entry for NAME, KIND and GROUP, and adds it with copies of them if it is new. */
static struct change *
change_of(struct changes *changes, const char *name, const char *kind, const char *group)
{
    struct mp_arena *arena = changes->arena;
    const char *key = key_of(arena, name, kind, group);
    const uint32_t n = changes->names.count, id = mp_map_add(&changes->names, key, strlen(key));

    if (id == n) {
        changes->list = mp_arena_grow(arena, changes->list, n, &changes->room, sizeof *changes->list);
        changes->list[id] = (struct change){.name = mp_arena_strdup(arena, name), .kind = kind,
                                            .group = mp_arena_strdup(arena, group)};
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

static int
by_retained(const void *a, const void *b)
{
    const struct change *x = a, *y = b;

    if (x->retained[1] != y->retained[1])
        return mp_order(y->retained[1], x->retained[1]);
    return x->bytes[1] != y->bytes[1] ? mp_order(y->bytes[1], x->bytes[1]) : by_growth(a, b);
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
        row[NAME] = mp_value_text(*change->group ? mp_arena_printf(tables->arena, "%s, %s", change->name, change->group)
                                                 : change->name);
    }
}

/* ----------------------------------------------------------------- growth */

/* Skips what precedes a symbol in the NAME of a function: "(SETF F)", "(METHOD F (T))". */
static const char *
after_list(const char *name)
{
    static const char *const lists[] = {"(METHOD ", "(SETF ", "("};

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (strncmp(name, lists[i], strlen(lists[i])) == 0)
            name += strlen(lists[i]);
    return name;
}

/* Returns the package of TYPE's name. If TYPE is a type of closures, returns the package of their function. Names are
 * printed as in CL-USER, so names of CL-USER have no prefix, and neither have those of COMMON-LISP, which are in
 * STANDARD. Returns "(none)" for a type without a name in Lisp. */
static const char *
package_of(const struct mp_heap *heap, uint32_t type, const struct mp_map *standard, struct mp_arena *arena)
{
    static const char symbols[] = "SYMBOL in ", *const closures[] = {"CLOSURE ", "INTERPRETED-CLOSURE "};
    const char *name = mp_heap_type_text(heap, type), *package;
    const unsigned shape = heap->types[type].shape;
    size_t length;

    if (strncmp(name, symbols, sizeof symbols - 1) == 0)
        return name + sizeof symbols - 1;
    for (size_t i = 0; i < sizeof closures / sizeof *closures; i++)
        if (strncmp(name, closures[i], strlen(closures[i])) == 0)
            name += strlen(closures[i]);
    package = mp_lisp_package(name, &length);
    if (package)
        return mp_arena_printf(arena, "%.*s", (int)length, package);
    if (shape == MP_SHAPE_CLOSURE)
        name = mp_lisp_outermost(name);
    name = after_list(name);
    length = strcspn(name, " ()");
    if (shape == MP_SHAPE_CLOSURE &&
        ((length == 6 && strncmp(name, "LAMBDA", 6) == 0) || strcmp(name, "without a name") == 0))
        return "(none)";
    if (mp_map_find(standard, name, length) != MP_NO_ID)
        return "COMMON-LISP";
    return shape == MP_SHAPE_CLOSURE || shape == MP_SHAPE_INSTANCE ? "COMMON-LISP-USER" : "(none)";
}

/* Adds the sums of HEAP's objects by type or site. If STANDARD is not NULL, the group of a type is its package. */
static void
add_side(struct changes *changes, const struct mp_heap *heap, const struct mp_dominators *dominators,
         enum mp_heap_by by, const struct mp_map *standard, unsigned side)
{
    struct mp_heap_rows rows = mp_heap_sums(heap, dominators, by);

    for (uint32_t i = 0; i < rows.n; i++) {
        const bool types = by == MP_HEAP_BY_TYPE;
        const uint32_t id = rows.list[i].id;
        const char *name = types ? mp_heap_type_text(heap, id) : mp_heap_site_text(heap, id, changes->arena);
        const char *group = types && standard ? package_of(heap, id, standard, changes->arena) : "";
        struct change *change = change_of(changes, name, "", group);

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
        struct change *change = change_of(changes, mp_heap_top_text(heap, rows.list[i].id),
                                          mp_heap_kind_name(top->kind), top->group);

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
        add_side(&by[0], heaps[side], &dominators, MP_HEAP_BY_TYPE, NULL, side);
        add_side(&by[1], heaps[side], &dominators, MP_HEAP_BY_SITE, NULL, side);
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
                                           : mp_heap_site_text(heap, i, tables->arena), "", "");
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

/* -------------------------------------------------------------------- now */

enum by { BY_TYPE, BY_PACKAGE, BY_SITE, BY_ROOT, BY_ALL };

struct mp_heap_state {
    struct mp_arena *arena;
    struct changes by[BY_ALL];
    bool retained;              /* retained bytes and roots are known */
};

void
mp_heap_state_free(struct mp_heap_state *state)
{
    if (state)
        mp_arena_free(state->arena);
}

/* Adds the sums of TYPES by package. If a group of roots in GROUPS has the name of a package, adds what it retains to
 * that package. Other groups are threads that have bound variables, and are skipped. */
static void
add_packages(struct changes *changes, const struct changes *types, const struct mp_heap_rows *groups)
{
    for (uint32_t i = 0; i < types->names.count; i++) {
        const struct change *type = &types->list[i];
        struct change *change = change_of(changes, type->group, "", "");

        change->objects[1] += type->objects[1];
        change->bytes[1] += type->bytes[1];
    }
    for (uint32_t i = 0; i < groups->n; i++) {
        const char *key = key_of(changes->arena, groups->list[i].name, "", "");
        const uint32_t package = mp_map_find(&changes->names, key, strlen(key));

        if (package != MP_NO_ID)
            changes->list[package].retained[1] += groups->list[i].retained;
    }
}

/* Returns the sums of HEAP, whose references are in memory. If ALL, computes dominators, which frees the references.
 * Sets *REACHED to the bytes of the objects, of reachable ones if ALL. */
static struct mp_heap_state *
state_of(struct mp_heap *heap, const struct mp_heap_wish *wish, bool all, uint64_t *reached, struct mp_error *error)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_heap_state *state = mp_arena_alloc(arena, sizeof *state);
    struct mp_map standard = {.arena = heap->arena};
    struct mp_heap_rows groups = {0};
    struct mp_dominators dominators;

    *state = (struct mp_heap_state){.arena = arena, .retained = all};
    for (unsigned i = 0; i < BY_ALL; i++)
        state->by[i] = (struct changes){.arena = arena, .names = {.arena = arena}};
    for (const char *const *name = wish->standard; name && *name; name++)
        mp_map_add(&standard, *name, strlen(*name));
    mp_heap_forget_states(heap);
    *reached = heap->bytes;
    if (all) {
        mp_heap_prefer_lasting(heap);
        groups = mp_heap_group_rows(heap, 1u << MP_ROOT_VALUE | 1u << MP_ROOT_FUNCTION | 1u << MP_ROOT_PLIST);
        if (!mp_dominate(heap, &dominators, error)) {
            mp_heap_rows_free(&groups);
            mp_arena_free(arena);
            return NULL;
        }
        *reached = dominators.bytes;
    }
    add_side(&state->by[BY_TYPE], heap, all ? &dominators : NULL, MP_HEAP_BY_TYPE, &standard, 1);
    add_side(&state->by[BY_SITE], heap, all ? &dominators : NULL, MP_HEAP_BY_SITE, NULL, 1);
    add_packages(&state->by[BY_PACKAGE], &state->by[BY_TYPE], &groups);
    if (all) {
        add_roots(&state->by[BY_ROOT], heap, &dominators, 1);
        mp_dominators_free(&dominators);
    }
    mp_heap_rows_free(&groups);
    return state;
}

/* Returns a list of all rows of NOW and SINCE, which may be NULL, and sets *N to their number. */
static struct change *
compare(const struct changes *now, const struct changes *since, struct mp_arena *arena, uint32_t *n)
{
    const uint32_t most = now->names.count + (since ? since->names.count : 0);
    struct change *list = mp_arena_alloc(arena, ((size_t)most + 1) * sizeof *list);

    for (*n = 0; *n < now->names.count; ++*n)
        list[*n] = now->list[*n];
    for (uint32_t i = 0; since && i < since->names.count; i++) {
        const struct change *before = &since->list[i];
        const char *key = key_of(arena, before->name, before->kind, before->group);
        const uint32_t found = mp_map_find(&now->names, key, strlen(key)), at = found == MP_NO_ID ? (*n)++ : found;

        if (found == MP_NO_ID)
            list[at] = (struct change){.name = before->name, .kind = before->kind, .group = before->group};
        list[at].objects[0] = before->objects[1];
        list[at].bytes[0] = before->bytes[1];
        list[at].retained[0] = before->retained[1];
    }
    return list;
}

struct showing {
    const struct mp_heap_state *state;
    const struct mp_heap_question *question;
    const struct mp_heap_wish *wish;
    uint64_t whole;             /* bytes that shares refer to */
    struct mp_heap_tables *tables;
};

static bool
is_shown(const struct showing *showing, enum by by, const struct change *change)
{
    const char *package = showing->wish->package;

    if (!change->bytes[0] && !change->bytes[1] && !change->retained[0] && !change->retained[1])
        return false;
    if (by == BY_TYPE && showing->question->type && !mp_heap_question_has_type(showing->question, change->name))
        return false;
    if (!package)
        return true;
    if (by == BY_SITE) {
        size_t length;
        const char *of = mp_lisp_package(change->name, &length);

        return of && strlen(package) == length && memcmp(of, package, length) == 0;
    }
    return strcmp(by == BY_PACKAGE ? change->name : change->group, package) == 0;
}

static struct mp_value
changed(bool known, const uint64_t figures[static 2])
{
    return known ? mp_value_kept(figures[1] - figures[0]) : (struct mp_value){0};
}

static void
show(const struct showing *showing, enum by by, const char *name, const char *title, const char *key, const char *head)
{
    enum { OBJECTS, OBJECTS_CHANGE, BYTES, BYTES_CHANGE, SHARE, RETAINED, RETAINED_CHANGE, RETAINED_SHARE, KIND,
           PACKAGE, NAME };
    const unsigned root = by == BY_ROOT ? MP_LAYOUT_USUAL : MP_LAYOUT_HIDDEN;
    const unsigned own = by == BY_ROOT ? MP_LAYOUT_HIDDEN : MP_LAYOUT_USUAL;
    const unsigned change_layout = MP_LAYOUT_SIGNED | MP_LAYOUT_OPTIONAL;
    const struct mp_table_column columns[] = {
        [OBJECTS] = {"objects", "Objects", MP_UNIT_BLOCKS, NULL, own},
        [OBJECTS_CHANGE] = {"objects_change", "change", MP_UNIT_BLOCKS, NULL, own | change_layout},
        [BYTES] = {"bytes", "Bytes", MP_UNIT_BYTES, NULL, own},
        [BYTES_CHANGE] = {"bytes_change", "change", MP_UNIT_BYTES, NULL, own | change_layout},
        [SHARE] = {NULL, "%", MP_UNIT_PERCENT, NULL, own | MP_LAYOUT_TENTHS},
        [RETAINED] = {"retained", by == BY_PACKAGE ? "Held" : "Retained", MP_UNIT_BYTES, NULL, MP_LAYOUT_OPTIONAL},
        [RETAINED_CHANGE] = {"retained_change", "change", MP_UNIT_BYTES, NULL, change_layout},
        [RETAINED_SHARE] = {NULL, "%", MP_UNIT_PERCENT, NULL, MP_LAYOUT_TENTHS | MP_LAYOUT_OPTIONAL},
        [KIND] = {by == BY_ROOT ? "kind" : NULL, "Kind", MP_UNIT_TEXT, NULL, root},
        [PACKAGE] = {by == BY_ROOT || by == BY_TYPE ? "package" : NULL, "Package", MP_UNIT_TEXT, NULL, root},
        [NAME] = {key, head, MP_UNIT_TEXT},
    };
    const struct mp_heap_state *since = showing->wish->since;
    const bool retained = showing->state->retained;
    const bool retained_changes = retained && since && since->retained;
    const bool changes = by == BY_ROOT ? retained_changes : since != NULL;
    struct mp_table *table = mp_heap_table_add(showing->tables, name, title, MP_HEAP_COLUMNS(columns));
    uint32_t n;
    struct change *list = compare(&showing->state->by[by],
                                  changes ? &since->by[by] : NULL, showing->tables->arena, &n);

    for (uint32_t i = 0; i < n && !retained_changes; i++)
        list[i].retained[0] = list[i].retained[1];      /* so that the growth is that of bytes */
    if (n > 0)
        qsort(list, n, sizeof *list, showing->wish->by_growth && changes ? by_growth : by_retained);
    for (uint32_t i = 0; i < n; i++) {
        const struct change *change = &list[i];
        struct mp_value *row = is_shown(showing, by, change) ? mp_heap_table_row(showing->tables, table) : NULL;

        if (!row)
            continue;
        row[OBJECTS] = mp_value_number(change->objects[1]);
        row[OBJECTS_CHANGE] = changed(changes, change->objects);
        row[BYTES] = mp_value_number(change->bytes[1]);
        row[SHARE] = mp_value_share(change->bytes[1], showing->whole);
        row[BYTES_CHANGE] = changed(changes, change->bytes);
        if (retained) {
            row[RETAINED] = mp_value_number(change->retained[1]);
            row[RETAINED_SHARE] = mp_value_share(change->retained[1], showing->whole);
        }
        row[RETAINED_CHANGE] = changed(retained_changes, change->retained);
        row[KIND] = mp_value_text(change->kind);
        row[PACKAGE] = mp_value_text(change->group);
        row[NAME] = mp_value_text(change->name);
    }
}

struct mp_heap_state *
mp_heap_now(struct mp_heap *heap, const struct mp_heap_question *question, const struct mp_heap_wish *wish,
            struct mp_heap_tables *tables, struct mp_error *error)
{
    const bool all = !question->root && !question->type;
    struct showing showing = {.question = question, .wish = wish, .tables = tables};
    struct mp_heap_state *state = state_of(heap, wish, all, &showing.whole, error);

    if (!state)
        return NULL;
    showing.state = state;
    if (!question->root)
        show(&showing, BY_TYPE, "types", "Types", "type", "Type");
    if (all) {
        show(&showing, BY_PACKAGE, "packages", "Packages of types, and what only symbols of the package hold",
             "package", "Package");
        if (heap->n_sites > 1)
            show(&showing, BY_SITE, "sites", "Sites", "site", "Site");
        show(&showing, BY_ROOT, "roots", "Roots", "root", "Root");
    } else if ((question->root || mp_heap_has(heap, question)) && !mp_heap_answer(heap, question, tables, error)) {
        mp_heap_state_free(state);
        return NULL;
    }
    return state;
}
