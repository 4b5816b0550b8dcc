#include "sum.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/text.h"

struct translator {
    struct mp_merge_names *names;
    const struct mp_profile *profile;
    uint32_t *module_to, *function_to, *name_to;
    uint32_t *builds;           /* by module: the string from build_of() */
    struct mp_arena *scratch;
};

void
mp_merge_names_init(struct mp_merge_names *names, struct mp_arena *arena)
{
    *names = (struct mp_merge_names){
        .arena = arena, .strings.arena = arena, .module_keys.arena = arena,
        .function_keys.arena = arena, .name_keys.arena = arena, .kind_keys.arena = arena,
        .frame_keys.arena = arena};
}

uint32_t
mp_merge_string(struct mp_merge_names *names, const char *text)
{
    return text ? mp_map_add(&names->strings, text, strlen(text)) : MP_NO_ID;
}

const char *
mp_merge_text(const struct mp_merge_names *names, uint32_t string)
{
    return string == MP_NO_ID ? NULL : mp_map_key(&names->strings, string);
}

const uint32_t *
mp_merge_key(const struct mp_map *map, uint32_t id)
{
    return (const uint32_t *)(const void *)mp_map_key(map, id);
}

/* Returns the id of KEY, adding it if it is new. Sets *IS_NEW. */
static uint32_t
add_key(struct mp_map *map, const uint32_t key[], size_t words, bool *is_new)
{
    uint32_t known = map->count, id = mp_map_add(map, key, words * sizeof *key);

    *is_new = id == known;
    return id;
}

/* ---------------------------------------------------------------- modules */

/* Returns a string that identifies the build of MODULE. */
static uint32_t
build_of(struct mp_merge_names *names, const struct mp_module *module)
{
    char hex[2 * sizeof module->build_id + 1] = "";

    mp_text_put_hex(hex, hex + sizeof hex, module->build_id, module->build_id_size);
    return mp_merge_string(names, hex[0] ? hex : module->path);
}

static uint32_t
translate_module(struct translator *t, const struct mp_module *module)
{
    struct mp_merge_names *names = t->names;
    const uint32_t key[MP_KEY_MODULE_WORDS] = {[MP_KEY_MODULE_PATH] = mp_merge_string(names, module->path),
                                        [MP_KEY_MODULE_BUILD] = t->builds[module - t->profile->modules]};
    struct mp_merged_module *merged;
    bool is_new;
    uint32_t id = add_key(&names->module_keys, key, MP_KEY_MODULE_WORDS, &is_new);

    if (is_new) {
        names->modules = mp_arena_grow(names->arena, names->modules, id, &names->modules_room,
                                       sizeof *names->modules);
        names->modules[id] = (struct mp_merged_module){
            .build_id_size = module->build_id_size, .problem = mp_merge_string(names, "")};
        memcpy(names->modules[id].build_id, module->build_id, sizeof module->build_id);
    }
    merged = &names->modules[id];
    merged->unloaded |= module->unloaded;
    if (strcmp(module->problem ? module->problem : "", mp_merge_text(names, merged->problem)) > 0)
        merged->problem = mp_merge_string(names, module->problem);
    return id;
}

/* Returns the module of A and B that comes first by path and build. MP_NO_ID comes last. */
static uint32_t
first_module(const struct mp_merge_names *names, uint32_t a, uint32_t b)
{
    const uint32_t *x, *y;
    int order;

    if (a == MP_NO_ID || b == MP_NO_ID || a == b)
        return a == MP_NO_ID ? b : a;
    x = mp_merge_key(&names->module_keys, a);
    y = mp_merge_key(&names->module_keys, b);
    order = strcmp(mp_merge_text(names, x[MP_KEY_MODULE_PATH]), mp_merge_text(names, y[MP_KEY_MODULE_PATH]));
    if (order == 0)
        order = strcmp(mp_merge_text(names, x[MP_KEY_MODULE_BUILD]), mp_merge_text(names, y[MP_KEY_MODULE_BUILD]));
    return order <= 0 ? a : b;
}

/* ---------------------------------------------------------------- functions */

static uint32_t
translate_function(struct translator *t, const struct mp_function *function)
{
    struct mp_merge_names *names = t->names;
    uint32_t module = function->module < t->profile->n_modules ? function->module : MP_NO_ID, id;
    const char *module_name = module == MP_NO_ID ? "" : t->profile->modules[module].name;
    bool place = function->kind == MP_FUNCTION_PLACE, is_new;
    const uint32_t key[MP_KEY_FUNCTION_WORDS] = {
        [MP_KEY_FUNCTION_MODULE] = mp_merge_string(names, module_name),
        [MP_KEY_FUNCTION_PLAIN] = mp_merge_string(names, function->plain),
        [MP_KEY_FUNCTION_PARAMETERS] = mp_merge_string(names, function->parameters),
        [MP_KEY_FUNCTION_RUNTIME_NAME] = mp_merge_string(names, function->runtime_name),
        [MP_KEY_FUNCTION_FILE] = mp_merge_string(names, function->file),
        [MP_KEY_FUNCTION_UNIT] = mp_merge_string(names, function->unit),
        [MP_KEY_FUNCTION_BUILD] = place && module != MP_NO_ID ? t->builds[module] : MP_NO_ID,
        [MP_KEY_FUNCTION_HIGH] = place ? (uint32_t)(function->start >> 32) : 0,
        [MP_KEY_FUNCTION_LOW] = place ? (uint32_t)function->start : 0};
    struct mp_merged_function *merged;

    id = add_key(&names->function_keys, key, MP_KEY_FUNCTION_WORDS, &is_new);
    if (is_new) {
        names->functions = mp_arena_grow(names->arena, names->functions, id, &names->functions_room,
                                         sizeof *names->functions);
        names->functions[id] = (struct mp_merged_function){
            .module = MP_NO_ID, .line = function->line, .kind = function->kind, .language = function->language,
            .clone = function->clone};
    }
    merged = &names->functions[id];
    if (function->line < merged->line)
        merged->line = function->line;
    if (module != MP_NO_ID)
        merged->module = first_module(names, merged->module, t->module_to[module]);
    if (function->start != 0 && (merged->start == 0 || function->start < merged->start))
        merged->start = function->start;
    return id;
}

static uint32_t
function_of(struct translator *t, uint32_t function)
{
    if (t->function_to[function] == MP_NO_ID)
        t->function_to[function] = translate_function(t, &t->profile->functions[function]);
    return t->function_to[function];
}

/* ---------------------------------------------------------------- frames */

static uint32_t
flags_of(const struct mp_frame *frame)
{
    return (frame->exact ? MP_KEY_FRAME_EXACT : 0) | (frame->runtime ? MP_KEY_FRAME_RUNTIME : 0) |
           (frame->interpreted ? MP_KEY_FRAME_INTERPRETED : 0) |
           (frame->unproved ? MP_KEY_FRAME_UNPROVED : 0) | (frame->tail ? MP_KEY_FRAME_TAIL : 0) |
           MP_KEY_FRAME_MARK * frame->mark;
}

/* Puts the offset of FRAME, which has N locations, into its key. The offset is relative to the start of the outermost
 * function. If the start is unknown, it is the offset in the module, and the build of the module is put into the key.
 * */
static void
put_place(struct translator *t, const struct mp_frame *frame, uint32_t n, uint32_t key[])
{
    const struct mp_profile *profile = t->profile;
    const struct mp_location *at = &profile->locations[frame->first_location + n - 1];
    uint64_t start = n > 0 ? profile->functions[at->function].start : 0, place = frame->offset - start;

    key[MP_KEY_FRAME_BUILD] = MP_NO_ID;
    if (frame->mark != 0 || frame->interpreted)
        place = 0;              /* `offset` is no address */
    else if (start == 0 && frame->module < profile->n_modules)
        key[MP_KEY_FRAME_BUILD] = t->builds[frame->module];
    key[MP_KEY_FRAME_HIGH] = (uint32_t)(place >> 32);
    key[MP_KEY_FRAME_LOW] = (uint32_t)place;
}

static uint32_t
translate_frame(struct translator *t, const struct mp_frame *frame)
{
    struct mp_merge_names *names = t->names;
    uint32_t n = mp_frame_locations(frame), id;
    uint32_t key[MP_KEY_FRAME_WORDS + 256 * MP_KEY_AT_WORDS], *at = key + MP_KEY_FRAME_WORDS;
    bool is_new;

    key[MP_KEY_FRAME_FLAGS] = flags_of(frame);
    key[MP_KEY_FRAME_N] = n;
    key[MP_KEY_FRAME_NAME] = frame->name < t->profile->n_names ? t->name_to[frame->name] : MP_NO_ID;
    put_place(t, frame, n, key);
    for (uint32_t i = 0; i < n; i++, at += MP_KEY_AT_WORDS) {
        const struct mp_location *location = &t->profile->locations[frame->first_location + i];

        at[MP_KEY_AT_FUNCTION] = function_of(t, location->function);
        at[MP_KEY_AT_LINE] = location->line;
        at[MP_KEY_AT_FILE] = mp_merge_string(names, location->file);
        at[MP_KEY_AT_INLINED] = location->inlined;
    }
    id = add_key(&names->frame_keys, key, MP_KEY_FRAME_WORDS + n * (size_t)MP_KEY_AT_WORDS, &is_new);
    if (is_new) {
        names->frame_modules = mp_arena_grow(names->arena, names->frame_modules, id,
                                             &names->frames_room, sizeof *names->frame_modules);
        names->frame_modules[id] = MP_NO_ID;
    }
    if (frame->module < t->profile->n_modules)
        names->frame_modules[id] =
            first_module(names, names->frame_modules[id], t->module_to[frame->module]);
    return id;
}

/* ---------------------------------------------------------------- names and kinds of a language */

static uint32_t
translate_name(struct translator *t, const struct mp_name *name)
{
    const uint64_t position = (uint64_t)name->position;
    const uint32_t key[MP_KEY_NAME_WORDS] = {
        [MP_KEY_NAME_TEXT] = mp_merge_string(t->names, name->name),
        [MP_KEY_NAME_FILE] = mp_merge_string(t->names, name->file),
        [MP_KEY_NAME_HIGH] = (uint32_t)(position >> 32), [MP_KEY_NAME_LOW] = (uint32_t)position,
        [MP_KEY_NAME_FLAGS] = 2u * name->builtin + name->dispatch};
    bool is_new;

    return add_key(&t->names->name_keys, key, MP_KEY_NAME_WORDS, &is_new);
}

static uint32_t
translate_kind(struct translator *t, const struct mp_object_kind *kind)
{
    struct mp_merge_names *names = t->names;
    const struct mp_object_kind *base = mp_profile_kind(t->profile, kind->base);
    const uint32_t key[MP_KEY_KIND_WORDS] = {
        [MP_KEY_KIND_NAME] = mp_merge_string(names, kind->name), [MP_KEY_KIND_CATEGORY] = (uint32_t)kind->category,
        [MP_KEY_KIND_BASE] = mp_merge_string(names, base->name), [MP_KEY_KIND_IS_BASE] = base == kind};
    bool is_new;
    uint32_t id = add_key(&names->kind_keys, key, MP_KEY_KIND_WORDS, &is_new);

    if (is_new) {
        names->kind_numbers = mp_arena_grow(names->arena, names->kind_numbers, id, &names->kinds_room,
                                            sizeof *names->kind_numbers);
        names->kind_numbers[id] = kind->kind;
    }
    if (kind->kind < names->kind_numbers[id])
        names->kind_numbers[id] = kind->kind;
    return id;
}

/* ---------------------------------------------------------------- all of it */

/* Returns a list of N ids that are MP_NO_ID. */
static uint32_t *
list(struct translator *t, uint32_t n)
{
    uint32_t *ids = mp_arena_alloc(t->scratch, (n + (size_t)1) * sizeof *ids);

    memset(ids, 0xff, n * sizeof *ids);
    return ids;
}

struct mp_merge_translation
mp_merge_translate(struct mp_merge_names *names, const struct mp_profile *profile,
                   struct mp_arena *scratch)
{
    struct translator t = {.names = names, .profile = profile, .scratch = scratch};
    struct mp_merge_translation to;

    t.module_to = list(&t, profile->n_modules);
    t.builds = list(&t, profile->n_modules);
    t.function_to = list(&t, profile->n_functions);
    t.name_to = list(&t, profile->n_names);
    to.frame_to = list(&t, profile->n_frames);
    to.kind_to = list(&t, profile->n_kinds);
    for (uint32_t i = 0; i < profile->n_modules; i++)
        t.builds[i] = build_of(names, &profile->modules[i]);
    for (uint32_t i = 0; i < profile->n_modules; i++)
        t.module_to[i] = translate_module(&t, &profile->modules[i]);
    for (uint32_t i = 0; i < profile->n_names; i++)
        t.name_to[i] = translate_name(&t, &profile->names[i]);
    for (uint32_t i = 0; i < profile->n_kinds; i++)
        to.kind_to[i] = translate_kind(&t, &profile->kinds[i]);
    for (uint32_t i = 0; i < profile->n_frames; i++)
        if (!profile->frames[i].label)
            to.frame_to[i] = translate_frame(&t, &profile->frames[i]);
    return to;
}
