/* SPDX-License-Identifier: MIT */
#include "heap_report.h"

#include <stdlib.h>
#include <string.h>

#include "containers.h"
#include "disjoint.h"
#include "reporter/base/format_number.h"
#include "reporter/base/search.h"
#include "reporter/profile/profile.h"
#include "runtime/sizeclass.h"

#define DEEPEST 20u             /* maximum levels of dominated objects */

/* The state of an answer. */
struct answering {
    struct mp_heap *heap;
    const struct mp_heap_question *question;
    struct mp_heap_tables *tables;
    /* Tables that need references. They are made before the dominators, because memory holds only references or
     * dominators at a time. */
    struct mp_heap_tables early;
    struct mp_heap_rows groups; /* rows of the table of groups, if the question names nothing */
    struct mp_heap_containers *containers;      /* NULL if the answer has no table of containers */
    bool *wanted;               /* by class: whether the question is about its objects; NULL if the question is
                                   about `object` alone */
    uint32_t object;            /* the object asked for, if `wanted` is NULL */
    struct mp_dominators dominators;
};

struct mp_heap_sum
mp_heap_reached(const struct mp_heap *heap)
{
    uint8_t *reached = mp_heap_reach_without(heap, mp_heap_in_none, NULL);
    struct mp_heap_sum sum = {0};

    for (uint32_t i = 0; i < heap->n_objects; i++)
        if (reached[i]) {
            sum.objects += !mp_heap_is_part(heap, i);
            sum.bytes += mp_heap_size(heap, i);
        }
    free(reached);
    return sum;
}

/* ------------------------------------------------------------------- tops */

/* Adds a table of the tops of LEVEL below UNDER, see mp_heap_top_rows(). */
static void
add_tops(struct answering *answering, const char *name, const char *title, enum mp_heap_level level, uint32_t under)
{
    enum { TITLE, GROUP, KIND, SHALLOW, SHALLOW_SHARE, RETAINED, RETAINED_SHARE };
    static const struct mp_table_column columns[] = {
        [TITLE] = {"title", "Title", MP_UNIT_TEXT},
        [GROUP] = {"group", "Group", MP_UNIT_TEXT},
        [KIND] = {"kind", "Kind", MP_UNIT_TEXT},
        [SHALLOW] = {"shallow", "Shallow", MP_UNIT_BYTES},
        [SHALLOW_SHARE] = MP_HEAP_SHARE,
        [RETAINED] = {"retained", "Retained", MP_UNIT_BYTES},
        [RETAINED_SHARE] = MP_HEAP_SHARE,
    };
    const struct mp_heap *heap = answering->heap;
    const uint64_t whole = answering->dominators.bytes;
    struct mp_table *table = mp_heap_table_add(answering->tables, name, title, MP_HEAP_COLUMNS(columns));
    struct mp_heap_rows rows = mp_heap_top_rows(heap, &answering->dominators, level, under);

    for (uint32_t i = 0; i < rows.n; i++) {
        const struct mp_heap_top *top = &heap->tops[rows.list[i].id];
        struct mp_value *row = mp_heap_table_row(answering->tables, table);

        if (!row)
            continue;
        row[TITLE] = mp_value_text(mp_heap_top_text(heap, rows.list[i].id));
        row[GROUP] = mp_value_text(top->group);
        row[KIND] = mp_value_text(mp_heap_kind_name(top->kind));
        mp_heap_put_share(&row[SHALLOW], rows.list[i].bytes, whole);
        mp_heap_put_share(&row[RETAINED], rows.list[i].retained, whole);
    }
    mp_heap_rows_free(&rows);
}

/* ------------------------------------------------------------------- sets */

static bool
is_wanted(const struct mp_heap *heap, uint32_t node, const void *data)
{
    const struct answering *answering = data;

    if (!answering->wanted)
        return node == answering->object;
    return node < heap->n_objects && answering->wanted[heap->class_of[node]];
}

/* Returns whether the type TEXT is called NAME, see mp_heap_question_has_type(). */
static bool
is_called(const char *text, const char *name)
{
    const size_t length = strlen(name);
    const bool in_list = *text == '(' && strncmp(text + 1, name, length) == 0 && text[1 + length] == ' ';

    if (strcmp(text, name) == 0)
        return true;
    return length > 0 && !strchr(name, ' ') && (in_list || (strncmp(text, name, length) == 0 && text[length] == ' '));
}

bool
mp_heap_question_has_type(const struct mp_heap_question *question, const char *text)
{
    for (const char *const *more = question->more_types; more && *more; more++)
        if (is_called(text, *more))
            return true;
    return question->type && is_called(text, question->type);
}

/* Returns whether QUESTION names TYPE. The type of a C block has several names. For example, "24 bytes: node, edge" is
 * also called "24 bytes", "node" and "edge". */
static bool
type_is_wanted(const struct mp_heap *heap, uint32_t type, const struct mp_heap_question *question)
{
    const char *text = mp_heap_type_text(heap, type), *name = question->type;
    const size_t length = strlen(name);

    if (heap->types[type].shape != MP_SHAPE_BLOCK || length == 0)
        return mp_heap_question_has_type(question, text);
    if (strcmp(text, name) == 0)
        return true;
    if (strncmp(text, name, length) == 0 && strncmp(text + length, ": ", 2) == 0)
        return true;
    for (const char *at = strstr(text, ": "); at; at = strstr(at, ", ")) {
        at += 2;
        if (strncmp(at, name, length) == 0 && (at[length] == '\0' || strncmp(at + length, ", ", 2) == 0))
            return true;
    }
    return false;
}

static bool
class_is_wanted(const struct mp_heap *heap, const struct mp_heap_question *question, const struct mp_heap_class *class)
{
    if (question->type && !type_is_wanted(heap, class->type, question) &&
        !type_is_wanted(heap, mp_heap_whole_type(heap, class->type), question))
        return false;
    return !question->site || mp_lisp_text_is(heap->sites[class->site].function, question->site, NULL) ||
           strcmp(mp_heap_site_text(heap, class->site, heap->arena), question->site) == 0;
}

bool
mp_heap_has(const struct mp_heap *heap, const struct mp_heap_question *question)
{
    for (uint32_t i = 0; i < heap->n_classes; i++)
        if (class_is_wanted(heap, question, &heap->classes[i]))
            return true;
    return false;
}

/* Finds the objects that the question is about, which names an object, a type or a site. Returns false and fills *ERROR
 * if the heap does not contain such objects. */
static bool
find_wanted(struct answering *answering, struct mp_error *error)
{
    const struct mp_heap *heap = answering->heap;
    const struct mp_heap_question *question = answering->question;
    bool any = false, inside;

    if (question->has_object) {
        answering->object = mp_heap_find(heap, question->object, &inside);
        return answering->object != MP_NO_ID || mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "no object at 0x%llx",
                                                        (unsigned long long)question->object);
    }
    answering->wanted = mp_arena_alloc(answering->tables->arena, heap->n_classes + 1);
    for (uint32_t i = 0; i < heap->n_classes; i++)
        any |= answering->wanted[i] = class_is_wanted(heap, question, &heap->classes[i]);
    if (any)
        return true;
    if (question->type && question->site)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "no objects of type '%s' of site '%s'", question->type,
                       question->site);
    return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "no objects of %s '%s'", question->type ? "type" : "site",
                   question->type ? question->type : question->site);
}

/* ------------------------------------------------------------------- held */

enum { HELD_ADDRESS, HELD_SHALLOW, HELD_RETAINED, HELD_SHARE, HELD_DEPTH, HELD_OBJECT };
static const struct mp_table_column held_columns[] = {
    [HELD_ADDRESS] = {"address", "Address", MP_UNIT_ADDRESS},
    [HELD_SHALLOW] = {"shallow", "Shallow", MP_UNIT_BYTES},
    [HELD_RETAINED] = {"retained", "Retained", MP_UNIT_BYTES},
    [HELD_SHARE] = MP_HEAP_SHARE,
    [HELD_DEPTH] = {"depth", "Depth", MP_UNIT_COUNT},
    [HELD_OBJECT] = {"object", "Object", MP_UNIT_TEXT},
};

/* Returns the address of NODE. If NODE is a top, returns 0 as an unknown value, which text tables do not show. */
static struct mp_value
address_of(const struct mp_heap *heap, uint32_t node)
{
    const uint64_t address = node < heap->n_objects ? mp_heap_address(heap, node) : 0;

    return mp_value_if(address != 0, mp_value_number(address));
}

static void
put_held(struct answering *answering, struct mp_value *row, uint32_t position, uint32_t depth)
{
    const struct mp_heap *heap = answering->heap;
    uint32_t node = answering->dominators.at[position];

    row[HELD_ADDRESS] = address_of(heap, node);
    row[HELD_SHALLOW] = mp_value_number(mp_heap_size(heap, node));
    mp_heap_put_share(&row[HELD_RETAINED], mp_retained(&answering->dominators, position), answering->dominators.bytes);
    row[HELD_DEPTH] = mp_value_number(depth);
    row[HELD_OBJECT] = mp_value_text(mp_arena_printf(answering->tables->arena, "%*s%s", (int)(2 * (depth - 1)), "",
                                                     mp_heap_node_text(heap, node, answering->tables->arena)));
}

/* Adds rows for the nodes that the node at POSITION immediately dominates, the largest first. Below each
 * node, adds the nodes that it dominates, down to the depth of the question and at most DEEPEST. */
static void
add_held(struct answering *answering, struct mp_table *table, uint32_t position, uint32_t depth)
{
    uint32_t rest;
    struct mp_heap_rows rows = mp_heap_dominated(answering->heap, &answering->dominators, position,
                                                 answering->tables->most, &rest);

    for (uint32_t i = 0; i < rows.n; i++) {
        struct mp_value *row = mp_heap_table_row(answering->tables, table);

        if (row)
            put_held(answering, row, rows.list[i].id, depth);
        if (row && depth < answering->question->depth && depth < DEEPEST)
            add_held(answering, table, rows.list[i].id, depth + 1);
    }
    table->left_out.n += rest;
    mp_heap_rows_free(&rows);
}

static void
add_held_table(struct answering *answering, uint32_t position, const char *title)
{
    struct mp_table *table = mp_heap_table_add(answering->tables, "held", title, MP_HEAP_COLUMNS(held_columns));

    add_held(answering, table, position, 1);
}

static int
by_bytes(const void *a, const void *b)
{
    const struct mp_heap_row *x = a, *y = b;

    return x->bytes != y->bytes ? mp_order(y->bytes, x->bytes) : mp_order(x->id, y->id);
}

/* Adds a table of the types of all objects that the node at POSITION dominates. */
static void
add_types_within(struct answering *answering, uint32_t position)
{
    enum { OBJECTS, SHALLOW, SHARE, TYPE };
    static const struct mp_table_column columns[] = {
        [OBJECTS] = {"objects", "Objects", MP_UNIT_BLOCKS},
        [SHALLOW] = {"shallow", "Shallow", MP_UNIT_BYTES},
        [SHARE] = MP_HEAP_SHARE,
        [TYPE] = {"type", "Type", MP_UNIT_TEXT},
    };
    const struct mp_heap *heap = answering->heap;
    const struct mp_dominators *dominators = &answering->dominators;
    struct mp_table *table = mp_heap_table_add(answering->tables, "types", "Types of what it holds",
                                               MP_HEAP_COLUMNS(columns));
    struct mp_heap_row *types = mp_need(calloc(heap->n_types, sizeof *types));

    for (uint32_t i = position; i < position + dominators->span[position]; i++)
        if (dominators->at[i] < heap->n_objects) {
            struct mp_heap_row *type =
                &types[mp_heap_whole_type(heap, mp_heap_class(heap, dominators->at[i])->type)];

            type->objects += !mp_heap_is_part(heap, dominators->at[i]);
            type->bytes += mp_heap_size(heap, dominators->at[i]);
        }
    for (uint32_t i = 0; i < heap->n_types; i++)
        types[i].id = i;
    qsort(types, heap->n_types, sizeof *types, by_bytes);
    for (uint32_t i = 0; i < heap->n_types; i++) {
        const bool any = types[i].objects > 0 || types[i].bytes > 0;
        struct mp_value *row = any ? mp_heap_table_row(answering->tables, table) : NULL;

        if (!row)
            continue;
        row[OBJECTS] = mp_value_number(types[i].objects);
        mp_heap_put_share(&row[SHALLOW], types[i].bytes, dominators->bytes);
        row[TYPE] = mp_value_text(mp_heap_type_text(heap, types[i].id));
    }
    free(types);
}

/* ------------------------------------------------------------------- root */

/* Returns whether TOP is of LEVEL and called NAME. */
static bool
matches(const struct mp_heap *heap, uint32_t top, enum mp_heap_level level, const char *name)
{
    const struct mp_heap_top *of = &heap->tops[top];

    if (of->level != level)
        return false;
    if (level == MP_TOP_KIND)
        return strcmp(mp_heap_kind_name(of->kind), name) == 0;
    return strcmp(mp_heap_top_text(heap, top), name) == 0;
}

static void
answer_top(struct answering *answering, uint32_t top)
{
    const struct mp_heap_top *of = &answering->heap->tops[top];
    uint32_t position = mp_dominators_find(&answering->dominators, answering->heap->n_objects + top);

    if (of->level == MP_TOP_KIND)
        add_tops(answering, "groups", "Groups of this kind", MP_TOP_GROUP, top);
    if (of->level != MP_TOP_ROOT)
        add_tops(answering, "roots", "Roots", MP_TOP_ROOT, top);
    if (of->level == MP_TOP_ROOT)
        add_held_table(answering, position, mp_arena_printf(answering->tables->arena, "Held by %s (%s)",
                                                            mp_heap_top_text(answering->heap, top),
                                                            mp_heap_kind_words(of->kind)));
    add_types_within(answering, position);
}

static bool
answer_root(struct answering *answering, struct mp_error *error)
{
    const struct mp_heap *heap = answering->heap;
    const char *name = answering->question->root;
    bool any = false;

    for (int level = MP_TOP_KIND; level >= 0 && !any; level--)
        for (uint32_t top = 0; top < heap->n_tops; top++)
            if (matches(heap, top, (enum mp_heap_level)level, name)) {
                answer_top(answering, top);
                any = true;
            }
    if (any)
        return true;
    for (uint32_t kind = 0; kind < MP_ROOT_KINDS; kind++)
        if (strcmp(mp_heap_kind_name(kind), name) == 0)
            return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "no roots of the kind %s are in this heap", name);
    return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "'%s': no kind, group or title of a root", name);
}

/* ----------------------------------------------------------------- object */

/* Returns how the object FROM refers to the current target of WALK, or "" if it is an ordinary reference. */
static const char *
how(const struct mp_heap *heap, uint32_t from, const struct mp_heap_walk *walk)
{
    return mp_heap_is_left_out(heap, from, walk->to) ? "left out"
           : walk->weak ? "weak" : walk->inside ? "inside" : "";
}

static void
begin_object(struct answering *answering)
{
    enum { SLOT, NAME, HOW, ADDRESS, OBJECT };
    static const struct mp_table_column columns[] = {
        [SLOT] = {"slot", "Slot", MP_UNIT_COUNT},
        [NAME] = {"name", "Name", MP_UNIT_TEXT},
        [HOW] = {"how", "How", MP_UNIT_TEXT},
        [ADDRESS] = {"address", "Address", MP_UNIT_ADDRESS},
        [OBJECT] = {"object", "Object", MP_UNIT_TEXT},
    };
    const struct mp_heap *heap = answering->heap;
    const uint32_t object = answering->object;
    const struct mp_heap_type *type = &heap->types[mp_heap_class(heap, object)->type];
    struct mp_table *table = mp_heap_table_add(&answering->early, "references", "References",
                                               MP_HEAP_COLUMNS(columns));
    struct mp_heap_walk walk = mp_heap_walk(heap, object);

    while (mp_heap_next(heap, &walk)) {
        struct mp_value *row = mp_heap_table_row(&answering->early, table);

        if (!row)
            continue;
        row[SLOT] = mp_value_number(walk.slot);
        row[NAME] = mp_value_text(walk.slot < type->n_slots ? type->slots[walk.slot] : "");
        row[HOW] = mp_value_text(how(heap, object, &walk));
        row[ADDRESS] = address_of(heap, walk.to);
        row[OBJECT] = mp_value_text(mp_heap_node_text(heap, walk.to, answering->tables->arena));
    }
}

static void
add_dominators(struct answering *answering, uint32_t position)
{
    struct mp_table *table = mp_heap_table_add(answering->tables, "dominators",
                                               "All that holds it alone, the nearest first",
                                               MP_HEAP_COLUMNS(held_columns));

    for (uint32_t depth = 1; position > 0; depth++) {
        struct mp_value *row;

        position = mp_dominators_parent(&answering->dominators, position);
        row = mp_heap_table_row(answering->tables, table);
        if (!row) {                             /* finding parents is slow, so the rows left out are not counted */
            table->note = "There are more.";
            table->left_out.n = 0;
            break;
        }
        put_held(answering, row, position, 1);
        row[HELD_DEPTH] = mp_value_number(depth);
    }
}

static void
answer_object(struct answering *answering)
{
    enum { ADDRESS, SHALLOW, RETAINED, REACHED, SITE, OBJECT };
    static const struct mp_table_column columns[] = {
        [ADDRESS] = {"address", "Address", MP_UNIT_ADDRESS},
        [SHALLOW] = {"shallow", "Shallow", MP_UNIT_BYTES},
        [RETAINED] = {"retained", "Retained", MP_UNIT_BYTES},
        [REACHED] = {"reached", "Reached", MP_UNIT_TEXT},
        [SITE] = {"site", "Site", MP_UNIT_TEXT},
        [OBJECT] = {"object", "Object", MP_UNIT_TEXT},
    };
    const struct mp_heap *heap = answering->heap;
    struct mp_arena *arena = answering->tables->arena;
    const uint32_t object = answering->object, position = mp_dominators_find(&answering->dominators, object);
    struct mp_table *table = mp_heap_table_add(answering->tables, "object", "Object", MP_HEAP_COLUMNS(columns));
    struct mp_value *row = mp_heap_table_row(answering->tables, table);

    row[ADDRESS] = address_of(heap, object);
    row[SHALLOW] = mp_value_number(mp_heap_size(heap, object));
    row[RETAINED] = mp_value_number(position == MP_NO_ID ? 0 : mp_retained(&answering->dominators, position));
    row[REACHED] = mp_value_text(position == MP_NO_ID ? "no" : "yes");
    row[SITE] = mp_value_text(mp_heap_site_text(heap, mp_heap_class(heap, object)->site, arena));
    row[OBJECT] = mp_value_text(mp_heap_node_text(heap, object, arena));
    mp_heap_tables_append(answering->tables, &answering->early);
    if (position != MP_NO_ID) {
        add_dominators(answering, position);
        add_held_table(answering, position, "Held by it");
    }
}

/* -------------------------------------------------------------------- set */

static bool
add_slots(struct answering *answering, uint32_t type, struct mp_error *error)
{
    enum { OBJECTS, SHALLOW, RETAINED, SHARE, SLOT };
    static const struct mp_table_column columns[] = {
        [OBJECTS] = {"objects", "Objects", MP_UNIT_BLOCKS},
        [SHALLOW] = {"shallow", "Shallow", MP_UNIT_BYTES},
        [RETAINED] = {"retained", "Retained", MP_UNIT_BYTES},
        [SHARE] = MP_HEAP_SHARE,
        [SLOT] = {"slot", "Slot", MP_UNIT_TEXT},
    };
    struct mp_heap *heap = answering->heap;
    struct mp_table *table = mp_heap_table_add(
        answering->tables, "slots", mp_arena_printf(answering->tables->arena, "Held by the slots of %s",
                                                    mp_heap_type_text(heap, type)), MP_HEAP_COLUMNS(columns));
    struct mp_heap_rows rows;
    const bool ok = mp_heap_slots(heap, &answering->dominators, type, &rows, error);

    for (uint32_t i = 0; i < rows.n; i++) {
        struct mp_value *row = mp_heap_table_row(answering->tables, table);

        if (!row)
            continue;
        row[OBJECTS] = mp_value_number(rows.list[i].objects);
        row[SHALLOW] = mp_value_number(rows.list[i].bytes);
        mp_heap_put_share(&row[RETAINED], rows.list[i].retained, answering->dominators.bytes);
        row[SLOT] = mp_value_text(*rows.list[i].name ? rows.list[i].name : "(others)");
    }
    mp_heap_rows_free(&rows);
    return ok;
}

/* Returns whether the question names a type of parts, such as "POINT: slots". */
static bool
wants_parts(const struct answering *answering)
{
    const struct mp_heap *heap = answering->heap;

    for (uint32_t i = 0; i < heap->n_types && answering->question->type; i++)
        if (type_is_wanted(heap, i, answering->question) &&
            !type_is_wanted(heap, mp_heap_whole_type(heap, i), answering->question))
            return true;
    return false;
}

/* Adds a table of the parts of objects of TYPE, if they have parts. */
static void
add_parts(struct answering *answering, uint32_t type)
{
    enum { OBJECTS, SHALLOW, SHARE, TYPE };
    static const struct mp_table_column columns[] = {
        [OBJECTS] = {"objects", "Objects", MP_UNIT_BLOCKS},
        [SHALLOW] = {"shallow", "Shallow", MP_UNIT_BYTES},
        [SHARE] = MP_HEAP_SHARE,
        [TYPE] = {"type", "Part", MP_UNIT_TEXT},
    };
    const struct mp_heap *heap = answering->heap;
    struct mp_heap_row *parts = mp_need(calloc(heap->n_types, sizeof *parts));
    struct mp_table *table;
    bool any = false;

    for (uint32_t i = 0; i < heap->n_objects; i++) {
        const uint32_t of = mp_heap_class(heap, i)->type;

        if (mp_heap_whole_type(heap, of) != type)
            continue;
        parts[of].objects++;
        parts[of].bytes += mp_heap_size(heap, i);
        any |= of != type;
    }
    table = any ? mp_heap_table_add(answering->tables, "parts", mp_arena_printf(
                      answering->tables->arena, "Parts of %s", mp_heap_type_text(heap, type)),
                      MP_HEAP_COLUMNS(columns)) : NULL;
    for (uint32_t i = 0; i < heap->n_types; i++) {
        struct mp_value *row = any && parts[i].objects > 0 ? mp_heap_table_row(answering->tables, table) : NULL;

        if (!row)
            continue;
        row[OBJECTS] = mp_value_number(parts[i].objects);
        mp_heap_put_share(&row[SHALLOW], parts[i].bytes, heap->bytes);
        row[TYPE] = mp_value_text(mp_heap_type_text(heap, i));
    }
    free(parts);
}

static void
add_set(struct answering *answering)
{
    enum { WHAT, OBJECTS, BYTES, SHARE };
    static const struct mp_table_column columns[] = {
        [WHAT] = {"what", "What", MP_UNIT_TEXT},
        [OBJECTS] = {"objects", "Objects", MP_UNIT_BLOCKS},
        [BYTES] = {"bytes", "Bytes", MP_UNIT_BYTES},
        [SHARE] = MP_HEAP_SHARE,
    };
    struct mp_heap_set set = mp_heap_set_retained(answering->heap, is_wanted, answering, wants_parts(answering));
    struct mp_table *table = mp_heap_table_add(answering->tables, "set", "These objects", MP_HEAP_COLUMNS(columns));
    const struct mp_heap_sum *const sums[] = {&set.all, &set.lost, &set.retained};
    static const char *const words[] = {"all", "unreachable", "retained"};

    for (unsigned i = 0; i < 3; i++) {
        struct mp_value *row = mp_heap_table_row(answering->tables, table);

        if (!row)
            continue;
        row[WHAT] = mp_value_text(words[i]);
        row[OBJECTS] = mp_value_number(sums[i]->objects);
        mp_heap_put_share(&row[BYTES], sums[i]->bytes, answering->heap->bytes);
    }
}

/* Adds a table of the wanted objects with the largest retained sizes. Those of the same size are in preorder. */
static void
add_largest(struct answering *answering)
{
    const struct mp_dominators *dominators = &answering->dominators;
    struct mp_table *table = mp_heap_table_add(answering->tables, "largest", "The largest of them",
                                               MP_HEAP_COLUMNS(held_columns));
    struct mp_heap_largest largest = {.most = answering->tables->most};
    const bool parts = wants_parts(answering);
    struct mp_heap_rows rows;
    uint32_t rest;

    for (uint32_t i = 0; i < dominators->n; i++)
        if (is_wanted(answering->heap, dominators->at[i], answering) &&
            (parts || !mp_heap_is_part(answering->heap, dominators->at[i])))
            mp_heap_largest_add(&largest, &(struct mp_heap_row){.id = i, .retained = mp_retained(dominators, i)});
    rows = mp_heap_largest_rows(&largest, &rest);
    for (uint32_t i = 0; i < rows.n; i++)
        put_held(answering, mp_heap_table_row(answering->tables, table), rows.list[i].id, 1);
    table->left_out.n = rest;
    mp_heap_rows_free(&rows);
}

static void
begin_set(struct answering *answering)
{
    add_set(answering);
    answering->containers = mp_heap_containers_find(answering->heap, is_wanted, answering, answering->question->depth);
}

static bool
answer_set(struct answering *answering, struct mp_error *error)
{
    const struct mp_heap *heap = answering->heap;

    for (uint32_t i = 0; i < heap->n_types && answering->question->slots; i++) {
        if (answering->question->typical ? strcmp(mp_heap_type_text(heap, i), answering->question->type) != 0
                                         : !type_is_wanted(heap, i, answering->question))
            continue;
        if (!answering->question->typical)
            add_parts(answering, i);
        if (!add_slots(answering, i, error))
            return false;
    }
    mp_heap_tables_append(answering->tables, &answering->early);
    mp_heap_containers_put(answering->containers, &answering->dominators, answering->tables);
    add_largest(answering);
    return true;
}

/* ------------------------------------------------------------------- path */

enum { STEP_ADDRESS, STEP_SHALLOW, STEP_SLOT, STEP_OBJECT };
static const struct mp_table_column path_columns[] = {
    [STEP_ADDRESS] = {"address", "Address", MP_UNIT_ADDRESS},
    [STEP_SHALLOW] = {"shallow", "Shallow", MP_UNIT_BYTES},
    [STEP_SLOT] = {"slot", "By its slot", MP_UNIT_TEXT},
    [STEP_OBJECT] = {"object", "Object", MP_UNIT_TEXT},
};

/* Adds a row for NODE, step I of a path of N steps. The caller sets the slot, which is "" until then. Returns NULL if
 * the step is in the middle of a long path and is left out. */
static struct mp_value *
step_row(struct answering *answering, struct mp_table *table, uint32_t node, uint32_t i, uint32_t n)
{
    const struct mp_heap *heap = answering->heap;
    const uint32_t most = answering->tables->most;
    struct mp_value *row;

    if (most > 0 && n > most && i >= most - most / 2 && i < n - most / 2) {
        table->left_out.n++;
        table->note = "Steps are left out in the middle of the way.";
        return NULL;
    }
    row = mp_heap_table_row(answering->tables, table);
    row[STEP_ADDRESS] = address_of(heap, node);
    row[STEP_SHALLOW] = mp_value_number(mp_heap_size(heap, node));
    row[STEP_SLOT] = mp_value_text("");
    row[STEP_OBJECT] = mp_value_text(mp_heap_node_text(heap, node, answering->tables->arena));
    return row;
}

/* Adds rows for the N nodes of PATH, from first to last. */
static void
add_steps(struct answering *answering, struct mp_table *table, const uint32_t *path, uint32_t n)
{
    const struct mp_heap *heap = answering->heap;

    for (uint32_t i = 0; i < n; i++) {
        struct mp_value *row = step_row(answering, table, path[i], i, n);

        if (row && i > 0)
            row[STEP_SLOT].text = mp_heap_slot_text(heap, path[i - 1], path[i], answering->tables->arena);
    }
    if (n == 0)
        table->note = "No root leads there.";
}

static void
add_shortest(struct answering *answering)
{
    const struct mp_heap *heap = answering->heap;
    struct mp_table *table = mp_heap_table_add(answering->tables, "path", "A shortest way from the roots",
                                               MP_HEAP_COLUMNS(path_columns));
    uint32_t n, *path = mp_heap_path(heap, mp_heap_all_roots(heap), is_wanted, answering, &n);

    add_steps(answering, table, path, n);
    free(path);
}

/* Returns whether the steps A and B of PATH have the same slot and lead to objects of one class. */
static bool
is_like(const struct mp_heap *heap, const uint32_t *path, const char *const *slots, uint32_t a, uint32_t b)
{
    return strcmp(slots[a], slots[b]) == 0 && heap->class_of[path[a]] == heap->class_of[path[b]];
}

/* Adds rows for the N nodes of PATH, but not for steps that are like those before and after them, as along a list. Rows
 * after such steps contain their number. */
static void
add_folded(struct answering *answering, struct mp_table *table, const uint32_t *path, uint32_t n)
{
    const struct mp_heap *heap = answering->heap;
    struct mp_arena *arena = answering->tables->arena;
    const char **slots = mp_need(malloc(((size_t)n + 1) * sizeof *slots));
    uint32_t *kept = mp_need(malloc(((size_t)n + 1) * sizeof *kept)), *removed = mp_need(calloc((size_t)n + 1, 4));
    uint32_t n_kept = 0;

    for (uint32_t i = 0; i < n; i++)
        slots[i] = i > 0 ? mp_heap_slot_text(heap, path[i - 1], path[i], arena)
                         : mp_heap_reference_text(heap, path[i], 0, arena);
    for (uint32_t i = 0; i < n; i++) {
        if (i > 2 && i + 1 < n && is_like(heap, path, slots, i, i - 1) && is_like(heap, path, slots, i, i + 1)) {
            removed[n_kept]++;
            continue;
        }
        slots[n_kept] = slots[i];
        kept[n_kept++] = path[i];
    }
    for (uint32_t i = 0; i < n_kept; i++) {
        struct mp_value *row = step_row(answering, table, kept[i], i, n_kept);

        if (row)
            row[STEP_SLOT].text = removed[i] > 0 ? mp_arena_printf(arena, "%s, after %u more", slots[i], removed[i])
                                                 : slots[i];
    }
    if (n == 0)
        table->note = "No root leads there.";
    free(slots);
    free(kept);
    free(removed);
}

static bool
is_root(const struct mp_heap *heap, uint32_t node)
{
    return node >= heap->n_objects && heap->tops[node - heap->n_objects].level == MP_TOP_ROOT;
}

/* Adds a table of the roots by the number of wanted objects that they lead to by a shortest path, and one such path. */
static void
add_typical(struct answering *answering)
{
    enum { OBJECTS, SHARE, KIND, GROUP, ROOT };
    static const struct mp_table_column columns[] = {
        [OBJECTS] = {"objects", "Objects", MP_UNIT_BLOCKS},
        [SHARE] = MP_HEAP_SHARE,
        [KIND] = {"kind", "Kind", MP_UNIT_TEXT},
        [GROUP] = {"package", "Package", MP_UNIT_TEXT},
        [ROOT] = {"root", "Root", MP_UNIT_TEXT},
    };
    const struct mp_heap *heap = answering->heap;
    struct mp_heap_origins origins = mp_heap_origins(heap, is_wanted, answering);
    uint32_t above = 0;
    struct mp_table *table = mp_heap_table_add(answering->tables, "holders",
                                               "Roots that lead to them, by shortest ways", MP_HEAP_COLUMNS(columns));

    for (uint32_t i = 0; i < origins.n; i++) {
        const struct mp_heap_top *top = &heap->tops[origins.list[i].top];
        struct mp_value *row = mp_heap_table_row(answering->tables, table);

        if (!row)
            continue;
        row[OBJECTS] = mp_value_number(origins.list[i].objects);
        row[SHARE] = mp_value_share(origins.list[i].objects, origins.objects);
        row[KIND] = mp_value_text(mp_heap_kind_name(top->kind));
        row[GROUP] = mp_value_text(top->group);
        row[ROOT] = mp_value_text(mp_heap_top_text(heap, origins.list[i].top));
    }
    table = mp_heap_table_add(answering->tables, "path", "Why one of them is there", MP_HEAP_COLUMNS(path_columns));
    while (above < origins.n_path && !is_root(heap, origins.path[above]))
        above++;
    add_folded(answering, table, origins.path + above, origins.n_path - above);
    mp_heap_origins_free(&origins);
}

static void
add_way(struct answering *answering, const struct mp_heap_way *way, uint32_t number, uint32_t all)
{
    struct mp_arena *arena = answering->tables->arena;
    struct mp_table *table = mp_heap_table_add(answering->tables, "path", mp_arena_printf(
        arena, "Way %u of %u that have no reference in common", number, all), MP_HEAP_COLUMNS(path_columns));
    struct mp_value *row = step_row(answering, table, way->links[0].from, 0, way->n + 1);

    if (row)
        row[STEP_SLOT].text = mp_heap_reference_text(answering->heap, way->links[0].from, 0, arena);
    for (uint32_t i = 0; i < way->n; i++) {
        const struct mp_heap_link *link = &way->links[i];

        row = step_row(answering, table, link->to, i + 1, way->n + 1);
        if (row && i > 0)
            row[STEP_SLOT].text = mp_heap_reference_text(answering->heap, link->from, link->reference, arena);
    }
}

enum { REFERRER_ADDRESS, REFERRER_SHALLOW, REFERRER_SLOT, REFERRER_HOW, REFERRER_OBJECT };
static const struct mp_table_column referrer_columns[] = {
    [REFERRER_ADDRESS] = {"address", "Address", MP_UNIT_ADDRESS},
    [REFERRER_SHALLOW] = {"shallow", "Shallow", MP_UNIT_BYTES},
    [REFERRER_SLOT] = {"slot", "Slot", MP_UNIT_TEXT},
    [REFERRER_HOW] = {"how", "How", MP_UNIT_TEXT},
    [REFERRER_OBJECT] = {"object", "Of the object", MP_UNIT_TEXT},
};

static void
put_referrer(struct answering *answering, struct mp_table *table, const struct mp_heap_link *link,
             const char *how)
{
    struct mp_value *row = mp_heap_table_row(answering->tables, table);
    const struct mp_heap *heap = answering->heap;
    struct mp_arena *arena = answering->tables->arena;
    const uint32_t from = link->from;

    if (!row)
        return;
    row[REFERRER_ADDRESS] = address_of(heap, from);
    row[REFERRER_SHALLOW] = mp_value_number(mp_heap_size(heap, from));
    row[REFERRER_SLOT] = mp_value_text(mp_heap_reference_text(heap, from, link->reference, arena));
    row[REFERRER_HOW] = mp_value_text(how);
    row[REFERRER_OBJECT] = mp_value_text(mp_heap_node_text(heap, from, arena));
}

static void
add_ways(struct answering *answering)
{
    struct mp_arena *arena = answering->tables->arena;
    const uint32_t most = answering->question->ways;
    const struct mp_heap_ways ways = mp_heap_disjoint(answering->heap, is_wanted, answering, most, arena);
    struct mp_table *table;

    for (uint32_t i = 0; i < ways.n; i++)
        add_way(answering, &ways.list[i], i + 1, ways.n);
    table = mp_heap_table_add(answering->tables, "cut", "The fewest references without which no root leads there",
                              MP_HEAP_COLUMNS(referrer_columns));
    for (uint32_t i = 0; i < ways.n_cut; i++)
        put_referrer(answering, table, &ways.cut[i], "");
    if (ways.more)
        table->note = mp_arena_printf(arena, "There are more than %u such ways, so there are more such references.",
                                      most);
    else if (ways.n == 0)
        table->note = "No root leads there.";
}

static void
answer_path(struct answering *answering)
{
    if (answering->question->ways > 0)
        add_ways(answering);
    else
        add_shortest(answering);
}

/* -------------------------------------------------------------- referrers */

struct referrers {
    struct answering *answering;
    struct mp_table *table;
    struct mp_map texts;        /* the texts of `groups` */
    struct mp_map groups;       /* keys are struct referrer_group */
    struct mp_heap_row *rows;   /* by id of the group; `bytes` is the number of references, not of bytes */
    uint32_t room;
};

/* Referrers that share a row. Each text is stored once, so texts are compared by address. */
struct referrer_group {
    const char *how, *slot, *object;
};

static void
list_referrer(void *to, const struct mp_heap_link *link, const struct mp_heap_walk *walk)
{
    struct referrers *referrers = to;

    put_referrer(referrers->answering, referrers->table, link, how(referrers->answering->heap, link->from, walk));
}

/* Adds a reference to the count of its group. All slots without a name form one group. */
static void
count_referrer(void *to, const struct mp_heap_link *link, const struct mp_heap_walk *walk)
{
    struct referrers *referrers = to;
    const struct mp_heap *heap = referrers->answering->heap;
    struct mp_arena *arena = referrers->texts.arena;
    const bool top = link->from >= heap->n_objects;
    const struct mp_heap_type *type = top ? NULL : &heap->types[mp_heap_class(heap, link->from)->type];
    const char *slot = top ? mp_heap_reference_text(heap, link->from, link->reference, arena)
                       : walk->slot < type->n_slots ? type->slots[walk->slot]
                       : type->shape == MP_SHAPE_CONS ? (walk->slot == 0 ? "car" : "cdr")
                       : type->shape == MP_SHAPE_ENTRIES ? (walk->slot % 2 == 0 ? "key" : "value") : "";
    struct referrer_group group;
    uint32_t n, id;

    if (!top && mp_heap_is_part_of(heap, link->to, link->from))
        return;                 /* every part has this reference from its whole object, so it gets no row */
    group = (struct referrer_group){
        .how = mp_map_text(&referrers->texts, how(heap, link->from, walk)),
        .slot = mp_map_text(&referrers->texts, slot),
        .object = mp_map_text(&referrers->texts, top ? mp_heap_top_text(heap, link->from - heap->n_objects)
                                                     : mp_heap_type_text(heap, mp_heap_class(heap, link->from)->type))};
    n = referrers->groups.count;
    id = mp_map_add(&referrers->groups, &group, sizeof group);
    if (id == n) {
        referrers->rows = mp_arena_grow(arena, referrers->rows, n, &referrers->room, sizeof *referrers->rows);
        referrers->rows[id] = (struct mp_heap_row){.id = id};
    }
    referrers->rows[id].bytes++;
}

/* Adds a table of the referrers of a set of objects, grouped by slot and type. */
static void
add_referrer_sums(struct answering *answering)
{
    enum { REFERENCES, SLOT, HOW, OBJECT };
    static const struct mp_table_column columns[] = {
        [REFERENCES] = {"references", "References", MP_UNIT_COUNT},
        [SLOT] = {"slot", "Slot", MP_UNIT_TEXT},
        [HOW] = {"how", "How", MP_UNIT_TEXT},
        [OBJECT] = {"object", "Of objects", MP_UNIT_TEXT},
    };
    struct mp_arena *arena = answering->tables->arena;
    struct mp_table *table = mp_heap_table_add(&answering->early, "referrers", "What refers to them",
                                               MP_HEAP_COLUMNS(columns));
    struct referrers referrers = {.answering = answering, .texts = {.arena = arena}, .groups = {.arena = arena}};

    mp_heap_referrers(answering->heap, is_wanted, answering, count_referrer, &referrers);
    if (referrers.groups.count > 0)
        qsort(referrers.rows, referrers.groups.count, sizeof *referrers.rows, by_bytes);
    for (uint32_t i = 0; i < referrers.groups.count; i++) {
        struct mp_value *row = mp_heap_table_row(&answering->early, table);
        struct referrer_group group;

        if (!row)
            continue;
        memcpy(&group, mp_map_key(&referrers.groups, referrers.rows[i].id), sizeof group);
        row[REFERENCES] = mp_value_number(referrers.rows[i].bytes);
        row[SLOT] = mp_value_text(group.slot);
        row[HOW] = mp_value_text(group.how);
        row[OBJECT] = mp_value_text(group.object);
    }
}

static void
answer_referrers(struct answering *answering)
{
    struct referrers referrers = {.answering = answering};

    if (!answering->question->has_object) {
        add_referrer_sums(answering);
        return;
    }
    referrers.table = mp_heap_table_add(answering->tables, "referrers", "What refers to it",
                                        MP_HEAP_COLUMNS(referrer_columns));
    mp_heap_referrers(answering->heap, is_wanted, answering, list_referrer, &referrers);
}

/* ------------------------------------------------------------------ sizes */

struct class_sum {
    uint64_t blocks, requested, usable;
    const char *name;
};

/* Adds a table of requested and usable bytes of C blocks by size class, if the snapshot has these figures. */
static void
add_sizes(struct answering *answering)
{
    enum { BLOCKS, REQUESTED, USABLE, ROUNDING, SHARE, SIZE };
    static const struct mp_table_column columns[] = {
        [BLOCKS] = {"blocks", "Blocks", MP_UNIT_BLOCKS},
        [REQUESTED] = {"requested", "Requested", MP_UNIT_BYTES},
        [USABLE] = {"usable", "Usable", MP_UNIT_BYTES},
        [ROUNDING] = {"rounding", "Rounding", MP_UNIT_BYTES},
        [SHARE] = MP_HEAP_SHARE,
        [SIZE] = {"size", "Size", MP_UNIT_TEXT},
    };
    const struct mp_heap *heap = answering->heap;
    struct class_sum sums[MP_KIND_C_COUNT + 1] = {{.blocks = 0}}, *all = &sums[MP_KIND_C_COUNT];
    struct mp_table *table;

    for (uint32_t i = 0; i < heap->n_objects; i++) {
        struct class_sum *sum = &sums[mp_sizeclass(mp_heap_size(heap, i))];

        sum->blocks++;
        sum->requested += mp_heap_size(heap, i);
    }
    for (unsigned kind = 0; kind < MP_KIND_C_COUNT; kind++) {
        sums[kind].name = mp_size_class_name(kind);
        sums[kind].usable = heap->facts[MP_FACT_USABLE + kind];
        if (sums[kind].usable < sums[kind].requested)
            return;             /* usable sizes are not known */
        all->blocks += sums[kind].blocks;
        all->requested += sums[kind].requested;
        all->usable += sums[kind].usable;
    }
    if (all->usable == 0)
        return;
    all->name = "all";
    table = mp_heap_table_add(answering->tables, "sizes", "What malloc makes of sizes", MP_HEAP_COLUMNS(columns));
    for (const struct class_sum *sum = sums; sum <= all; sum++) {
        struct mp_value *row = sum->blocks > 0 ? mp_heap_table_row(answering->tables, table) : NULL;

        if (!row)
            continue;
        row[BLOCKS] = mp_value_number(sum->blocks);
        row[REQUESTED] = mp_value_number(sum->requested);
        row[USABLE] = mp_value_number(sum->usable);
        mp_heap_put_share(&row[ROUNDING], sum->usable - sum->requested, all->usable);
        row[SIZE] = mp_value_text(sum->name);
    }
}

/* ------------------------------------------------------------------- free */

static int
by_free_bytes(const void *a, const void *b)
{
    const struct mp_heap_free *x = a, *y = b;

    if (x->bytes != y->bytes)
        return mp_order(y->bytes, x->bytes);
    return x->size != y->size ? mp_order(x->size, y->size) : (int)x->places - (int)y->places;
}

/* Adds a table of the free memory of a collected heap by size, if the snapshot has these figures. */
static void
add_free(struct answering *answering)
{
    enum { BLOCKS, BYTES, SHARE, SIZE };
    static const struct mp_table_column columns[] = {
        [BLOCKS] = {"blocks", "Blocks", MP_UNIT_BLOCKS},
        [BYTES] = {"bytes", "Bytes", MP_UNIT_BYTES},
        [SHARE] = MP_HEAP_SHARE,
        [SIZE] = {"size", "Size", MP_UNIT_TEXT},
    };
    const struct mp_heap *heap = answering->heap;
    struct mp_table *table;

    if (heap->n_free == 0)
        return;
    table = mp_heap_table_add(answering->tables, "free", "What is free in the heap", MP_HEAP_COLUMNS(columns));
    qsort(heap->free, heap->n_free, sizeof *heap->free, by_free_bytes);
    for (uint32_t i = 0; i < heap->n_free; i++) {
        const struct mp_heap_free *free = &heap->free[i];
        struct mp_value *row = mp_heap_table_row(answering->tables, table);
        char least[MP_NUMBER_SIZE], most[MP_NUMBER_SIZE];

        if (!row)
            continue;
        row[BLOCKS] = mp_value_number(free->number);
        mp_heap_put_share(&row[BYTES], free->bytes, heap->facts[MP_FACT_HEAP]);
        row[SIZE] = mp_value_text(free->places
            ? mp_arena_printf(answering->tables->arena, "places for objects of %s bytes",
                              mp_number_grouped(free->size, least))
            : mp_arena_printf(answering->tables->arena, "blocks of %s to %s bytes",
                              mp_number_grouped(free->size, least), mp_number_grouped(2 * free->size - 1, most)));
    }
}

/* ----------------------------------------------------------------- groups */

static void
add_groups(struct answering *answering)
{
    enum { GROUP, OBJECTS, RETAINED, SHARE };
    static const struct mp_table_column columns[] = {
        [GROUP] = {"group", "Group", MP_UNIT_TEXT},
        [OBJECTS] = {"objects", "Objects", MP_UNIT_BLOCKS},
        [RETAINED] = {"retained", "Retained", MP_UNIT_BYTES},
        [SHARE] = MP_HEAP_SHARE,
    };
    const struct mp_heap_rows rows = answering->groups;
    struct mp_table *table = mp_heap_table_add(answering->tables, "groups", "What is held by roots of one group only",
                                               MP_HEAP_COLUMNS(columns));

    for (uint32_t i = 0; i < rows.n; i++) {
        struct mp_value *row = mp_heap_table_row(answering->tables, table);

        if (!row)
            continue;
        row[GROUP] = mp_value_text(rows.list[i].name);
        row[OBJECTS] = mp_value_number(rows.list[i].objects);
        mp_heap_put_share(&row[RETAINED], rows.list[i].retained, answering->dominators.bytes);
    }
}

/* ------------------------------------------------------------------- sums */

static const char *
class_text(const struct answering *answering, enum mp_heap_by by, const struct mp_heap_row *row)
{
    if (by == MP_HEAP_BY_TYPE)
        return mp_heap_type_text(answering->heap, row->id);
    if (by == MP_HEAP_BY_SITE)
        return mp_heap_site_text(answering->heap, row->id, answering->tables->arena);
    return *row->name ? row->name : "(not known)";
}

/* Adds a table of the sums of all types, sites or packages. KEY and HEAD are the key and the title of the column of
 * their names. */
static void
add_sums(struct answering *answering, enum mp_heap_by by, const char *name, const char *title,
         const char *key, const char *head)
{
    enum { OBJECTS, SHALLOW, SHALLOW_SHARE, UNREACHABLE, RETAINED, RETAINED_SHARE, NAME };
    const struct mp_table_column columns[] = {
        [OBJECTS] = {"objects", "Objects", MP_UNIT_BLOCKS},
        [SHALLOW] = {"shallow", "Shallow", MP_UNIT_BYTES},
        [SHALLOW_SHARE] = MP_HEAP_SHARE,
        [UNREACHABLE] = {"unreachable", "Unreachable", MP_UNIT_BYTES},
        [RETAINED] = {"retained", "Retained", MP_UNIT_BYTES},
        [RETAINED_SHARE] = MP_HEAP_SHARE,
        [NAME] = {key, head, MP_UNIT_TEXT},
    };
    const uint64_t whole = answering->heap->bytes;
    struct mp_table *table = mp_heap_table_add(answering->tables, name, title, MP_HEAP_COLUMNS(columns));
    struct mp_heap_rows rows = mp_heap_sums(answering->heap, &answering->dominators, by);

    for (uint32_t i = 0; i < rows.n; i++) {
        struct mp_value *row = mp_heap_table_row(answering->tables, table);

        if (!row)
            continue;
        row[OBJECTS] = mp_value_number(rows.list[i].objects);
        mp_heap_put_share(&row[SHALLOW], rows.list[i].bytes, whole);
        row[UNREACHABLE] = mp_value_number(rows.list[i].lost);
        mp_heap_put_share(&row[RETAINED], rows.list[i].retained, whole);
        row[NAME] = mp_value_text(class_text(answering, by, &rows.list[i]));
    }
    mp_heap_rows_free(&rows);
}

static void
add_all(struct answering *answering)
{
    add_tops(answering, "kinds", "Kinds of roots", MP_TOP_KIND, MP_NO_ID);
    add_tops(answering, "roots", "Roots", MP_TOP_ROOT, MP_NO_ID);
    add_groups(answering);
    add_sums(answering, MP_HEAP_BY_TYPE, "types", "Types", "type", "Type");
    add_sums(answering, MP_HEAP_BY_SITE, "sites", "Sites", "site", "Site");
    add_sums(answering, MP_HEAP_BY_PACKAGE, "packages", "Packages of sites", "package", "Package");
    add_sizes(answering);
    add_free(answering);
    mp_heap_containers_put(answering->containers, &answering->dominators, answering->tables);
}

/* ------------------------------------------------------------- the answer */

/* Ignores the asker's roots unless no other root leads to a wanted object. */
static bool
ignore_own(struct answering *answering, struct mp_error *error)
{
    struct mp_heap *heap = answering->heap;
    const uint32_t all = heap->n_roots, others = mp_heap_part_roots(heap, answering->question->own,
                                                                    answering->question->n_own);
    uint8_t *reached;
    bool any = false;

    if (others == all)
        return true;
    mp_heap_use_roots(heap, others);
    if (!find_wanted(answering, error) || !mp_heap_recall_references(heap, error))
        return false;
    reached = mp_heap_reach_without(heap, mp_heap_in_none, NULL);
    for (uint32_t i = 0; i < heap->n_objects && !any; i++)
        any = reached[i] && is_wanted(heap, i, answering);
    free(reached);
    if (!any)
        mp_heap_use_roots(heap, all);
    return true;
}

/* Makes the parts of the answer that need references in memory. */
static bool
begin(struct answering *answering, struct mp_error *error)
{
    const struct mp_heap_question *question = answering->question;

    if (question->n_own > 0 && !ignore_own(answering, error))
        return false;
    if (!mp_heap_recall_references(answering->heap, error))
        return false;
    mp_heap_prefer_lasting(answering->heap);
    if (question->root)
        return true;
    if (!question->has_object && !question->type && !question->site) {
        answering->groups = mp_heap_group_rows(answering->heap, UINT32_MAX);
        answering->containers = mp_heap_containers_find(answering->heap, NULL, NULL, question->depth);
        return true;
    }
    if (!find_wanted(answering, error))
        return false;
    if (question->typical)
        add_typical(answering);
    if (question->path)
        answer_path(answering);
    if (question->referrers)
        answer_referrers(answering);
    if (question->has_object)
        begin_object(answering);
    else
        begin_set(answering);
    return true;
}

/* Makes the parts of the answer that need the dominators. */
static bool
answer(struct answering *answering, struct mp_error *error)
{
    const struct mp_heap_question *question = answering->question;

    if (question->root)
        return answer_root(answering, error);
    if (question->has_object)
        answer_object(answering);
    else if (question->type || question->site)
        return answer_set(answering, error);
    else
        add_all(answering);
    return true;
}

bool
mp_heap_answer(struct mp_heap *heap, const struct mp_heap_question *question, struct mp_heap_tables *tables,
               struct mp_error *error)
{
    struct answering answering = {.heap = heap, .question = question, .tables = tables,
                                          .early = {.arena = tables->arena, .most = tables->most}};
    bool ok = begin(&answering, error) && mp_dominate(heap, &answering.dominators, error);

    if (ok) {
        ok = answer(&answering, error);
        mp_dominators_free(&answering.dominators);
    }
    mp_heap_rows_free(&answering.groups);
    mp_heap_containers_free(answering.containers);
    return ok;
}
