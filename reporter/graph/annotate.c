/* SPDX-License-Identifier: MIT */
/*
 * A tree that distinguishes lines has a node for each call. Its nodes become rows if they belong to the requested
 * function or file, or if they are inlined into such a node. A walk through the tree counts a row only at its
 * outermost node on each chain.
 */
#include "annotate.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "reporter/base/map.h"
#include "reporter/base/search.h"
#include "reporter/view/startup_frames.h"
#include "reporter/view/view.h"

/* The source position of a node. */
struct place {
    const char *file;           /* path as recorded */
    uint32_t file_id;
    uint32_t function, line, last;
};

struct maker {
    struct mp_annotated *to;
    const struct mp_profile *profile;
    const struct mp_tree *tree;
    const char *name;
    bool *functions;            /* by function: whether it is requested; NULL if a file is requested */
    uint32_t *name_of;          /* by function: index of the Lisp name in view->names, or MP_NO_ID */
    struct place *forms;        /* by function: the form that defines it; file is NULL until it has been looked up */
    struct mp_map files;        /* ids of recorded paths */
    bool *wanted_files;         /* by id */
    uint32_t file_room;
    struct mp_map sections, rows;
    uint32_t section_room, row_room;
    uint32_t *top, *inlined;    /* by node: its rows, or MP_NO_ID */
    struct mp_arena *arena;     /* for temporary data */
};

/* ---------------------------------------------------------------- what is asked for */

/* Finds which functions of the view represent a Lisp name. */
static void
find_names(struct maker *m)
{
    const struct mp_profile *view = m->to->view;
    size_t size = view->n_functions * sizeof *m->name_of;

    m->name_of = mp_arena_alloc(m->arena, size);
    m->forms = mp_arena_alloc(m->arena, view->n_functions * sizeof *m->forms);
    if (size > 0)
        memset(m->name_of, 0xff, size);
    for (uint32_t i = 0; i < view->n_frames; i++) {
        const struct mp_frame *frame = &view->frames[i];

        if (frame->n_locations == 1 && frame->name < view->n_names &&
            view->locations[frame->first_location].function >= m->profile->n_functions)
            m->name_of[view->locations[frame->first_location].function] = frame->name;
    }
}

/* Returns true if NAME is the full name of FUNCTION, which is in the profile, or its name without arguments. */
static bool
is_profiles(const struct maker *m, uint32_t function)
{
    const struct mp_function *full = &m->profile->functions[function];

    return mp_function_is_called(full, m->name) ||
           strcmp(mp_function_name(full), m->name) == 0;
}

static bool
is_wanted(const struct maker *m, uint32_t function)
{
    const struct mp_profile *view = m->to->view;
    struct mp_function named = {.module = MP_NO_ID};

    if (mp_function_is_called(&view->functions[function], m->name) ||
        (function < m->profile->n_functions && is_profiles(m, function)))
        return true;
    if (m->name_of[function] == MP_NO_ID)
        return false;
    named.text = view->names[m->name_of[function]].name;
    return strcasecmp(named.text, m->name) == 0 || mp_function_is_called(&named, m->name);
}

/* Determines which functions are requested. If no chain contains one, NAME is a file and m->functions stays NULL. */
static void
find_functions(struct maker *m)
{
    bool *functions = mp_arena_alloc(m->arena, m->to->view->n_functions), any = false;

    for (uint32_t i = 0; i < m->to->view->n_functions; i++)
        functions[i] = is_wanted(m, i);
    for (uint32_t i = 1; i < m->tree->n_nodes && !any; i++)
        any = functions[mp_tree_function(m->tree, i)];
    if (any)
        m->functions = functions;
}

/* Returns true if NAME is the path FILE or its last components. */
static bool
names_file(const char *name, const char *file)
{
    size_t length = strlen(file), end = strlen(name);

    if (end == 0 || end > length || strcmp(file + length - end, name) != 0)
        return false;
    return end == length || name[0] == '/' || file[length - end - 1] == '/';
}

static uint32_t
file_id(struct maker *m, const char *path)
{
    uint32_t n = m->files.count, id = mp_map_add(&m->files, path, strlen(path));
    const char *name = m->name;

    if (id < n)
        return id;
    m->wanted_files = mp_arena_grow(m->arena, m->wanted_files, n, &m->file_room, sizeof *m->wanted_files);
    while (strncmp(name, "./", 2) == 0)
        name += 2;
    m->wanted_files[id] = path[0] && names_file(name, path);
    return id;
}

/* ---------------------------------------------------------------- places */

/* Returns the form that defines FUNCTION, whose Lisp name is NAME. Looks it up only once. */
static const struct place *
form_of(struct maker *m, uint32_t function, const struct mp_name *name)
{
    struct place *form = &m->forms[function];

    if (form->file)
        return form;
    *form = (struct place){.function = function, .file = name->file, .file_id = file_id(m, name->file)};
    form->line = mp_source_form(m->to->sources, name->file, name->position, &form->last);
    return form;
}

static struct place
place_of(struct maker *m, uint32_t node)
{
    const struct mp_profile *view = m->to->view;
    const struct mp_location *at = &view->locations[m->tree->nodes[node].location];
    uint32_t name = m->name_of[at->function];

    if (name != MP_NO_ID && at->line == 0)
        return *form_of(m, at->function, &view->names[name]);
    return (struct place){.function = at->function, .line = at->line, .last = at->line,
                          .file = at->file, .file_id = file_id(m, at->file)};
}

static bool
is_selected(const struct maker *m, const struct place *place)
{
    return m->functions ? m->functions[place->function] : m->wanted_files[place->file_id];
}

/* ---------------------------------------------------------------- rows */

/* Returns the name of FUNCTION without the location that the view appends to distinguish equal names. */
static const char *
name_of(const struct maker *m, uint32_t function)
{
    const struct mp_profile *view = m->to->view;

    if (function == MP_NO_ID)
        return NULL;
    return m->name_of[function] == MP_NO_ID ? view->functions[function].text
                                            : view->names[m->name_of[function]].name;
}

static uint32_t
section_of(struct maker *m, const struct place *place)
{
    struct mp_annotated *to = m->to;
    uint32_t function = m->functions ? place->function : MP_NO_ID;
    uint32_t id = mp_map_add_u64(&m->sections,
                                 (uint64_t)function << 32 | place->file_id);

    if (id == to->n_sections) {
        to->sections = mp_arena_grow(to->arena, to->sections, id, &m->section_room,
                                     sizeof *to->sections);
        to->sections[to->n_sections++] = (struct mp_source_section){
            .name = name_of(m, function), .file = place->file};
    }
    return id;
}

/* Returns the row of PLACE in SECTION, or under row UNDER if that is not MP_NO_ID. Creates the row if necessary. */
static uint32_t
row_at(struct maker *m, uint32_t section, uint32_t under, const struct place *place)
{
    struct mp_annotated *to = m->to;
    bool nested = under != MP_NO_ID;
    const uint32_t key[] = {nested ? under : section, nested, nested ? place->function : 0,
                            place->file_id, place->line};
    uint32_t id = mp_map_add(&m->rows, key, sizeof key);

    if (id == to->n_rows) {
        to->rows = mp_arena_grow(to->arena, to->rows, id, &m->row_room, sizeof *to->rows);
        to->rows[to->n_rows++] = (struct mp_source_row){
            .section = section, .under = under, .function = place->function, .file = place->file,
            .line = place->line, .last = place->last};
    }
    return id;
}

static void
find_rows(struct maker *m)
{
    const struct mp_tree *tree = m->tree;
    size_t size = tree->n_nodes * sizeof *m->top;

    m->top = mp_arena_alloc(m->arena, size);
    m->inlined = mp_arena_alloc(m->arena, size);
    memset(m->top, 0xff, size);
    memset(m->inlined, 0xff, size);
    for (uint32_t i = 1; i < tree->n_nodes; i++) {
        uint32_t parent = tree->nodes[i].parent, under;
        struct place place;

        if (mp_tree_ends(tree, i))
            continue;
        place = place_of(m, i);
        under = m->top[parent] != MP_NO_ID ? m->top[parent] : m->inlined[parent];
        if (under != MP_NO_ID && mp_tree_is_inlined(tree, i))
            m->inlined[i] = row_at(m, m->to->rows[under].section, under, &place);
        if (is_selected(m, &place))
            m->top[i] = row_at(m, section_of(m, &place), MP_NO_ID, &place);
    }
}

/* ---------------------------------------------------------------- figures */

/* Counts how often each row and section occurs on the current chain of the walk. */
struct walk {
    uint32_t *rows, *sections;
};

static void
enter_row(struct maker *m, struct walk *on, uint32_t row, const struct mp_counts *whole,
          const struct mp_counts *self)
{
    if (row == MP_NO_ID)
        return;
    if (on->rows[row]++ == 0)
        mp_counts_add(&m->to->rows[row].whole, whole);
    mp_counts_add(&m->to->rows[row].self, self);
}

static void
enter(struct maker *m, struct walk *on, uint32_t node, const struct mp_counts *whole)
{
    const struct mp_counts self = mp_tree_self(m->tree, node);
    uint32_t top = m->top[node];

    enter_row(m, on, top, whole, &self);
    enter_row(m, on, m->inlined[node], whole, &self);
    if (top != MP_NO_ID) {
        struct mp_source_section *section = &m->to->sections[m->to->rows[top].section];

        if (on->sections[m->to->rows[top].section]++ == 0)
            mp_counts_add(&section->whole, whole);
        mp_counts_add(&section->self, &self);
    }
}

static void
leave(struct maker *m, struct walk *on, uint32_t node)
{
    uint32_t top = m->top[node];

    if (m->inlined[node] != MP_NO_ID)
        on->rows[m->inlined[node]]--;
    if (top == MP_NO_ID)
        return;
    on->rows[top]--;
    on->sections[m->to->rows[top].section]--;
}

/* Walks through the tree without recursion, because chains can be arbitrarily long. */
static void
count(struct maker *m)
{
    const struct mp_tree *tree = m->tree;
    const struct mp_counts *whole = mp_tree_inclusive(tree, m->arena);
    struct mp_tree_children children = mp_tree_children(tree, m->arena);
    uint32_t *next = mp_arena_alloc(m->arena, tree->n_nodes * sizeof *next), node = 0;
    struct walk on = {.rows = mp_arena_alloc(m->arena, m->to->n_rows * sizeof *on.rows),
                      .sections = mp_arena_alloc(m->arena, m->to->n_sections * sizeof *on.sections)};

    m->to->all = whole[0].bytes;
    for (;;) {
        if (children.first[node] + next[node] < children.first[node + 1]) {
            node = children.list[children.first[node] + next[node]++];
            enter(m, &on, node, &whole[node]);
            continue;
        }
        if (node == 0)
            return;
        leave(m, &on, node);
        node = tree->nodes[node].parent;
    }
}

/* ---------------------------------------------------------------- order */

/* Writes the ids of ROW and of the rows it is under to PATH, outermost first. Returns their number. */
static uint32_t
path_of(const struct mp_annotated *to, uint32_t row, uint32_t path[static 256])
{
    uint32_t n = 0;

    for (; row != MP_NO_ID && n < 256; row = to->rows[row].under)
        path[n++] = row;
    for (uint32_t i = 0; i < n / 2; i++) {
        uint32_t other = path[i];

        path[i] = path[n - 1 - i];
        path[n - 1 - i] = other;
    }
    return n;
}

/* Compares two rows that are under the same row, or two that are under none. */
static int
compare_siblings(const struct mp_source_row *x, const struct mp_source_row *y)
{
    if (x->under == MP_NO_ID && x->section != y->section)
        return mp_order(x->section, y->section);
    if (x->under == MP_NO_ID && x->line != y->line)
        return mp_order(x->line, y->line);
    if (x->whole.bytes != y->whole.bytes)
        return mp_order(y->whole.bytes, x->whole.bytes);
    return x < y ? -1 : 1;
}

static int
compare_rows(const void *a, const void *b, void *data)
{
    const struct mp_annotated *to = data;
    uint32_t x[256], y[256], i = 0;
    uint32_t n = path_of(to, *(const uint32_t *)a, x), most = path_of(to, *(const uint32_t *)b, y);

    while (i < n && i < most && x[i] == y[i])
        i++;
    if (i == n || i == most)
        return mp_order(n, most);
    return compare_siblings(&to->rows[x[i]], &to->rows[y[i]]);
}

static int
compare_sections(const void *a, const void *b, void *data)
{
    const struct mp_source_section *sections = data;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    if (sections[x].whole.bytes != sections[y].whole.bytes)
        return mp_order(sections[y].whole.bytes, sections[x].whole.bytes);
    return mp_order(x, y);
}

static uint32_t *
ids(struct maker *m, uint32_t n)
{
    uint32_t *list = mp_arena_alloc(m->arena, n * sizeof *list);

    for (uint32_t i = 0; i < n; i++)
        list[i] = i;
    return list;
}

static void
sort_sections(struct maker *m)
{
    struct mp_annotated *to = m->to;
    uint32_t n = to->n_sections, *order = ids(m, n), *place = ids(m, n);
    struct mp_source_section *sorted = mp_arena_alloc(to->arena, n * sizeof *sorted);

    if (n > 0)
        qsort_r(order, n, sizeof *order, compare_sections, to->sections);
    for (uint32_t i = 0; i < n; i++) {
        sorted[i] = to->sections[order[i]];
        place[order[i]] = i;
    }
    for (uint32_t i = 0; i < to->n_rows; i++)
        to->rows[i].section = place[to->rows[i].section];
    to->sections = sorted;
}

static void
sort_rows(struct maker *m)
{
    struct mp_annotated *to = m->to;
    uint32_t n = to->n_rows, *order = ids(m, n), *place = ids(m, n);
    struct mp_source_row *sorted = mp_arena_alloc(to->arena, n * sizeof *sorted);

    if (n > 0)
        qsort_r(order, n, sizeof *order, compare_rows, to);
    for (uint32_t i = 0; i < n; i++) {
        sorted[i] = to->rows[order[i]];
        place[order[i]] = i;
    }
    for (uint32_t i = 0; i < n; i++)
        if (sorted[i].under != MP_NO_ID)
            sorted[i].under = place[sorted[i].under];
    to->rows = sorted;
}

/* ---------------------------------------------------------------- the whole */

/* Returns true if the file of at least one section is known. */
static bool
has_files(const struct mp_annotated *to)
{
    for (uint32_t i = 0; i < to->n_sections; i++)
        if (to->sections[i].file[0])
            return true;
    return false;
}

static bool
make(struct maker *m, struct mp_error *error)
{
    find_names(m);
    find_functions(m);
    find_rows(m);
    if (m->to->n_sections == 0)
        return mp_fail(error, MP_ERR_DATA, MP_NO_OFFSET,
                       "'%s' is neither a function on a chain nor a source file of one", m->name);
    if (!has_files(m->to))
        return mp_fail(error, MP_ERR_LINES, MP_NO_OFFSET, "'%s'", m->name);
    count(m);
    sort_sections(m);
    sort_rows(m);
    return true;
}

struct mp_annotated *
mp_annotate(const struct mp_profile *profile, const struct mp_profile *view, const char *name,
            const struct mp_source_paths *paths, bool all_frames, struct mp_error *error)
{
    const struct mp_tree_options by_line = {.all_frames = all_frames, .lines = true};
    struct mp_arena *arena = mp_arena_new(), *scratch = mp_arena_new();
    struct mp_annotated *to = mp_arena_alloc(arena, sizeof *to);
    struct mp_tree *tree = mp_tree_build(view, &by_line);
    struct maker m = {.to = to, .profile = profile, .tree = tree, .name = name,
                      .files.arena = scratch, .sections.arena = scratch, .rows.arena = scratch,
                      .arena = scratch};
    bool ok;

    to->arena = arena;
    to->view = view;
    to->sources = mp_source_lines_open(arena, paths, profile->meta.start_realtime, MP_SOURCE_MOST);
    ok = make(&m, error);
    mp_tree_free(tree);
    mp_arena_free(scratch);
    if (ok)
        return to;
    mp_annotated_free(to);
    return NULL;
}

/* Returns the function of the innermost frame from CONTEXT on whose source is known, or MP_NO_ID. STARTUP tells which
 * contexts only start the program. */
static uint32_t
function_with_source(const struct mp_profile *view, const bool *startup, uint32_t context)
{
    for (; !startup[context]; context = view->contexts[context].parent) {
        const uint32_t frame = view->contexts[context].frame;
        const struct mp_location *location =
            frame < view->n_frames && view->frames[frame].mark == 0 && view->frames[frame].n_locations > 0
                ? &view->locations[view->frames[frame].first_location] : NULL;
        const char *file = location ? view->functions[location->function].file : NULL;

        if (location && ((location->line > 0 && location->file[0]) || (file && file[0])))
            return location->function;
    }
    return MP_NO_ID;
}

const char *
mp_annotate_hottest(const struct mp_profile *view, struct mp_error *error)
{
    struct mp_arena *arena = mp_arena_new();
    uint64_t *bytes = mp_arena_alloc(arena, view->n_functions * sizeof *bytes);
    const bool *startup = mp_startup_contexts(view, arena);
    uint32_t most = MP_NO_ID;

    for (uint32_t i = 0; i < view->n_cells; i++) {
        const uint32_t function = function_with_source(view, startup, view->cells[i].context);

        if (function == MP_NO_ID)
            continue;
        bytes[function] = mp_plus(bytes[function], view->cells[i].counts.bytes);
        if (most == MP_NO_ID || bytes[function] > bytes[most])
            most = function;
    }
    mp_arena_free(arena);
    if (most != MP_NO_ID)
        return mp_function_name(&view->functions[most]);
    mp_fail(error, MP_ERR_LINES, MP_NO_OFFSET, "any function");
    return NULL;
}

void
mp_annotated_free(struct mp_annotated *annotated)
{
    if (!annotated)
        return;
    mp_source_lines_close(annotated->sources);
    mp_arena_free(annotated->arena);
}
