#include <stdlib.h>
#include <string.h>

#include "reporter/base/search.h"
#include "reporter/base/text.h"
#include "reporter/profile/cells.h"
#include "sum.h"

/* The state of making the profile. Names are ordered first, then frames, then contexts and what refers to them. */
struct mp_orderer {
    struct mp_merge *merge;
    struct mp_merge_names *names;
    struct mp_profile *to;
    uint32_t *ranks;            /* by string: its position in alphabetical order, from 1 */
    uint32_t *module_to, *function_to, *name_to, *frame_to, *kind_to;       /* by id: its id in the profile */
    uint32_t *label_to;
    uint32_t *context_to;
    struct mp_arena *arena;     /* owns memory needed only while the profile is made */
};

/* Returns the position of STRING, or 0 for MP_NO_ID. */
static inline uint32_t
order_rank(const struct mp_orderer *o, uint32_t string)
{
    return string == MP_NO_ID ? 0 : o->ranks[string];
}

static inline const char *
order_text(const struct mp_orderer *o, uint32_t string)
{
    return mp_merge_text(o->names, string);
}

/* ---------------------------------------------------------------- contexts and cells */

static uint32_t
frame_of(const struct mp_orderer *o, uint32_t frame)
{
    return frame & MP_MERGE_LABEL ? o->to->processes->labels[o->label_to[frame & ~MP_MERGE_LABEL]]
                                  : o->frame_to[frame];
}

/* Returns the contexts, without the root, sorted by frame with a counting sort. */
static uint32_t *
contexts_by_frame(struct mp_orderer *o)
{
    const struct mp_merge_tree *tree = &o->merge->tree;
    uint32_t n = o->to->n_frames;
    uint32_t *first = mp_arena_alloc(o->arena, (n + (size_t)2) * sizeof *first);
    uint32_t *list = mp_arena_alloc(o->arena, tree->n_contexts * sizeof *list);

    for (uint32_t i = 1; i < tree->n_contexts; i++)
        first[frame_of(o, tree->contexts[i].frame) + 1]++;
    for (uint32_t i = 0; i < n; i++)
        first[i + 1] += first[i];
    for (uint32_t i = 1; i < tree->n_contexts; i++)
        list[first[frame_of(o, tree->contexts[i].frame)]++] = i;
    return list;
}

/* Orders the contexts in preorder, with the callees of each caller sorted by frame. */
static void
order_contexts(struct mp_orderer *o)
{
    const struct mp_merge_tree *tree = &o->merge->tree;
    uint32_t n = tree->n_contexts, *list = contexts_by_frame(o), at = 0, next = 0;
    uint32_t *child = mp_arena_alloc(o->arena, n * sizeof *child);      /* first child; 0: none */
    uint32_t *sibling = mp_arena_alloc(o->arena, n * sizeof *sibling);

    for (uint32_t i = n - 1; i-- > 0;) {
        uint32_t parent = tree->contexts[list[i]].parent;

        sibling[list[i]] = child[parent];
        child[parent] = list[i];
    }
    o->context_to = mp_arena_alloc(o->arena, n * sizeof *o->context_to);
    o->to->contexts = mp_arena_alloc(o->to->arena, n * sizeof *o->to->contexts);
    o->to->contexts[0].frame = MP_NO_ID;
    while (next + 1 < n) {
        while (child[at] == 0)
            at = tree->contexts[at].parent;
        o->context_to[child[at]] = ++next;
        o->to->contexts[next] = (struct mp_context){
            .parent = o->context_to[at], .frame = frame_of(o, tree->contexts[child[at]].frame)};
        at = child[at];
        child[tree->contexts[at].parent] = sibling[at];
    }
    o->to->n_contexts = n;
}

/* Sorts the cells in place, because they take most of the memory. */
static void
order_cells(struct mp_orderer *o)
{
    struct mp_merge_tree *tree = &o->merge->tree;

    for (uint32_t i = 0; i < tree->n_cells; i++) {
        struct mp_cell *cell = &tree->cells[i];

        cell->context = o->context_to[cell->context];
        if (mp_is_lisp(cell))
            cell->kind = o->kind_to[cell->kind - MP_KIND_LISP];
    }
    if (tree->n_cells > 0)
        qsort(tree->cells, tree->n_cells, sizeof *tree->cells, mp_cell_compare);
    o->to->cells = tree->cells;
    o->to->n_cells = tree->n_cells;
}

static int
compare_numbers(const void *a, const void *b)
{
    return mp_order(*(const uint32_t *)a, *(const uint32_t *)b);
}

static void
order_forms(struct mp_orderer *o)
{
    const struct mp_map *forms = &o->merge->tree.form_keys;
    uint32_t n = 0;

    o->to->forms = mp_arena_alloc(o->to->arena, forms->count * sizeof *o->to->forms);
    for (uint32_t i = 0; i < forms->count; i++)
        if (o->context_to[forms->numbers[i]] != 0)
            o->to->forms[n++] = o->context_to[forms->numbers[i]];
    o->to->n_forms = n;
    if (n > 0)
        qsort(o->to->forms, n, sizeof *o->to->forms, compare_numbers);
}

static int
compare_bad_frees(const void *a, const void *b)
{
    const struct mp_bad_free *x = a, *y = b;

    return x->kind != y->kind ? mp_order(x->kind, y->kind)
                              : mp_order(x->context, y->context);
}

/* Adds up the places of one kind whose chains differ only in their labels. The first place is kept with the sum. */
static void
join_bad_frees(struct mp_orderer *o, struct mp_bad_frees *frees)
{
    const struct mp_profile *to = o->to;
    uint32_t *key = mp_arena_alloc(o->arena, (to->n_contexts + (size_t)1) * sizeof *key);
    struct mp_map chains = {.arena = o->arena};

    for (uint32_t i = 0; i < frees->n; i++) {
        const struct mp_bad_free place = frees->places[i];
        const uint32_t known = chains.count;
        uint32_t length = 0, id;

        key[length++] = place.kind;
        for (uint32_t at = place.context; at != 0; at = to->contexts[at].parent)
            if (!to->frames[to->contexts[at].frame].label)
                key[length++] = to->contexts[at].frame;
        id = mp_map_add(&chains, key, length * sizeof *key);
        if (id == known)
            frees->places[id] = place;
        else
            frees->places[id].count = mp_plus(frees->places[id].count, place.count);
    }
    frees->n = chains.count;
}

static void
order_bad_frees(struct mp_orderer *o)
{
    const struct mp_merge_tree *tree = &o->merge->tree;
    struct mp_bad_frees *to = mp_arena_alloc(o->to->arena, sizeof *to);
    uint64_t any = o->merge->sentinel;

    *to = (struct mp_bad_frees){.of = o->to, .sentinel = o->merge->sentinel, .n = tree->bad_free_keys.count};
    to->places = mp_arena_alloc(o->to->arena, to->n * sizeof *to->places);
    for (unsigned kind = 0; kind < MP_BAD_FREES; kind++)
        any |= to->counts[kind] = o->merge->bad_frees[kind];
    for (uint32_t i = 0; i < to->n; i++) {
        to->places[i] = tree->bad_frees[i];
        to->places[i].context = o->context_to[tree->bad_frees[i].context];
    }
    if (to->n > 0)
        qsort(to->places, to->n, sizeof *to->places, compare_bad_frees);
    join_bad_frees(o, to);
    o->to->bad_frees = any ? to : NULL;
}

/* ---------------------------------------------------------------- bins */

struct type {
    uint32_t size, rank, string;
};

static int
compare_types(const void *a, const void *b)
{
    const struct type *x = a, *y = b;

    return x->size != y->size ? mp_order(x->size, y->size) : mp_order(x->rank, y->rank);
}

/* Copies the bins and their types, which are sorted by size and name. */
static void
order_bins(struct mp_orderer *o)
{
    const struct mp_map *types = &o->merge->types;
    struct type *list = mp_arena_alloc(o->arena, (types->count + (size_t)1) * sizeof *list);

    for (uint32_t i = 0; i < types->count; i++) {
        uint32_t string = (uint32_t)types->numbers[i];

        list[i] = (struct type){(uint32_t)(types->numbers[i] >> 32), order_rank(o, string), string};
    }
    if (types->count > 0)
        qsort(list, types->count, sizeof *list, compare_types);
    memcpy(o->to->bins, o->merge->bins, sizeof o->to->bins);
    o->to->types = mp_arena_alloc(o->to->arena, types->count * sizeof *o->to->types);
    o->to->n_types = types->count;
    for (uint32_t i = 0; i < types->count; i++) {
        struct mp_bin *bin = &o->to->bins[list[i].size];

        o->to->types[i] = order_text(o, list[i].string);
        if (bin->n_types++ == 0)
            bin->first_type = i;
    }
}

/* ---------------------------------------------------------------- names: sorting */

/* Keys, which are compared word by word. */
struct keys {
    uint32_t **list;
    uint32_t *words;            /* by key: number of words */
};

static int
compare_keys(const void *a, const void *b, void *data)
{
    const struct keys *keys = data;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint32_t words = keys->words[x] < keys->words[y] ? keys->words[x] : keys->words[y];

    for (uint32_t i = 0; i < words; i++)
        if (keys->list[x][i] != keys->list[y][i])
            return keys->list[x][i] < keys->list[y][i] ? -1 : 1;
    return mp_order(keys->words[x], keys->words[y]);
}

static uint32_t *
count_up(struct mp_orderer *o, uint32_t n)
{
    uint32_t *ids = mp_arena_alloc(o->arena, (n + (size_t)1) * sizeof *ids);

    for (uint32_t i = 0; i < n; i++)
        ids[i] = i;
    return ids;
}

/* Returns the inverse of IDS, which contains the N keys in their order: for each key its position. */
static uint32_t *
places_of(struct mp_orderer *o, const uint32_t *ids, uint32_t n)
{
    uint32_t *places = mp_arena_alloc(o->arena, (n + (size_t)1) * sizeof *places);

    for (uint32_t i = 0; i < n; i++)
        places[ids[i]] = i;
    return places;
}

static struct keys
new_keys(struct mp_orderer *o, uint32_t n)
{
    return (struct keys){mp_arena_alloc(o->arena, (n + (size_t)1) * sizeof(uint32_t *)),
                         mp_arena_alloc(o->arena, (n + (size_t)1) * sizeof(uint32_t))};
}

/* Returns a copy of key ID of MAP, which has WORDS words. */
static uint32_t *
copy_key(struct mp_orderer *o, struct keys *keys, const struct mp_map *map, uint32_t id, uint32_t words)
{
    keys->words[id] = words;
    keys->list[id] = mp_arena_alloc(o->arena, words * sizeof(uint32_t));
    memcpy(keys->list[id], mp_merge_key(map, id), words * sizeof(uint32_t));
    return keys->list[id];
}

static int
compare_strings(const void *a, const void *b, void *data)
{
    const struct mp_merge_names *names = data;

    return strcmp(mp_merge_text(names, *(const uint32_t *)a), mp_merge_text(names, *(const uint32_t *)b));
}

static void
rank_strings(struct mp_orderer *o)
{
    uint32_t n = o->names->strings.count, *ids = count_up(o, n);

    qsort_r(ids, n, sizeof *ids, compare_strings, o->names);
    o->ranks = mp_arena_alloc(o->arena, (n + (size_t)1) * sizeof *o->ranks);
    for (uint32_t i = 0; i < n; i++)
        o->ranks[ids[i]] = i + 1;
}

/* Sorts the keys of MAP, which have WORDS words. The words in STRINGS (a set of bits) are strings. Returns the
 * ids in order and sets *PLACES to the position of each key. */
static const uint32_t *
sort_map(struct mp_orderer *o, const struct mp_map *map, uint32_t words, unsigned strings,
         uint32_t **places)
{
    struct keys keys = new_keys(o, map->count);
    uint32_t *ids = count_up(o, map->count);

    for (uint32_t id = 0; id < map->count; id++) {
        uint32_t *key = copy_key(o, &keys, map, id, words);

        for (uint32_t i = 0; i < words; i++)
            if (strings & (1u << i))
                key[i] = order_rank(o, key[i]);
    }
    qsort_r(ids, map->count, sizeof *ids, compare_keys, &keys);
    *places = places_of(o, ids, map->count);
    return ids;
}

/* ---------------------------------------------------------------- modules, names, kinds */

static void
order_modules(struct mp_orderer *o)
{
    const struct mp_map *map = &o->names->module_keys;
    const uint32_t *ids = sort_map(o, map, MP_KEY_MODULE_WORDS,
                                   1u << MP_KEY_MODULE_PATH | 1u << MP_KEY_MODULE_BUILD, &o->module_to);

    o->to->n_modules = map->count;
    o->to->modules = mp_arena_alloc(o->to->arena, map->count * sizeof *o->to->modules);
    for (uint32_t i = 0; i < map->count; i++) {
        const struct mp_merged_module *from = &o->names->modules[ids[i]];
        struct mp_module *module = &o->to->modules[i];

        module->path = order_text(o, mp_merge_key(map, ids[i])[MP_KEY_MODULE_PATH]);
        module->name = mp_text_basename(module->path);
        memcpy(module->build_id, from->build_id, sizeof module->build_id);
        module->build_id_size = from->build_id_size;
        module->unloaded = from->unloaded;
        module->problem = order_text(o, from->problem);
    }
}

static void
order_names(struct mp_orderer *o)
{
    const struct mp_map *map = &o->names->name_keys;
    const uint32_t *ids = sort_map(o, map, MP_KEY_NAME_WORDS,
                                   1u << MP_KEY_NAME_TEXT | 1u << MP_KEY_NAME_FILE, &o->name_to);

    o->to->n_names = map->count;
    o->to->names = mp_arena_alloc(o->to->arena, map->count * sizeof *o->to->names);
    for (uint32_t i = 0; i < map->count; i++) {
        const uint32_t *key = mp_merge_key(map, ids[i]);

        o->to->names[i] = (struct mp_name){
            .name = order_text(o, key[MP_KEY_NAME_TEXT]), .file = order_text(o, key[MP_KEY_NAME_FILE]),
            .position = (int64_t)((uint64_t)key[MP_KEY_NAME_HIGH] << 32 | key[MP_KEY_NAME_LOW]),
            .dispatch = key[MP_KEY_NAME_FLAGS] & 1, .builtin = key[MP_KEY_NAME_FLAGS] / 2};
    }
}

/* Returns the number of the base of kind ID, which is among the N kinds of IDS. */
static uint32_t
base_of(const struct mp_orderer *o, const uint32_t *ids, uint32_t n, uint32_t id)
{
    const struct mp_map *map = &o->names->kind_keys;
    const uint32_t *key = mp_merge_key(map, id);

    for (uint32_t i = 0; i < n; i++) {
        const uint32_t *base = mp_merge_key(map, ids[i]);

        if (base[MP_KEY_KIND_IS_BASE] && base[MP_KEY_KIND_NAME] == key[MP_KEY_KIND_BASE])
            return o->kind_to[ids[i]];
    }
    return o->kind_to[id];
}

static int
compare_kinds(const void *a, const void *b)
{
    const struct mp_object_kind *x = a, *y = b;

    return mp_order(x->kind, y->kind);
}

/* Returns the first number from NUMBER on that no kind has, or MP_KIND_END if there is none. */
static uint32_t
free_number(const bool taken[], uint32_t number)
{
    while (number < MP_KIND_END && taken[number])
        number++;
    return number;
}

/* Numbers the kinds. Built-in kinds keep their numbers, or get the next free ones if other kinds have them. Classes
 * get the next free numbers from MP_KIND_CLASS on. Returns false and fills *ERROR if there are too many kinds. */
static bool
order_kinds(struct mp_orderer *o, struct mp_error *error)
{
    const struct mp_map *map = &o->names->kind_keys;
    const unsigned strings = 1u << MP_KEY_KIND_NAME | 1u << MP_KEY_KIND_BASE;
    bool *taken = mp_arena_alloc(o->arena, MP_KIND_END + (size_t)1);
    struct mp_object_kind *kinds = mp_arena_alloc(o->to->arena, map->count * sizeof *kinds);
    uint32_t *places;
    const uint32_t *ids = sort_map(o, map, MP_KEY_KIND_WORDS, strings, &places);

    o->kind_to = mp_arena_alloc(o->arena, (map->count + (size_t)1) * sizeof *o->kind_to);
    for (int classes = 0; classes <= 1; classes++)
        for (uint32_t i = 0; i < map->count; i++) {
            uint32_t id = ids[i], least = o->names->kind_numbers[id], number;

            if ((least >= MP_KIND_CLASS) != classes)
                continue;
            number = free_number(taken, classes ? MP_KIND_CLASS : least);
            if (number == MP_KIND_END)
                return mp_fail(error, MP_ERR_MEMORY, MP_NO_OFFSET, "there are too many types of objects");
            taken[number] = true;
            o->kind_to[id] = number;
        }
    for (uint32_t i = 0; i < map->count; i++) {
        const uint32_t *key = mp_merge_key(map, i);

        kinds[i] = (struct mp_object_kind){
            .kind = o->kind_to[i], .base = base_of(o, ids, map->count, i),
            .name = order_text(o, key[MP_KEY_KIND_NAME]), .category = (char)key[MP_KEY_KIND_CATEGORY]};
    }
    qsort(kinds, map->count, sizeof *kinds, compare_kinds);
    o->to->kinds = kinds;
    o->to->n_kinds = map->count;
    return true;
}

/* ---------------------------------------------------------------- functions */

static void
order_functions(struct mp_orderer *o)
{
    const struct mp_map *map = &o->names->function_keys;
    const uint32_t n_labels = o->merge->label_keys.count;
    const uint32_t *ids = sort_map(o, map, MP_KEY_FUNCTION_WORDS, (1u << MP_KEY_FUNCTION_STRINGS) - 1,
                                   &o->function_to);

    o->to->n_functions = map->count;
    o->to->functions =
        mp_arena_alloc(o->to->arena, (map->count + (size_t)n_labels) * sizeof *o->to->functions);
    for (uint32_t i = 0; i < map->count; i++) {
        const uint32_t *key = mp_merge_key(map, ids[i]);
        const struct mp_merged_function *from = &o->names->functions[ids[i]];

        o->to->functions[i] = (struct mp_function){
            .plain = order_text(o, key[MP_KEY_FUNCTION_PLAIN]),
            .parameters = order_text(o, key[MP_KEY_FUNCTION_PARAMETERS]),
            .runtime_name = order_text(o, key[MP_KEY_FUNCTION_RUNTIME_NAME]),
            .file = order_text(o, key[MP_KEY_FUNCTION_FILE]), .unit = order_text(o, key[MP_KEY_FUNCTION_UNIT]),
            .module = from->module == MP_NO_ID ? MP_NO_ID : o->module_to[from->module], .start = from->start,
            .line = from->line, .kind = from->kind, .language = from->language, .clone = from->clone};
    }
}

/* ---------------------------------------------------------------- frames and labels */

/* Returns copies of the frames' keys with ids of the profile. Sets *N_LOCATIONS to the total number of
 * locations. */
static struct keys
frame_keys(struct mp_orderer *o, uint64_t *n_locations)
{
    const struct mp_map *map = &o->names->frame_keys;
    struct keys keys = new_keys(o, map->count);

    *n_locations = 0;
    for (uint32_t id = 0; id < map->count; id++) {
        uint32_t n = mp_merge_key(map, id)[MP_KEY_FRAME_N];
        uint32_t *key = copy_key(o, &keys, map, id, MP_KEY_FRAME_WORDS + n * MP_KEY_AT_WORDS);
        uint32_t *at = key + MP_KEY_FRAME_WORDS;

        if (key[MP_KEY_FRAME_NAME] != MP_NO_ID)
            key[MP_KEY_FRAME_NAME] = o->name_to[key[MP_KEY_FRAME_NAME]];
        key[MP_KEY_FRAME_BUILD] = order_rank(o, key[MP_KEY_FRAME_BUILD]);
        for (uint32_t i = 0; i < n; i++, at += MP_KEY_AT_WORDS) {
            at[MP_KEY_AT_FUNCTION] = o->function_to[at[MP_KEY_AT_FUNCTION]];
            at[MP_KEY_AT_FILE] = order_rank(o, at[MP_KEY_AT_FILE]);
        }
        *n_locations += n;
    }
    return keys;
}

/* Appends merged frame ID to the profile. SORTED is its key from frame_keys(). */
static void
put_frame(struct mp_orderer *o, uint32_t id, const uint32_t *sorted)
{
    struct mp_profile *to = o->to;
    const uint32_t *key = mp_merge_key(&o->names->frame_keys, id), n = key[MP_KEY_FRAME_N];
    const uint32_t *at = key + MP_KEY_FRAME_WORDS, flags = key[MP_KEY_FRAME_FLAGS];
    struct mp_frame *frame = &to->frames[to->n_frames++];
    uint32_t module = o->names->frame_modules[id];

    *frame = (struct mp_frame){
        .module = module == MP_NO_ID ? MP_NO_ID : o->module_to[module],
        .mark = flags / MP_KEY_FRAME_MARK, .exact = flags & MP_KEY_FRAME_EXACT,
        .runtime = flags & MP_KEY_FRAME_RUNTIME, .interpreted = flags & MP_KEY_FRAME_INTERPRETED,
        .unproved = flags & MP_KEY_FRAME_UNPROVED, .tail = flags & MP_KEY_FRAME_TAIL,
        .offset = (uint64_t)key[MP_KEY_FRAME_HIGH] << 32 | key[MP_KEY_FRAME_LOW],
        .name = sorted[MP_KEY_FRAME_NAME], .first_location = to->n_locations, .n_locations = n};
    for (uint32_t i = 0; i < n; i++, at += MP_KEY_AT_WORDS)
        to->locations[to->n_locations++] = (struct mp_location){
            .function = o->function_to[at[MP_KEY_AT_FUNCTION]], .line = at[MP_KEY_AT_LINE],
            .file = order_text(o, at[MP_KEY_AT_FILE]), .inlined = at[MP_KEY_AT_INLINED]};
    if (n > 0 && key[MP_KEY_FRAME_BUILD] == MP_NO_ID && !frame->mark && !frame->interpreted)
        frame->offset += to->functions[to->locations[to->n_locations - 1].function].start;
}

static void
order_frames(struct mp_orderer *o)
{
    uint32_t n = o->names->frame_keys.count, n_labels = o->merge->label_keys.count;
    uint64_t n_locations;
    struct keys keys = frame_keys(o, &n_locations);
    uint32_t *ids = count_up(o, n);

    if (n_locations + n_labels >= MP_NO_ID || (uint64_t)n + n_labels >= MP_MERGE_LABEL)
        mp_no_memory();
    qsort_r(ids, n, sizeof *ids, compare_keys, &keys);
    o->frame_to = places_of(o, ids, n);
    o->to->frames = mp_arena_alloc(o->to->arena, (n + (size_t)n_labels) * sizeof *o->to->frames);
    o->to->locations =
        mp_arena_alloc(o->to->arena, (size_t)(n_locations + n_labels) * sizeof *o->to->locations);
    for (uint32_t i = 0; i < n; i++)
        put_frame(o, ids[i], keys.list[ids[i]]);
}

/* Adds a frame for each label, after the others, with a function named like the label. */
static void
add_labels(struct mp_orderer *o, struct mp_processes *processes)
{
    const bool hosts = mp_processes_hosts(processes) > 1;
    struct mp_profile *to = o->to;

    processes->labels = mp_arena_alloc(to->arena, processes->n_labels * sizeof *processes->labels);
    for (uint32_t i = 0; i < processes->n_labels; i++) {
        to->functions[to->n_functions] = (struct mp_function){
            .plain = mp_label_text(processes, i, hosts, to->arena), .module = MP_NO_ID};
        to->locations[to->n_locations] =
            (struct mp_location){.function = to->n_functions++, .file = ""};
        processes->labels[i] = to->n_frames;
        to->frames[to->n_frames++] = (struct mp_frame){
            .module = MP_NO_ID, .name = MP_NO_ID, .interpreted = true, .exact = true, .label = true,
            .first_location = to->n_locations++, .n_locations = 1};
    }
}

static int
compare_members(const void *a, const void *b)
{
    return mp_member_compare(a, b);
}

/* Orders the processes. Labels get the order of their first processes. */
static void
order_processes(struct mp_orderer *o)
{
    const struct mp_merge *merge = o->merge;
    struct mp_processes *processes = mp_arena_alloc(o->to->arena, sizeof *processes);

    processes->n = merge->n_members;
    processes->list = mp_arena_alloc(o->to->arena, merge->n_members * sizeof *processes->list);
    memcpy(processes->list, merge->members, merge->n_members * sizeof *processes->list);
    qsort(processes->list, processes->n, sizeof *processes->list, compare_members);
    processes->level = merge->level;
    processes->left_out = merge->left_out;
    o->label_to = mp_arena_alloc(o->arena, (merge->label_keys.count + (size_t)1) * sizeof *o->label_to);
    memset(o->label_to, 0xff, merge->label_keys.count * sizeof *o->label_to);
    for (uint32_t i = 0; i < processes->n; i++) {
        struct mp_member *member = &processes->list[i];

        if (member->label == MP_NO_ID)
            continue;
        if (o->label_to[member->label] == MP_NO_ID)
            o->label_to[member->label] = processes->n_labels++;
        member->label = o->label_to[member->label];
    }
    o->to->meta = mp_processes_meta(processes->list, processes->n, o->to->arena);
    add_labels(o, processes);
    o->to->processes = processes;
}

/* ---------------------------------------------------------------- the whole */

struct mp_profile *
mp_merge_order(struct mp_merge *merge, struct mp_error *error)
{
    struct mp_orderer o = {.merge = merge, .names = &merge->names, .to = mp_profile_new(),
                        .arena = mp_arena_new()};
    bool ok;

    rank_strings(&o);
    order_modules(&o);
    order_names(&o);
    ok = order_kinds(&o, error);
    if (ok) {
        order_functions(&o);
        order_frames(&o);
        order_processes(&o);
        mp_identity_texts(o.to);
        order_contexts(&o);
        order_cells(&o);
        order_forms(&o);
        order_bad_frees(&o);
        order_bins(&o);
        o.to->symbolised = true;
    }
    mp_arena_free(o.arena);
    if (ok)
        return o.to;
    mp_profile_free(o.to);
    return NULL;
}
