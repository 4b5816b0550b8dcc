#include "join_functions.h"

#include <string.h>

#include "reporter/base/text.h"
#include "stem.h"

void
mp_noted_begin(struct mp_noted *noted, struct mp_profile *to, struct mp_arena *arena)
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

uint32_t
mp_note_module(struct mp_noted *noted, const struct mp_profile *profile, uint32_t module)
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
    char *text = mp_arena_alloc(arena, 2 * sizeof module->build_id + 1);

    for (uint32_t i = 0; i < module->build_id_size && i < sizeof module->build_id; i++) {
        text[2 * i] = "0123456789abcdef"[module->build_id[i] >> 4];
        text[2 * i + 1] = "0123456789abcdef"[module->build_id[i] & 15];
    }
    return text;
}

/* ---------------------------------------------------------------- functions */

/* Returns the parameters in the name of FUNCTION, for example "(int, char) const" of "prog!f(int, char) const@a.c",
 * whose `plain` is "f". Returns "" if the name has no parameters. */
static const char *
parameters_of(const struct mp_function *function, struct mp_arena *arena)
{
    const char *at = function->plain ? strstr(function->name, function->plain) : NULL, *end;
    unsigned depth = 0;

    if (!at || at[strlen(function->plain)] != '(')
        return "";
    at += strlen(function->plain);
    for (end = at; *end; end++) {
        depth += *end == '(';
        depth -= *end == ')';
        if (depth == 0)
            break;
    }
    end += *end == ')';
    while (*end && *end != '@' && *end != '#')
        end++;
    return mp_arena_printf(arena, "%.*s", (int)(end - at), at);
}

/* Describes function ID for matching. It is a function of the profile, or a Lisp name of the view. */
static struct mp_match_function
describe(struct mp_noted *noted, const struct mp_profile *profile, const struct mp_profile *view, uint32_t id)
{
    const bool own = id < profile->n_functions;
    const struct mp_function *function = own ? &profile->functions[id] : &view->functions[id];
    uint32_t module = mp_note_module(noted, profile, function->module);
    struct mp_match_function result = {
        .name = function->plain ? function->plain : function->name, .parameters = "",
        .file = function->file ? function->file : "", .module = "", .build = ""};

    if (own)
        result.parameters = parameters_of(function, noted->arena);
    if (module == MP_NO_ID)
        return result;
    result.module = mp_map_key(&noted->modules, module);
    result.build = build_of(&profile->modules[function->module], noted->arena);
    if (own && mp_function_is_nameless(profile, function))
        result.name = mp_arena_printf(noted->arena, "%s%s", result.module, strrchr(function->name, '+'));
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

uint32_t
mp_note_function(struct mp_noted *noted, const struct mp_profile *profile, const struct mp_profile *view,
                 uint32_t function, const struct mp_frame *frame, unsigned sides)
{
    const struct mp_name *name = mp_frame_name(view, frame);
    const struct mp_noted_frame what = {
        .mark = frame->mark, .thread = mp_frame_is_thread(frame),
        .interpreted = frame->interpreted && !frame->exact,
        .language = name && function >= profile->n_functions, .builtin = name && name->builtin,
        .module = mp_note_module(noted, profile, view->functions[function].module)};
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
        .name = to->functions[id].name, .file = "", .position = -1, .builtin = builtin};
}

static void
make_room(struct mp_profile *to, uint32_t n)
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

    to->functions[id].name = shown_name(to, to->functions[id].name, what->module);
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

void
mp_noted_end(struct mp_noted *noted)
{
    uint32_t n;
    const char **names = mp_match(noted->list, noted->n, &n, noted->to->arena);

    make_room(noted->to, n);
    for (uint32_t i = 0; i < n; i++) {
        noted->to->functions[i].name = names[i];
        noted->to->frames[i].name = MP_NO_ID;
    }
    for (uint32_t i = 0; i < noted->n; i++)
        fill(noted, i);
}
