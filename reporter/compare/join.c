#include "join.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "match.h"
#include "reporter/base/short_names.h"
#include "reporter/base/text.h"
#include "reporter/profile/cells.h"
#include "reporter/profile/charge.h"
#include "reporter/profile/lifetimes.h"
#include "reporter/profile/profile.h"
#include "reporter/profile/tree.h"

/* ---------------------------------------------------------------- functions and modules */

/* The functions and modules of all runs, which are collected, then matched, and then put into the joined profile. */
struct mp_noted {
    struct mp_profile *to;      /* the joined profile */
    struct mp_match_function *list;
    struct mp_noted_frame {     /* by function in `list`: properties of its frame */
        uint32_t mark, module;
        bool thread, interpreted, language, builtin;
    } *frames;
    uint32_t n, list_room, frames_room, modules_room;
    struct mp_map known;        /* keys made of all texts of a function */
    struct mp_map modules;      /* names, in the order of the joined profile */
    struct mp_arena *arena;
};

static void
noted_begin(struct mp_noted *noted, struct mp_profile *to, struct mp_arena *arena)
{
    *noted = (struct mp_noted){.to = to, .arena = arena, .known.arena = arena, .modules.arena = arena};
}

/* ---------------------------------------------------------------- modules */

/* Name by which the program's own module is matched, whatever its file is called. */
#define PROGRAM "the program"

static const char *
key_of(const struct mp_noted *noted, const struct mp_profile *profile, const struct mp_module *module)
{
    return strcmp(module->path, profile->meta.program) == 0 ? PROGRAM
                                                             : mp_stem_module(module->name, noted->arena);
}

/* Returns the module of the joined profile for MODULE of PROFILE, or MP_NO_ID if MODULE is none. */
static uint32_t
note_module(struct mp_noted *noted, const struct mp_profile *profile, uint32_t module)
{
    struct mp_profile *to = noted->to;
    const struct mp_module *from;
    const char *key, *name;
    uint32_t id;

    if (module >= profile->n_modules)
        return MP_NO_ID;
    from = &profile->modules[module];
    key = key_of(noted, profile, from);
    name = strcmp(key, PROGRAM) == 0 ? from->name : key;
    id = mp_map_add(&noted->modules, key, strlen(key));
    if (id == to->n_modules) {
        to->modules = mp_arena_grow(to->arena, to->modules, id, &noted->modules_room, sizeof *to->modules);
        to->modules[to->n_modules++] =
            (struct mp_module){.name = mp_arena_strdup(to->arena, name), .problem = ""};
    } else if (strcmp(to->modules[id].name, name) != 0) {
        to->modules[id].name = PROGRAM;         /* the runs have different names for it */
    }
    to->modules[id].path = to->modules[id].name;
    return id;
}

static const char *
build_of(const struct mp_module *module, struct mp_arena *arena)
{
    char hex[2 * sizeof module->build_id + 1];

    mp_text_put_hex(hex, hex + sizeof hex, module->build_id, module->build_id_size);
    return mp_arena_strdup(arena, hex);
}

/* ---------------------------------------------------------------- functions */

/* Describes function ID for matching. It is a function of the profile, or a Lisp name of the view. */
static struct mp_match_function
describe(struct mp_noted *noted, const struct mp_profile *profile, const struct mp_profile *view, uint32_t id)
{
    const bool own = id < profile->n_functions;
    const struct mp_function *function = own ? &profile->functions[id] : &view->functions[id];
    uint32_t module = note_module(noted, profile, function->module);
    struct mp_match_function result = {
        .name = mp_function_name(function), .parameters = function->parameters ? function->parameters : "",
        .file = function->file ? function->file : "", .module = "", .build = ""};

    if (module == MP_NO_ID)
        return result;
    result.module = mp_map_key(&noted->modules, module);
    result.build = build_of(&profile->modules[function->module], noted->arena);
    if (own && mp_function_is_nameless(profile, function))
        result.name = mp_arena_printf(noted->arena, "%s+0x%" PRIx64, result.module, function->start);
    return result;
}

/* Returns the index of the function that is described by F, or the next free index if it is new. */
static uint32_t
find(struct mp_noted *noted, const struct mp_match_function *f)
{
    const char *const parts[] = {f->name, f->parameters, f->file, f->module, f->build, f->sort};
    size_t size = 0;
    char *key, *to;

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        size += strlen(parts[i]) + 1;
    key = to = mp_arena_alloc(noted->arena, size);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        to = mp_text_put(to, key + size, parts[i]) + 1;
    return mp_map_add(&noted->known, key, size);
}

/* Copies the texts of F, because the profile that owns them is freed. */
static void
keep_texts(struct mp_match_function *f, struct mp_arena *arena)
{
    const char **texts[] = {&f->name, &f->parameters, &f->file, &f->module, &f->build, &f->sort};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = (*texts[i])[0] ? mp_arena_strdup(arena, *texts[i]) : "";
}

/* Adds FUNCTION of VIEW, which is a view of PROFILE, unless an equal function was added before. FRAME is a frame of
 * the function. SIDES (match.h) are the sides that contain it. Returns its index in the list. */
static uint32_t
note_function(struct mp_noted *noted, const struct mp_profile *profile, const struct mp_profile *view,
              uint32_t function, const struct mp_frame *frame, unsigned sides)
{
    const struct mp_name *name = mp_frame_name(view, frame);
    const struct mp_noted_frame what = {
        .mark = frame->mark, .thread = mp_frame_is_thread(frame),
        .interpreted = frame->interpreted && !frame->exact,
        .language = name && function >= profile->n_functions, .builtin = name && name->builtin,
        .module = note_module(noted, profile, view->functions[function].module)};
    struct mp_match_function f = describe(noted, profile, view, function);
    uint32_t id;

    f.sort = what.mark != 0 ? mp_arena_printf(noted->arena, "mark %u", what.mark)
             : what.thread  ? "thread" : what.language ? "language" : "";
    id = find(noted, &f);
    if (id == noted->n) {
        noted->list = mp_arena_grow(noted->arena, noted->list, id, &noted->list_room, sizeof *noted->list);
        noted->frames =
            mp_arena_grow(noted->arena, noted->frames, id, &noted->frames_room, sizeof *noted->frames);
        keep_texts(&f, noted->arena);
        noted->list[id] = f;
        noted->frames[id] = what;
        noted->n++;
    }
    noted->list[id].sides |= sides;
    return id;
}

/* ---------------------------------------------------------------- all of them */

/* Adds a Lisp name to frame ID. Frames of C functions do not get one. */
static void
add_name(struct mp_profile *to, uint32_t id, bool builtin)
{
    to->frames[id].name = to->n_names;
    to->names[to->n_names++] = (struct mp_name){
        .name = to->functions[id].text, .file = "", .position = -1, .builtin = builtin};
}

static void
make_room_for_function(struct mp_profile *to, uint32_t n)
{
    to->functions = mp_arena_alloc(to->arena, n * sizeof *to->functions);
    to->locations = mp_arena_alloc(to->arena, n * sizeof *to->locations);
    to->frames = mp_arena_alloc(to->arena, n * sizeof *to->frames);
    to->names = mp_arena_alloc(to->arena, n * sizeof *to->names);
    to->n_functions = to->n_locations = to->n_frames = n;
}

/* Replaces "the program+0x123" by, for example, "perl+0x123" if the program has the same name in all runs. */
static const char *
shown_name(const struct mp_profile *to, const char *name, uint32_t module)
{
    size_t length = strlen(PROGRAM);

    if (module == MP_NO_ID || strncmp(name, PROGRAM, length) != 0 || name[length] != '+')
        return name;
    return mp_arena_printf(to->arena, "%s%s", to->modules[module].name, name + length);
}

/* Creates the function for entry I. Of matched entries, the last, which is of the side "after", determines the
 * details. */
static void
fill(struct mp_noted *noted, uint32_t i)
{
    const struct mp_noted_frame *what = &noted->frames[i];
    uint32_t id = noted->list[i].match;
    struct mp_profile *to = noted->to;

    to->functions[id].text = shown_name(to, to->functions[id].text, what->module);
    to->functions[id].module = what->module;
    to->functions[id].file = noted->list[i].file[0] ? mp_arena_strdup(to->arena, noted->list[i].file) : NULL;
    to->locations[id] = (struct mp_location){
        .function = id, .file = to->functions[id].file ? to->functions[id].file : ""};
    to->frames[id].mark = what->mark;
    to->frames[id].module = what->module;
    to->frames[id].interpreted = what->thread || what->interpreted;
    to->frames[id].exact = what->thread;
    to->frames[id].first_location = id;
    to->frames[id].n_locations = 1;
    if (what->language && to->frames[id].name == MP_NO_ID)
        add_name(to, id, what->builtin);
}

/* Matches the functions, and creates functions, locations, frames and names of the joined profile. Function n has
 * location n and frame n. */
static void
noted_end(struct mp_noted *noted)
{
    uint32_t n;
    const char **names = mp_match(noted->list, noted->n, &n, noted->to->arena);

    make_room_for_function(noted->to, n);
    for (uint32_t i = 0; i < n; i++) {
        noted->to->functions[i].text = names[i];
        noted->to->frames[i].name = MP_NO_ID;
    }
    for (uint32_t i = 0; i < noted->n; i++)
        fill(noted, i);
}

/* ---------------------------------------------------------------- parts of functions */

/*
 * Finds calls that exist in only one of the builds, because a compiler made a part of a function a
 * function of its own. Caller and callee then represent one call of the source.
 *
 * 1. By name, in imported profiles: a function calls a part of itself, as mp_stem_is_part() recognises it.
 *    "f > f.part.0" becomes "f".
 * 2. By debug information (symbols.h), if the part's name is f, too: the builds differ, on one side an f inlined into
 *    its caller calls an f that is not inlined, f never calls itself in another way, and on the other side f never
 *    calls itself. For example, gcc copies the test at the beginning of f into f's callers, which then call the rest.
 *    "f > f" becomes "f".
 *
 * All other calls of a function by itself are recursion.
 */

/* The tree of a run. Node 0 is the root; callers precede callees. */
struct mp_join_nodes {
    enum mp_side side;
    uint32_t n;
    uint32_t *parents, *functions;      /* by node; functions are indices of collected functions */
    bool *inlined;              /* by node: inlined into the caller */
    bool *same;                 /* by node: one call together with its caller; set by join_parts() */
};

/* The tree and cells of a run, kept until the functions of all runs are known. */
struct pending {
    struct mp_join_nodes nodes;
    struct mp_cell *cells;      /* contexts are node ids; kinds are kinds of the joined profile */
    uint32_t n_cells;
};

enum { BOTH = 1u << MP_BEFORE | 1u << MP_AFTER };

/* How a matched function calls itself on one side. */
struct rounds {
    uint32_t most;              /* maximum number of its calls in a row */
    bool other;                 /* calls itself in another way than inlined to not inlined */
    bool one_build;             /* both sides contain the same build of it */
};

struct finder {
    const struct mp_match_function *functions;
    bool *parts;                /* by function: its name is that of a part */
    struct rounds *rounds[MP_SIDES];    /* by matched function */
};

static uint32_t
match_of(const struct finder *f, const struct mp_join_nodes *nodes, uint32_t node)
{
    return f->functions[nodes->functions[node]].match;
}

static bool
calls_itself(const struct finder *f, const struct mp_join_nodes *nodes, uint32_t node)
{
    uint32_t parent = nodes->parents[node];

    return parent > 0 && match_of(f, nodes, parent) == match_of(f, nodes, node);
}

/* Records which functions call themselves, apart from parts recognised by name, which are marked in `same`. */
static void
look(const struct finder *f, struct mp_join_nodes *nodes, struct mp_arena *arena)
{
    uint32_t *in_row = mp_arena_alloc(arena, nodes->n * sizeof *in_row);

    for (uint32_t i = 1; i < nodes->n; i++) {
        struct rounds *rounds = &f->rounds[nodes->side][match_of(f, nodes, i)];
        uint32_t parent = nodes->parents[i];
        bool itself = calls_itself(f, nodes, i);

        nodes->same[i] = itself && f->parts[nodes->functions[i]] && !f->parts[nodes->functions[parent]];
        in_row[i] = (itself ? in_row[parent] : 0) + !nodes->same[i];
        if (rounds->most < in_row[i])
            rounds->most = in_row[i];
        if (itself && !nodes->same[i])
            rounds->other |= nodes->inlined[i] || !nodes->inlined[parent];
    }
    mp_arena_drop(in_row, nodes->n * sizeof *in_row);
}

static bool
is_split(const struct finder *f, enum mp_side side, uint32_t match)
{
    const struct rounds *here = &f->rounds[side][match];

    return here->most == 2 && !here->other && !here->one_build &&
           f->rounds[side == MP_BEFORE ? MP_AFTER : MP_BEFORE][match].most == 1;
}

/* Sets `same` in the trees of the N runs, allocated in ARENA. The trees contain indices of FUNCTIONS, which mp_match()
 * has matched to N_MATCHES functions. */
static void
join_parts(struct pending runs[], uint32_t n, const struct mp_match_function functions[], uint32_t n_functions,
           uint32_t n_matches, struct mp_arena *arena)
{
    struct finder f = {.functions = functions, .parts = mp_arena_alloc(arena, n_functions * sizeof *f.parts)};

    for (unsigned side = 0; side < MP_SIDES; side++)
        f.rounds[side] = mp_arena_alloc(arena, n_matches * sizeof *f.rounds[side]);
    for (uint32_t i = 0; i < n_functions; i++) {
        f.parts[i] = mp_stem_is_part(functions[i].name);
        for (unsigned side = 0; side < MP_SIDES; side++)
            f.rounds[side][functions[i].match].one_build |= functions[i].build[0] && functions[i].sides == BOTH;
    }
    for (uint32_t i = 0; i < n; i++) {
        runs[i].nodes.same = mp_arena_alloc(arena, runs[i].nodes.n * sizeof *runs[i].nodes.same);
        look(&f, &runs[i].nodes, arena);
    }
    for (uint32_t i = 0; i < n; i++) {
        struct mp_join_nodes *nodes = &runs[i].nodes;

        for (uint32_t j = 1; j < nodes->n; j++)
            nodes->same[j] |= calls_itself(&f, nodes, j) && is_split(&f, nodes->side, match_of(&f, nodes, j));
    }
}

/* ---------------------------------------------------------------- runs */

struct mp_joiner {
    struct mp_noted functions;
    struct pending *pending;    /* by run */
    uint32_t room;
    struct mp_map kinds;        /* names of kinds, in the order of the joined profile */
    struct mp_map types;        /* keys made of the size and name of a type */
    uint32_t kinds_room;
    struct mp_arena *arena;     /* owns all of this */
};

struct mp_join *
mp_join_new(const struct mp_join_options *options)
{
    struct mp_join *join = mp_need(calloc(1, sizeof *join));
    struct mp_arena *arena = mp_arena_new();

    join->options = *options;
    join->profile = mp_profile_new();
    join->profile->symbolised = true;
    join->joiner = mp_arena_alloc(arena, sizeof *join->joiner);
    join->joiner->arena = arena;
    join->joiner->kinds.arena = join->joiner->types.arena = arena;
    noted_begin(&join->joiner->functions, join->profile, arena);
    return join;
}

void
mp_join_free(struct mp_join *join)
{
    if (!join)
        return;
    if (join->joiner)
        mp_arena_free(join->joiner->arena);
    mp_profile_free(join->profile);
    free(join);
}

/* ---------------------------------------------------------------- kinds */

static struct mp_object_kind *
add_kind(struct mp_join *join, const struct mp_object_kind *kind)
{
    struct mp_profile *to = join->profile;
    uint32_t id = mp_map_add(&join->joiner->kinds, kind->name, strlen(kind->name));

    if (id == to->n_kinds) {
        to->kinds = mp_arena_grow(to->arena, to->kinds, id, &join->joiner->kinds_room, sizeof *to->kinds);
        to->kinds[to->n_kinds++] = (struct mp_object_kind){
            .kind = MP_KIND_LISP + id, .base = MP_KIND_LISP + id, .category = kind->category,
            .name = mp_arena_strdup(to->arena, kind->name)};
    }
    return &to->kinds[id];
}

/* Returns the kinds of the joined profile, by index in the kinds of VIEW. A file has fewer than 0x4000 kinds. If many
 * files together have more names than a cell's kind can hold, the excess ones share the kind 0xffff. */
static uint32_t *
map_kinds(struct mp_join *join, const struct mp_profile *view)
{
    uint32_t *to = mp_arena_alloc(join->joiner->arena, view->n_kinds * sizeof *to);

    for (uint32_t i = 0; i < view->n_kinds; i++) {
        const struct mp_object_kind *kind = &view->kinds[i], *base = mp_profile_kind(view, kind->base);
        uint32_t of = base ? add_kind(join, base)->kind : MP_NO_ID;
        struct mp_object_kind *added = add_kind(join, kind);

        added->base = of != MP_NO_ID ? of : added->kind;
        to[i] = added->kind < 0xffff ? added->kind : 0xffff;
    }
    return to;
}

/* ---------------------------------------------------------------- one run */

static void
keep_nodes(struct mp_join *join, const struct mp_tree *tree, const struct mp_profile *profile,
           struct mp_join_nodes *nodes, enum mp_side side)
{
    struct mp_arena *arena = join->joiner->arena;
    uint32_t *known = mp_arena_alloc(arena, tree->profile->n_functions * sizeof *known);

    nodes->side = side;
    nodes->n = tree->n_nodes;
    nodes->parents = mp_arena_alloc(arena, tree->n_nodes * sizeof *nodes->parents);
    nodes->functions = mp_arena_alloc(arena, tree->n_nodes * sizeof *nodes->functions);
    nodes->inlined = mp_arena_alloc(arena, tree->n_nodes * sizeof *nodes->inlined);
    for (uint32_t i = 1; i < tree->n_nodes; i++) {
        uint32_t function = mp_tree_function(tree, i);

        if (known[function] == 0)
            known[function] =
                1 + note_function(&join->joiner->functions, profile, tree->profile, function,
                                     &tree->profile->frames[tree->nodes[i].frame], 1u << side);
        nodes->parents[i] = tree->nodes[i].parent;
        nodes->functions[i] = known[function] - 1;
        nodes->inlined[i] = mp_tree_is_inlined(tree, i);
    }
    mp_arena_drop(known, tree->profile->n_functions * sizeof *known);
}

static void
keep_cells(struct mp_join *join, struct mp_join_run *run, const struct mp_tree *tree, struct pending *pending)
{
    const struct mp_profile *view = tree->profile;
    const uint32_t *kinds = map_kinds(join, view);

    pending->cells = mp_arena_alloc(join->joiner->arena, tree->n_cells * sizeof *pending->cells);
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        for (uint32_t j = tree->nodes[i].first_cell; j < tree->nodes[i + 1].first_cell; j++) {
            struct mp_cell *cell = &pending->cells[pending->n_cells++];
            const struct mp_object_kind *kind;

            *cell = view->cells[tree->cells[j]];
            kind = mp_profile_kind(view, cell->kind);
            cell->kind = kind ? kinds[kind - view->kinds] : mp_is_lisp(cell) ? 0xffff : cell->kind;
            cell->context = i;
            cell->lifetimes = NULL;     /* the view's lifetimes are freed with it */
            mp_lifetimes_add(&cell->lifetimes, view->cells[tree->cells[j]].lifetimes, join->profile->arena);
            run->short_bytes = mp_plus(run->short_bytes,
                                       mp_join_short(cell->kind, &cell->counts,
                                                     mp_lifetimes_short(cell->lifetimes).bytes));
        }
    }
}

/* Copies the figures of block sizes to RUN, and the names of the types of each size to JOIN. */
static void
keep_bins(struct mp_join *join, struct mp_join_run *run, struct mp_profile *view)
{
    const unsigned n = join->options.by_cells ? MP_CELL_BINS : MP_BINS;

    if (join->options.by_cells)
        mp_bins_of_cells(view);
    run->bins = mp_arena_alloc(join->profile->arena, MP_CELL_BINS * sizeof *run->bins);
    for (unsigned i = 0; i < n; i++)
        run->bins[i] = mp_bin_counts(view, i);
    for (unsigned i = 0; i < MP_BINS; i++) {
        for (uint32_t j = 0; j < view->bins[i].n_types; j++) {
            const char *name = view->types[view->bins[i].first_type + j];
            const char *key = mp_arena_printf(join->joiner->arena, "%u %s", i, name);
            uint32_t known = join->joiner->types.count;
            struct mp_join_types *types = &join->types[i];

            if (mp_map_add(&join->joiner->types, key, strlen(key)) < known)
                continue;
            types->names = mp_arena_grow(join->profile->arena, types->names, types->n, &types->room,
                                         sizeof *types->names);
            types->names[types->n++] = mp_arena_strdup(join->profile->arena, name);
        }
    }
}

static void
keep_modules(struct mp_join *join, struct mp_join_run *run, const struct mp_profile *profile,
             const struct mp_profile *view)
{
    struct mp_arena *arena = join->joiner->arena;
    const struct mp_charge_options wanted = {.raw = join->options.raw};
    const struct mp_charges charges = mp_charge(view, &wanted, arena);
    struct mp_map known = {.arena = arena};
    struct mp_join_module *modules =
        mp_arena_alloc(join->profile->arena, charges.n * sizeof *modules);

    for (uint32_t i = 0; i < charges.n; i++) {
        uint32_t module = note_module(&join->joiner->functions, profile,
                                         view->functions[charges.list[i].function].module);
        uint32_t place = mp_map_add_u64(&known, module);

        modules[place].module = module;
        mp_counts_add(&modules[place].counts, &charges.list[i].counts);
    }
    run->modules = modules;
    run->n_modules = known.count;
    run->nameless = mp_arena_alloc(join->profile->arena, profile->n_modules * sizeof *run->nameless);
    for (uint32_t i = 0; i < profile->n_modules; i++)
        if (profile->modules[i].problem[0])
            run->nameless[run->n_nameless++] =
                join->profile->modules[note_module(&join->joiner->functions, profile, i)].name;
}

static void
keep_meta(struct mp_join *join, struct mp_join_run *run, const struct mp_profile *profile,
          const struct mp_profile *view)
{
    struct mp_arena *arena = join->profile->arena;
    struct mp_meta *meta = &run->meta;
    struct mp_totals totals;

    *meta = profile->meta;
    meta->program = mp_arena_strdup(arena, meta->program);
    meta->monitor = mp_arena_strdup(arena, meta->monitor);
    meta->language = mp_arena_strdup(arena, meta->language);
    meta->source = meta->source ? mp_arena_strdup(arena, meta->source) : NULL;
    meta->arguments = mp_arena_alloc(arena, meta->n_arguments * sizeof *meta->arguments);
    for (uint32_t i = 0; i < meta->n_arguments; i++)
        meta->arguments[i] = mp_arena_strdup(arena, profile->meta.arguments[i]);
    if (view->window) {
        run->part = true;
        run->alive = view->window->alive;
        run->exact = view->window->exact;
        run->from = mp_arena_strdup(arena, view->window->from);
        run->to = mp_arena_strdup(arena, view->window->to);
    }
    mp_profile_totals(view, &totals);
    run->total = totals.all;
    run->allocs = join->options.by_cells ? totals.all.allocs : totals.allocs;
    run->bytes = join->options.by_cells ? totals.all.bytes : totals.bytes;
    run->unseen = profile->unseen;
    run->cut = totals.cut_allocs;
    run->lifetimes = view->lifetimes;
}

void
mp_join_add(struct mp_join *join, const struct mp_profile *profile, struct mp_profile *view,
            enum mp_side side, const char *label)
{
    struct mp_joiner *joiner = join->joiner;
    const struct mp_tree_options wanted = {.all_frames = join->options.all_frames, .one_cut = true};
    struct mp_tree *tree = mp_tree_build(view, &wanted);
    struct mp_join_run *run;
    uint32_t n = join->n_runs;

    join->runs = mp_arena_grow(join->profile->arena, join->runs, n, &join->room, sizeof *join->runs);
    joiner->pending = mp_arena_grow(joiner->arena, joiner->pending, n, &joiner->room,
                                    sizeof *joiner->pending);
    run = &join->runs[join->n_runs++];
    *run = (struct mp_join_run){.side = side, .label = mp_text_clean(join->profile->arena, label, strlen(label))};
    joiner->pending[n] = (struct pending){0};
    join->n_of[side]++;
    keep_meta(join, run, profile, view);
    keep_modules(join, run, profile, view);
    keep_bins(join, run, view);
    keep_nodes(join, tree, profile, &joiner->pending[n].nodes, side);
    keep_cells(join, run, tree, &joiner->pending[n]);
    mp_tree_free(tree);
}

/* ---------------------------------------------------------------- all runs */

static void
make_room(struct mp_join *join)
{
    struct mp_profile *to = join->profile;
    size_t nodes = 1, cells = 0;

    for (uint32_t i = 0; i < join->n_runs; i++) {
        nodes += join->joiner->pending[i].nodes.n;
        cells += join->joiner->pending[i].n_cells;
    }
    if (nodes >= MP_NO_ID || cells >= MP_NO_ID)
        mp_no_memory();
    to->contexts = mp_arena_alloc(to->arena, nodes * sizeof *to->contexts);
    to->contexts[0] = (struct mp_context){.frame = MP_NO_ID};
    to->n_contexts = 1;
    to->cells = mp_arena_alloc(to->arena, cells * sizeof *to->cells);
}

static void
place_run(struct mp_join *join, uint32_t run, struct mp_map *contexts)
{
    struct mp_profile *to = join->profile;
    struct pending *p = &join->joiner->pending[run];
    uint32_t *context_of = mp_arena_alloc(join->joiner->arena, p->nodes.n * sizeof *context_of);

    for (uint32_t i = 1; i < p->nodes.n; i++) {
        uint32_t parent = context_of[p->nodes.parents[i]];
        uint32_t frame = join->joiner->functions.list[p->nodes.functions[i]].match;
        uint32_t id;

        if (p->nodes.same[i]) {
            context_of[i] = parent;
            continue;
        }
        id = 1 + mp_map_add_u64(contexts, (uint64_t)parent << 32 | frame);
        if (id == to->n_contexts)
            to->contexts[to->n_contexts++] = (struct mp_context){.parent = parent, .frame = frame};
        context_of[i] = id;
    }
    for (uint32_t i = 0; i < p->n_cells; i++) {
        struct mp_cell *cell = &to->cells[to->n_cells++];

        *cell = p->cells[i];
        cell->context = context_of[cell->context];
        cell->kind |= run << 16;
    }
    mp_arena_drop(p->cells, p->n_cells * sizeof *p->cells);
}

/* Shortens the names of C functions. Lisp names stay unchanged. */
static void
shorten_names(struct mp_profile *to)
{
    const char **names = mp_arena_alloc(to->arena, to->n_functions * sizeof *names);

    for (uint32_t i = 0; i < to->n_functions; i++)
        names[i] = to->frames[i].name == MP_NO_ID ? to->functions[i].text : "";
    names = mp_short_names(names, to->n_functions, to->arena);
    for (uint32_t i = 0; i < to->n_functions; i++)
        if (to->frames[i].name == MP_NO_ID)
            to->functions[i].text = names[i];
}

void
mp_join_finish(struct mp_join *join)
{
    struct mp_joiner *joiner = join->joiner;
    struct mp_map contexts = {.arena = joiner->arena};

    noted_end(&joiner->functions);
    join_parts(joiner->pending, join->n_runs, joiner->functions.list, joiner->functions.n, join->profile->n_functions,
               joiner->arena);
    make_room(join);
    for (uint32_t i = 0; i < join->n_runs; i++)
        place_run(join, i, &contexts);
    mp_arena_free(joiner->arena);
    join->joiner = NULL;
    join->profile->n_cells =
        mp_cells_merge(join->profile->cells, join->profile->n_cells, join->profile->arena);
    if (join->options.short_names)
        shorten_names(join->profile);
    join->profile->meta = mp_join_first(join, MP_AFTER)->meta;
}
