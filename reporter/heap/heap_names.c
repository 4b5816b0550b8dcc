/* SPDX-License-Identifier: MIT */
#include "heap_names.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heap.h"
#include "heap_parts.h"
#include "heap_stream.h"
#include "reporter/base/format_number.h"
#include "reporter/base/search.h"
#include "reporter/base/text.h"
#include "reporter/file/reader.h"
#include "reporter/graph/charge.h"
#include "reporter/profile/profile.h"
#include "reporter/symbols/infer.h"
#include "reporter/symbols/load.h"
#include "reporter/symbols/variables.h"
#include "reporter/view/skip.h"
#include "reporter/view/startup_frames.h"
#include "reporter/view/view.h"

/* ------------------------------------------------------- types of C blocks */

#define MOST_NAMES 3u           /* maximum number of structures in the name of a size */
#define MOST_WORDS (1u << 18)   /* maximum number of words with names, over all types */

/* The state of assigning types to C blocks. A type is inferred from debug information, or else named by the size. */
struct sorting {
    struct mp_heap *heap;
    const struct mp_profile *profile;
    struct mp_map names;        /* keys of types: name and words, as "24 bytes" or "node\nnext\nkey" */
    uint32_t *types;            /* type number, indexed by ids of names */
    uint32_t types_room, room;
    uint32_t n_words;           /* words that have names so far */
    const uint32_t *contexts;   /* by site: its context in the recording, or MP_NO_ID */
    uint32_t n_sites;           /* number of entries of `contexts` and `inferred` */
    const struct mp_inferred **inferred;        /* by site: the type that its allocations make, or NULL */
    struct mp_map places;       /* see struct block */
    bool *odd;                  /* by place: it does not allocate arrays */
};

/* Adds a type called NAME, with slots called WORDS. Copies both. The slots get no names once MOST_WORDS is
 * exceeded. */
static uint32_t
add_type(struct sorting *sorting, const char *name, const char *const *words, uint32_t n_words)
{
    struct mp_heap *heap = sorting->heap;
    struct mp_heap_type type = {.shape = MP_SHAPE_BLOCK, .n_slots = n_words};

    if (n_words > MOST_WORDS - sorting->n_words)
        type.n_slots = 0;
    sorting->n_words += type.n_slots;
    type.name = mp_arena_strdup(heap->arena, name);
    type.slots = mp_arena_alloc(heap->arena, (type.n_slots + (size_t)1) * sizeof *type.slots);
    for (uint32_t i = 0; i < type.n_slots; i++)
        type.slots[i] = *words[i] ? mp_arena_strdup(heap->arena, words[i]) : "";
    heap->types = mp_arena_grow(heap->arena, heap->types, heap->n_types, &sorting->room, sizeof *heap->types);
    heap->types[heap->n_types] = type;
    return heap->n_types++;
}

/* Returns the key of a type, which consists of its name and the names of its words. */
static const char *
key_of(struct mp_arena *arena, const char *name, const char *const *words, uint32_t n_words)
{
    size_t size = strlen(name) + 1, at = size;
    char *key;

    for (uint32_t i = 0; i < n_words; i++)
        size += strlen(words[i]) + 1;
    key = mp_arena_alloc(arena, size + 1);
    memcpy(key, name, at);
    for (uint32_t i = 0; i < n_words; i++) {
        key[at - 1] = '\n';
        memcpy(key + at, words[i], strlen(words[i]) + 1);
        at += strlen(words[i]) + 1;
    }
    return key;
}

/* Returns the type called NAME with slots called WORDS, and adds it if needed. Types of the same name with other
 * slots are different. */
static uint32_t
type_called(struct sorting *sorting, const char *name, const char *const *words, uint32_t n_words)
{
    const char *key = key_of(sorting->names.arena, name, words, n_words);
    const uint32_t n = sorting->names.count, id = mp_map_add(&sorting->names, key, strlen(key));

    if (id == n) {
        sorting->types = mp_arena_grow(sorting->names.arena, sorting->types, n, &sorting->types_room,
                                       sizeof *sorting->types);
        sorting->types[id] = add_type(sorting, name, words, n_words);
    }
    return sorting->types[id];
}

/* Returns the type name for blocks of SIZE bytes, as "1,000 bytes" or "24 bytes: node, edge". */
static const char *
name_of(const struct sorting *sorting, uint64_t size)
{
    struct mp_arena *arena = sorting->heap->arena;
    const struct mp_bin *bin = size < MP_BIN_LARGE ? &sorting->profile->bins[size] : NULL;
    char number[MP_NUMBER_SIZE];
    const char *name = mp_arena_printf(arena, "%s byte%s", mp_number_grouped(size, number), mp_plural(size));

    for (uint32_t i = 0; bin && i < bin->n_types && i <= MOST_NAMES; i++)
        name = mp_arena_printf(arena, "%s%s%s", name, i == 0 ? ": " : ", ",
                               i < MOST_NAMES ? sorting->profile->types[bin->first_type + i] : "...");
    return name;
}

/* Returns 1 if a block of SIZE bytes is one object of the inferred type, 2 if it is an array of such objects, 0 if it
 * is neither or if that is in doubt. */
static int
fits(const struct mp_inferred *inferred, uint64_t size)
{
    if (inferred->size == size || inferred->size == 0)
        return 1;
    if (inferred->trailing > 0 && size >= inferred->trailing)
        return 1;
    return size > inferred->size && size % inferred->size == 0 && !inferred->derived ? 2 : 0;
}

/* The inferred type of a class of blocks. */
struct block {
    const struct mp_inferred *inferred; /* NULL if unknown */
    uint32_t place;             /* number that identifies a call of the allocator together with an inferred type */
};

static struct block
block_of(struct sorting *sorting, const struct mp_heap_class *class)
{
    const struct mp_profile *profile = sorting->profile;
    struct block block = {.inferred = class->site < sorting->n_sites ? sorting->inferred[class->site] : NULL};
    uint64_t key[2];

    if (!block.inferred)
        return block;
    key[0] = profile->contexts[sorting->contexts[class->site]].frame;
    key[1] = (uintptr_t)block.inferred;
    block.place = mp_map_add(&sorting->places, key, sizeof key);
    return block;
}

/* Marks the places that allocate a block whose size does not fit the inferred type. Such a place does not allocate
 * arrays, but blocks that begin with one object of the type. So its blocks are not called arrays even if their size is
 * a multiple of the type's. */
static void
find_odd(struct sorting *sorting)
{
    const struct mp_heap *heap = sorting->heap;

    sorting->odd = mp_arena_alloc(sorting->names.arena, ((size_t)heap->n_classes + 1) * sizeof *sorting->odd);
    for (uint32_t i = 0; i < heap->n_classes; i++) {
        const struct block block = block_of(sorting, &heap->classes[i]);

        if (block.inferred && fits(block.inferred, heap->classes[i].size) == 0)
            sorting->odd[block.place] = true;
    }
}

/* Returns the inferred type of CLASS, or else a type named by the block size. */
static uint32_t
type_of(struct sorting *sorting, const struct mp_heap_class *class)
{
    const struct block block = block_of(sorting, class);
    const struct mp_inferred *inferred = block.inferred;
    const uint64_t size = class->size;
    const int what = inferred ? fits(inferred, size) : 0;

    if (what == 1)
        return type_called(sorting, inferred->name, inferred->words, inferred->n_words);
    if (what == 2 && !sorting->odd[block.place])
        return type_called(sorting, mp_arena_printf(sorting->names.arena, "%s[]", inferred->name), NULL, 0);
    return type_called(sorting, name_of(sorting, size), NULL, 0);
}

/* Assigns a type to each C block of HEAP. PROFILE is the recording. CONTEXTS has, for each of the N sites of HEAP, its
 * context in PROFILE, or MP_NO_ID if it is unknown.
 *
 * The type is "node" or "node[]" if the allocating expression makes such objects (symbols/infer.h) and the size of the
 * block fits. It fits if it is the size of the type or a multiple, or larger if the type ends in an array of
 * unspecified length.
 *
 * Otherwise the type is the size, followed by structures of this size, as "24 bytes: node, edge". PROFILE names the
 * structures that are mentioned in functions that allocate such blocks (symbols/types.h), for sizes up to 1,024
 * bytes. */
static void
heap_blocks_type(struct mp_heap *heap, const struct mp_profile *profile, const uint32_t *contexts, uint32_t n)
{
    struct mp_arena *arena = mp_arena_new();
    struct sorting sorting = {.heap = heap, .profile = profile, .names.arena = arena, .room = heap->n_types,
                              .contexts = contexts, .n_sites = n,
                              .inferred = mp_infer_types(profile, contexts, n, arena),
                              .places.arena = arena};

    find_odd(&sorting);
    for (uint32_t i = 0; i < heap->n_classes; i++) {
        struct mp_heap_class *class = &heap->classes[i];

        if (heap->types[class->type].shape == MP_SHAPE_BLOCK)
            class->type = type_of(&sorting, class);
    }
    mp_arena_free(arena);
}

/* ------------------------------------------------------------------ sites */

/* The state of naming sites and roots. */
struct naming {
    struct mp_heap *heap;
    struct mp_profile *profile;
    struct mp_view_frames frames;
    struct mp_arena *arena;
    struct mp_map by_call;      /* ids of new sites, without `first`; a key is struct call_key */
    struct mp_map texts;        /* names of functions and files; each is stored once in the heap's arena */
    const bool *starts;         /* by context, see startup.h */
    const bool *wrappers;       /* by function, see skip.h */
    uint32_t *site_of;          /* by context: its site, or 0 if unknown, or MP_NO_ID if not computed yet */
    uint32_t first, room;       /* `first` is the number of the first new site */
    struct mp_heap_site *sites; /* the new sites */
    uint32_t n;
};

struct call_key {
    uint32_t caller, line, function, file, internal;
};

/* Returns the copy of TEXT in the heap's arena. Sets *ID to its number. */
static const char *
kept_text(struct naming *naming, const char *text, uint32_t *id)
{
    *id = mp_map_add(&naming->texts, text, strlen(text));
    return mp_map_key(&naming->texts, *id);
}

/* Returns the number of SITE, and adds it if it is new. Copies its texts. */
static uint32_t
add_site(struct naming *naming, struct mp_heap_site site)
{
    struct call_key key = {.caller = site.caller, .line = site.line, .internal = site.internal};
    uint32_t id;

    site.function = kept_text(naming, site.function, &key.function);
    site.file = kept_text(naming, site.file, &key.file);
    id = mp_map_add(&naming->by_call, &key, sizeof key);
    if (id == naming->n) {
        naming->sites = mp_arena_grow(naming->heap->arena, naming->sites, naming->n, &naming->room,
                                      sizeof *naming->sites);
        naming->sites[naming->n++] = site;
    }
    return naming->first + id;
}

static uint32_t
add_call(struct naming *naming, uint32_t caller, const struct mp_location *location, bool internal)
{
    const struct mp_function *function = &naming->frames.to->functions[location->function];
    const char *file = *location->file ? location->file : function->file ? function->file : "";

    return add_site(naming, (struct mp_heap_site){.caller = caller, .line = location->line, .file = file,
                                                  .function = function->text, .internal = internal});
}

/* Returns whether FUNCTION is a wrapper. A function that exists only in the view has a name of the language, and is not
 * a wrapper. */
static bool
is_wrapper(const struct naming *naming, uint32_t function)
{
    return function < naming->profile->n_functions && naming->wrappers[function];
}

/* Returns the site of CONTEXT, whose caller has the site CALLER. Adds a site for each inlined function and one for
 * the function that contains them. */
static uint32_t
add_context(struct naming *naming, uint32_t context, uint32_t caller)
{
    uint32_t number = naming->frames.frame_to[naming->profile->contexts[context].frame];
    const struct mp_frame *frame;
    bool internal;

    if (number == MP_NO_ID)
        return caller;
    if (naming->starts[context] && naming->frames.shown == MP_FRAMES_LISP)
        return add_site(naming, (struct mp_heap_site){.function = "[runtime]", .file = "", .internal = true});
    frame = &naming->frames.to->frames[number];
    internal = naming->starts[context] || !mp_charge_is_users(naming->frames.to, frame);
    for (uint32_t i = mp_frame_locations(frame); i-- > 0;) {
        const struct mp_location *location = &naming->frames.to->locations[frame->first_location + i];

        caller = add_call(naming, caller, location, internal || is_wrapper(naming, location->function));
    }
    return caller;
}

/* Returns the site of CONTEXT, or 0 if it has none. Adds the sites of its callers first, without recursion. */
static uint32_t
site_of(struct naming *naming, uint32_t context)
{
    const struct mp_context *contexts = naming->profile->contexts;
    uint32_t *chain = NULL, n = 0, room = 0, site;

    for (; context != 0 && naming->site_of[context] == MP_NO_ID; context = contexts[context].parent) {
        chain = mp_arena_grow(naming->arena, chain, n, &room, sizeof *chain);
        chain[n++] = context;
    }
    site = context == 0 ? 0 : naming->site_of[context];
    while (n-- > 0)
        naming->site_of[chain[n]] = site = add_context(naming, chain[n], site);
    return site;
}

/* Names the sites. Objects keep their site numbers, because each site of the snapshot becomes a copy of the site of its
 * context's innermost call. The new sites of the callers are appended. */
static void
name_sites(struct naming *naming, const uint32_t *contexts)
{
    struct mp_heap *heap = naming->heap;
    uint32_t *innermost = mp_arena_alloc(naming->arena, heap->n_sites * sizeof *innermost);
    struct mp_heap_site *all;

    naming->site_of = mp_arena_alloc(naming->arena, naming->profile->n_contexts * sizeof *naming->site_of);
    memset(naming->site_of, 0xff, naming->profile->n_contexts * sizeof *naming->site_of);
    naming->first = heap->n_sites;
    for (uint32_t i = 1; i < heap->n_sites; i++)
        innermost[i] = contexts[i] == MP_NO_ID ? 0 : site_of(naming, contexts[i]);
    all = mp_arena_alloc(heap->arena, ((size_t)heap->n_sites + naming->n) * sizeof *all);
    memcpy(all, heap->sites, heap->n_sites * sizeof *all);
    if (naming->n > 0)
        memcpy(all + heap->n_sites, naming->sites, naming->n * sizeof *all);
    for (uint32_t i = 1; i < heap->n_sites; i++)
        if (innermost[i] > 0) {
            uint64_t context = all[i].context;

            all[i] = all[innermost[i]];
            all[i].context = context;
        }
    heap->sites = all;
    heap->n_sites += naming->n;
}

/* ----------------------------------------------------------------- places */

/* Returns the loaded module that contains PLACE, or MP_NO_ID. */
static uint32_t
module_of(const struct mp_profile *profile, uint64_t place)
{
    for (uint32_t i = 0; i < profile->n_modules; i++) {
        const struct mp_module *module = &profile->modules[i];

        if (!module->unloaded && place >= module->start && place < module->end)
            return i;
    }
    return MP_NO_ID;
}

struct place {
    struct mp_variable variable;
    struct mp_heap_root *root;
};

static int
compare_places(const void *a, const void *b)
{
    const struct mp_variable *x = &((const struct place *)a)->variable, *y = &((const struct place *)b)->variable;

    return x->module != y->module ? mp_order(x->module, y->module) : mp_order(x->offset, y->offset);
}

/* Returns the roots without a title whose place is in a module, sorted by module and offset. Sets *N to their
 * number. */
static struct place *
find_places(struct naming *naming, uint32_t *n)
{
    struct mp_heap *heap = naming->heap;
    struct place *places = mp_arena_alloc(naming->arena, (heap->n_roots + (size_t)1) * sizeof *places);

    for (uint32_t i = *n = 0; i < heap->n_roots; i++) {
        struct mp_heap_root *root = &heap->roots[i];
        const uint32_t module = root->place > 0 && !*root->title ? module_of(naming->profile, root->place) : MP_NO_ID;

        if (module != MP_NO_ID)
            places[(*n)++] = (struct place){{module, root->place - naming->profile->modules[module].bias, NULL}, root};
    }
    if (*n > 0)
        qsort(places, *n, sizeof *places, compare_places);
    return places;
}

/* Names roots in the program and its libraries by the variable that contains them, so that all words of a variable
 * share one name. Roots in no variable are named by file and offset. Returns whether any root was named. */
static bool
name_places(struct naming *naming)
{
    struct mp_arena *arena = naming->heap->arena;
    uint32_t n;
    struct place *places = find_places(naming, &n);
    struct mp_variable *variables = mp_arena_alloc(naming->arena, (n + (size_t)1) * sizeof *variables);

    for (uint32_t i = 0; i < n; i++)
        variables[i] = places[i].variable;
    mp_variables_name(naming->profile, variables, n, arena);
    for (uint32_t i = 0; i < n; i++) {
        const struct mp_variable *at = &variables[i];
        const struct mp_module *module = &naming->profile->modules[at->module];
        struct mp_heap_root *root = places[i].root;

        root->title = at->name ? at->name : mp_arena_printf(arena, "%s+0x%llx", module->name,
                                                            (unsigned long long)at->offset);
        if (!*root->group)
            root->group = mp_arena_strdup(arena, module->name);
    }
    return n > 0;
}

/* -------------------------------------------------------------- recording */

/* Returns the path of the recording: the one stored in the snapshot if it is readable, else the same name in the
 * snapshot's directory. */
static const char *
recording_of(struct mp_heap *heap, struct mp_arena *arena)
{
    const char *recorded = heap->texts[MP_FACT_DATA_FILE], *slash = strrchr(heap->input.name, '/');

    if (!*recorded || access(recorded, R_OK) == 0)
        return recorded;
    return slash ? mp_arena_printf(arena, "%.*s/%s", (int)(slash - heap->input.name), heap->input.name,
                                   mp_text_basename(recorded))
                 : mp_text_basename(recorded);
}

static bool
name_by(struct naming *naming, uint32_t *contexts)
{
    struct mp_profile *profile = naming->profile, *view = mp_profile_new();
    struct mp_error ignored;
    bool ok = mp_load_names(profile, &ignored);

    for (uint32_t i = 0; ok && profile->restored_to && i < naming->heap->n_sites; i++)
        if (contexts[i] != MP_NO_ID)
            contexts[i] = profile->restored_to[contexts[i]];
    if (ok) {
        mp_profile_share(view, profile);
        naming->frames = (struct mp_view_frames){.from = profile, .to = view, .arena = naming->arena,
            .shown = *profile->meta.language ? MP_FRAMES_LISP : MP_FRAMES_ALL};
        naming->starts = mp_startup_contexts(profile, naming->arena);
        naming->wrappers = mp_skip_wrappers(profile, naming->arena);
        mp_view_frames_make(&naming->frames, true);
        name_sites(naming, contexts);
        if (strcmp(naming->heap->texts[MP_FACT_LANGUAGE], "C") == 0)
            heap_blocks_type(naming->heap, profile, contexts, naming->first);
        if (name_places(naming))
            mp_heap_remake_tops(naming->heap);
    }
    mp_profile_free(view);
    return ok;
}

bool
mp_heap_name(struct mp_heap *heap, const char *recording)
{
    struct mp_arena *arena = mp_arena_new();
    struct naming naming = {.heap = heap, .arena = arena, .by_call = {.arena = arena}, .texts = {.arena = heap->arena}};
    uint64_t *ids = mp_arena_alloc(arena, heap->n_sites * sizeof *ids);
    uint32_t *contexts = mp_arena_alloc(arena, heap->n_sites * sizeof *contexts);
    struct mp_error ignored;
    bool ok = heap->form == MP_HEAP_RAW;

    for (uint32_t i = 0; i < heap->n_sites; i++)
        ids[i] = heap->sites[i].context;
    if (ok) {
        recording = recording ? recording : recording_of(heap, arena);
        naming.profile = *recording ? mp_read_contexts(recording, ids, contexts, heap->n_sites, &ignored) : NULL;
        ok = naming.profile && mp_heap_facts_are_of(heap->facts, &naming.profile->meta) && name_by(&naming, contexts);
        mp_profile_free(naming.profile);
    }
    mp_arena_free(arena);
    return ok;
}

/* ----------------------------------------------------------------- charge */

/* Returns the first site with the same function, file and line, so that different chains share one site. */
static uint32_t
same_site(struct mp_map *words, uint32_t *first, const struct mp_heap *heap, uint32_t site)
{
    const struct mp_heap_site *at = &heap->sites[site];
    char *key;
    size_t size;
    uint32_t n = words->count, id;

    if (site == 0 || !*at->function)
        return site;
    key = mp_arena_printf(words->arena, "%u %s%c%s", at->line, at->file, 0, at->function);
    size = strlen(key) + 1 + strlen(at->function);
    id = mp_map_add(words, key, size);
    if (id == n)
        first[id] = site;
    return first[id];
}

/* Returns SITE or the nearest of its callers that is not internal, or 0 if all are internal. KNOWN caches the results
 * by site, and contains MP_NO_ID for sites whose result is not computed yet. */
static uint32_t
charged(const struct mp_heap *heap, uint32_t site, uint32_t *known)
{
    uint32_t at = site, result;

    while (at != 0 && heap->sites[at].internal && known[at] == MP_NO_ID)
        at = heap->sites[at].caller;
    result = at != 0 && heap->sites[at].internal ? known[at] : at;
    for (uint32_t on_way = site; on_way != at; on_way = heap->sites[on_way].caller)
        known[on_way] = result;
    return result;
}

void
mp_heap_charge(struct mp_heap *heap)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_map words = {.arena = arena};
    uint32_t *first = mp_arena_alloc(arena, heap->n_sites * sizeof *first);
    uint32_t *known = mp_arena_alloc(arena, heap->n_sites * sizeof *known);

    memset(known, 0xff, heap->n_sites * sizeof *known);
    for (uint32_t i = 0; i < heap->n_classes; i++) {
        uint32_t site = heap->classes[i].site, at = charged(heap, site, known);

        heap->classes[i].site = same_site(&words, first, heap, at != 0 ? at : site);
    }
    mp_arena_free(arena);
}
