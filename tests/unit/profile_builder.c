#include "tap.h"

#include "profile_builder.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/profile/cells.h"

struct links {
    uint32_t child, sibling;    /* context ids; 0 if there is none */
};

/* All arrays are in the profile's arena. Their capacities `max_...` are doubled when they are used up. */
struct pb {
    struct mp_profile *profile;
    struct links *links;
    char **elements;            /* text of each frame */
    uint32_t max_modules, max_functions, max_locations, max_frames, max_contexts, max_cells;
    uint32_t max_names, max_kinds;
};

/* Returns the array ITEMS, enlarged if its capacity *MAX does not suffice for item N, which is zeroed then. */
static void *
room(struct pb *pb, void *items, uint32_t n, uint32_t *max, size_t size)
{
    void *more;

    if (n < *max)
        return items;
    *max = *max ? 2 * *max : 16;
    more = mp_arena_alloc(pb->profile->arena, *max * size);
    if (n > 0)
        memcpy(more, items, n * size);
    return more;
}

struct pb *
pb_new(void)
{
    struct pb *pb = calloc(1, sizeof *pb);

    if (!pb)
        abort();
    pb->profile = mp_profile_new();
    pb->profile->symbolised = true;
    pb->profile->meta.program = "/home/zorn/example";
    pb->profile->meta.status = 0;
    pb->profile->meta.ending = MP_END_EXITED;
    pb->max_contexts = 16;
    pb->links = mp_arena_alloc(pb->profile->arena, 16 * sizeof *pb->links);
    pb->profile->contexts = mp_arena_alloc(pb->profile->arena,
                                           16 * sizeof *pb->profile->contexts);
    pb->profile->contexts[0].frame = MP_NO_ID;
    pb->profile->n_contexts = 1;
    return pb;
}

void
pb_module(struct pb *pb, const char *path, const char *problem)
{
    struct mp_profile *p = pb->profile;
    struct mp_module *module;

    p->modules = room(pb, p->modules, p->n_modules, &pb->max_modules, sizeof *p->modules);
    module = &p->modules[p->n_modules++];
    module->path = mp_arena_strdup(p->arena, path);
    module->name = strrchr(module->path, '/') + 1;
    module->problem = problem;
}

static uint32_t
module_of(struct pb *pb, const char *name)
{
    struct mp_profile *p = pb->profile;

    for (uint32_t i = 0; i < p->n_modules; i++)
        if (strcmp(p->modules[i].name, name) == 0)
            return i;
    pb_module(pb, mp_arena_printf(p->arena, "/usr/lib/%s", name), "");
    return p->n_modules - 1;
}

uint32_t
pb_function(const struct mp_profile *profile, const char *name)
{
    for (uint32_t i = 0; i < profile->n_functions; i++)
        if (strcmp(profile->functions[i].text, name) == 0)
            return i;
    return MP_NO_ID;
}

static uint32_t
function_of(struct pb *pb, const char *name, uint32_t module)
{
    struct mp_profile *p = pb->profile;
    struct mp_function *function;
    uint32_t id = pb_function(p, name);

    if (id != MP_NO_ID)
        return id;
    p->functions = room(pb, p->functions, p->n_functions, &pb->max_functions,
                        sizeof *p->functions);
    function = &p->functions[p->n_functions];
    function->text = function->plain = mp_arena_strdup(p->arena, name);
    function->module = module;
    if (module != MP_NO_ID && strncmp(name, p->modules[module].name, strlen(p->modules[module].name)) == 0 &&
        name[strlen(p->modules[module].name)] == '+') {
        function->kind = MP_FUNCTION_PLACE;
        function->plain = NULL;
    } else {
        function->clone = (uint16_t)mp_identity_clone(name);
    }
    function->start = 0x1000 + 0x100 * (uint64_t)p->n_functions;
    return p->n_functions++;
}

/* Cuts a number that follows the character BEFORE, such as "@34" or "+8", from the end of TEXT. Returns the number, or
 * 0 if there is none. */
static uint32_t
cut_number(char *text, char before)
{
    char *place = strrchr(text, before), *end;
    unsigned long number;

    if (!place || place == text || place[1] == '\0')
        return 0;
    number = strtoul(place + 1, &end, 10);
    if (*end)
        return 0;
    *place = '\0';
    return (uint32_t)number;
}

static void
add_location(struct pb *pb, const char *text, uint32_t module, uint64_t *offset)
{
    struct mp_profile *p = pb->profile;
    char *name = mp_arena_strdup(p->arena, text);
    uint32_t line = cut_number(name, '@');
    uint32_t plus = cut_number(name, '+');
    uint32_t function = function_of(pb, name, module);
    struct mp_location *location;

    p->locations = room(pb, p->locations, p->n_locations, &pb->max_locations,
                        sizeof *p->locations);
    location = &p->locations[p->n_locations++];
    location->function = function;
    location->line = line;
    location->file = line ? mp_arena_printf(p->arena, "/src/%s.c", name) : "";
    *offset = p->functions[function].start + plus;
}

/* Adds the locations of FRAME, whose text is "outer/inner", innermost first. */
static void
add_locations(struct pb *pb, struct mp_frame *frame, char *text)
{
    struct mp_profile *p = pb->profile;
    char *slash;

    frame->first_location = p->n_locations;
    while ((slash = strrchr(text, '/')) != NULL) {
        add_location(pb, slash + 1, frame->module, &frame->offset);
        p->locations[p->n_locations - 1].inlined = true;
        *slash = '\0';
    }
    add_location(pb, text, frame->module, &frame->offset);
    frame->n_locations = p->n_locations - frame->first_location;
}

static uint32_t
add_name(struct pb *pb, const char *name, bool builtin, bool dispatch)
{
    struct mp_profile *p = pb->profile;

    p->names = room(pb, p->names, p->n_names, &pb->max_names, sizeof *p->names);
    p->names[p->n_names] = (struct mp_name){.name = mp_arena_strdup(p->arena, name), .file = "",
                                            .position = -1, .builtin = builtin,
                                            .dispatch = dispatch};
    return p->n_names++;
}

/* Parses texts such as "lisp:FOO". Returns the part after the colon, or NULL if TEXT has no such prefix. */
static char *
language_frame(struct pb *pb, struct mp_frame *frame, char *text)
{
    static const struct {
        const char *prefix, *module;
        bool named, runtime, interpreted, dispatch, builtin;
    } sorts[] = {
        {"lisp:", "foo.fas", true, false, false, false, false},
        {"builtin:", "libecl.so.21.2", true, true, false, false, true},
        {"dispatch:", "libecl.so.21.2", true, true, false, true, false},
        {"runtime:", "libecl.so.21.2", false, true, false, false, false},
        {"interp:", NULL, true, false, true, false, false},
        {"thread:", NULL, true, false, true, false, false},
        {"miss:", NULL, true, false, true, true, true},         /* a generic function that looks for a method */
        {"module:", NULL, true, false, true, true, false},      /* a function of the Lisp module */
    };

    for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++) {
        size_t length = strlen(sorts[i].prefix);

        if (strncmp(text, sorts[i].prefix, length) != 0)
            continue;
        text += length;
        if (sorts[i].named)
            frame->name = add_name(pb, text, sorts[i].builtin, sorts[i].dispatch);
        frame->runtime = sorts[i].runtime;
        frame->interpreted = sorts[i].interpreted;
        frame->exact = strcmp(sorts[i].prefix, "thread:") == 0;
        frame->module = sorts[i].module ? module_of(pb, sorts[i].module) : MP_NO_ID;
        if (sorts[i].interpreted)
            return mp_arena_strdup(pb->profile->arena, "ecl_interpret");
        return sorts[i].named ? mp_arena_printf(pb->profile->arena, "c_%s", text) : text;
    }
    return NULL;
}

static uint32_t
frame_of(struct pb *pb, const char *element)
{
    struct mp_profile *p = pb->profile;
    struct mp_frame frame = { .module = MP_NO_ID, .name = MP_NO_ID };
    uint32_t max = pb->max_frames;
    char *text, *bang, *native;

    for (uint32_t i = 0; i < p->n_frames; i++)
        if (strcmp(pb->elements[i], element) == 0)
            return i;
    pb->elements = room(pb, pb->elements, p->n_frames, &max, sizeof *pb->elements);
    p->frames = room(pb, p->frames, p->n_frames, &pb->max_frames, sizeof *p->frames);
    pb->elements[p->n_frames] = mp_arena_strdup(p->arena, element);
    text = mp_arena_strdup(p->arena, element);
    if (text[0] == '#') {
        frame.mark = (uint32_t)strtoul(text + 1, NULL, 10);
        text = mp_arena_printf(p->arena, "<mark %u>", frame.mark);
    } else if ((native = language_frame(pb, &frame, text)) != NULL) {
        text = native;
    } else if ((bang = strchr(text, '!')) != NULL) {
        *bang = '\0';
        frame.module = module_of(pb, text);
        text = bang + 1;
    } else {
        frame.module = module_of(pb, "example");
    }
    add_locations(pb, &frame, text);
    p->frames[p->n_frames] = frame;
    return p->n_frames++;
}

static uint32_t
context_of(struct pb *pb, uint32_t parent, uint32_t frame)
{
    struct mp_profile *p = pb->profile;
    uint32_t max = pb->max_contexts, id;

    for (id = pb->links[parent].child; id > 0; id = pb->links[id].sibling)
        if (p->contexts[id].frame == frame)
            return id;
    pb->links = room(pb, pb->links, p->n_contexts, &max, sizeof *pb->links);
    p->contexts = room(pb, p->contexts, p->n_contexts, &pb->max_contexts, sizeof *p->contexts);
    id = p->n_contexts++;
    p->contexts[id].parent = parent;
    p->contexts[id].frame = frame;
    pb->links[id].sibling = pb->links[parent].child;
    pb->links[parent].child = id;
    return id;
}

static struct mp_cell *
cell_of(struct pb *pb, uint32_t context, uint32_t kind)
{
    struct mp_profile *p = pb->profile;
    struct mp_cell *cell;

    for (uint32_t i = 0; i < p->n_cells; i++)
        if (p->cells[i].context == context && p->cells[i].kind == kind)
            return &p->cells[i];
    p->cells = room(pb, p->cells, p->n_cells, &pb->max_cells, sizeof *p->cells);
    cell = &p->cells[p->n_cells++];
    cell->context = context;
    cell->kind = kind;
    cell->size_min = UINT32_MAX;
    return cell;
}

static void
add_bin(struct mp_profile *profile, const struct mp_counts *more, uint64_t size)
{
    struct mp_bin *bin = &profile->bins[size < MP_BIN_LARGE ? size : MP_BIN_LARGE];

    bin->allocs += more->allocs;
    bin->bytes += more->bytes;
    bin->frees += more->frees;
    bin->freed += more->freed;
}

static struct mp_cell *
cell_at(struct pb *pb, const char *chain, uint32_t kind)
{
    char *text = strdup(chain), *rest = text, *element;
    uint32_t context = 0;

    if (!text)
        abort();
    while ((element = strsep(&rest, ";")) != NULL)
        context = context_of(pb, context, frame_of(pb, element));
    free(text);
    return cell_of(pb, context, kind);
}

void
pb_kind(struct pb *pb, uint32_t kind, uint32_t base, const char *name, char category)
{
    struct mp_profile *p = pb->profile;

    p->kinds = room(pb, p->kinds, p->n_kinds, &pb->max_kinds, sizeof *p->kinds);
    p->kinds[p->n_kinds++] = (struct mp_object_kind){kind, base, name, category};
}

struct mp_cell *
pb_objects(struct pb *pb, const char *chain, uint32_t kind, uint64_t objects, uint64_t bytes)
{
    struct mp_cell *cell = cell_at(pb, chain, kind);

    cell->counts.allocs += objects;
    cell->counts.bytes += bytes;
    mp_cell_rest(cell, pb->profile->arena)->counts.requested += bytes;
    return cell;
}

void
pb_add(struct pb *pb, const char *chain, uint32_t kind, uint64_t allocs, uint64_t bytes,
       uint64_t frees, uint64_t freed)
{
    const struct mp_counts more = {
        .allocs = allocs, .bytes = bytes, .frees = frees, .freed = freed};
    uint64_t size = allocs ? bytes / allocs : 0;
    struct mp_cell *cell = cell_at(pb, chain, kind);

    mp_counts_add_basic(&cell->counts, &more.basic);
    size = size < UINT32_MAX ? size : UINT32_MAX;
    cell->size_min = size < cell->size_min ? (uint32_t)size : cell->size_min;
    cell->size_max = size > cell->size_max ? (uint32_t)size : cell->size_max;
    add_bin(pb->profile, &more, size);
}

struct pb *
pb_of(const struct pb_row rows[])
{
    struct pb *pb = pb_new();

    for (; rows->chain; rows++)
        pb_add(pb, rows->chain, rows->kind, rows->allocs, rows->bytes, rows->frees, rows->freed);
    return pb;
}

static int
compare_cells(const void *a, const void *b)
{
    const struct mp_cell *x = a, *y = b;

    if (x->context != y->context)
        return x->context < y->context ? -1 : 1;
    return (x->kind > y->kind) - (x->kind < y->kind);
}

uint32_t
pb_context(const struct mp_profile *profile, const char *name)
{
    for (uint32_t i = 1; i < profile->n_contexts; i++) {
        const struct mp_frame *frame = &profile->frames[profile->contexts[i].frame];

        if (strcmp(profile->functions[profile->locations[frame->first_location].function].text, name) == 0)
            return i;
    }
    ck_abort_msg("no context of %s", name);
}

struct mp_cell *
pb_cell(struct mp_profile *profile, const char *name)
{
    const uint32_t context = pb_context(profile, name);

    for (uint32_t i = 0; i < profile->n_cells; i++)
        if (profile->cells[i].context == context)
            return &profile->cells[i];
    ck_abort_msg("no cell of %s", name);
}

void
pb_timeline(struct mp_profile *profile, const struct mp_moment moments[], uint32_t n_moments,
            const struct mp_change changes[], uint32_t n_changes)
{
    struct mp_timeline *line = profile->timeline = mp_arena_alloc(profile->arena, sizeof *line);

    line->moments = mp_arena_alloc(profile->arena, n_moments * sizeof *moments);
    line->changes = mp_arena_alloc(profile->arena, n_changes * sizeof *changes);
    if (n_moments > 0)
        memcpy(line->moments, moments, n_moments * sizeof *moments);
    if (n_changes > 0)
        memcpy(line->changes, changes, n_changes * sizeof *changes);
    line->n_moments = n_moments;
    line->n_changes = n_changes;
}

static void
release_arena(void *arena)
{
    mp_arena_free(arena);
}

struct mp_arena *
keep_arena(void)
{
    return tap_keep(mp_arena_new(), release_arena);
}

static void
release(void *profile)
{
    mp_profile_free(profile);
}

struct mp_profile *
keep_profile(struct mp_profile *profile)
{
    return tap_keep(profile, release);
}

struct mp_profile *
keep_view(const struct mp_profile *profile, const struct mp_view_options *options)
{
    struct mp_error error;
    struct mp_profile *view = mp_view(profile, options, &error);

    ck_assert_msg(view != NULL, "%s", error.text);
    return keep_profile(view);
}

static void
release_tree(void *tree)
{
    mp_tree_free(tree);
}

struct mp_tree *
keep_tree(const struct mp_profile *profile, const struct mp_view_options *view, const struct mp_tree_options *options)
{
    struct mp_error error;
    struct mp_tree *tree = mp_tree_new(profile, view, options, &error);

    ck_assert_msg(tree != NULL, "%s", error.text);
    return tap_keep(tree, release_tree);
}

struct mp_profile *
pb_done(struct pb *pb)
{
    struct mp_profile *profile = pb->profile;

    if (profile->n_cells > 0)
        qsort(profile->cells, profile->n_cells, sizeof *profile->cells, compare_cells);
    mp_profile_set_kept(profile);
    free(pb);
    return keep_profile(profile);
}

struct mp_profile *
pb_example(void)
{
    static const char red[] = "_start;libc.so.6!__libc_start_main;libc.so.6!__libc_start_call_main;"
                              "main;make_red_widget;make_widget";
    static const char blue[] = "_start;libc.so.6!__libc_start_main;libc.so.6!"
                               "__libc_start_call_main;main;make_blue_widget;make_widget";

    return PROFILE_OF({red, MP_KIND_MEDIUM, 5019, 1023876, 0, 0},
                      {blue, MP_KIND_MEDIUM, 4981, 1016124, 4981, 1016124});
}
/* SPDX-License-Identifier: MIT */
