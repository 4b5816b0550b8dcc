#include "collected.h"

#include <stdlib.h>
#include <string.h>

#define FOLDERS_MAX 6           /* maximum number of path components tried */

uint32_t
mp_symbols_function(struct mp_symboliser *symboliser, uint32_t module, const char *key,
                    struct mp_symbol_function **function)
{
    uint32_t known = symboliser->keys.count, id;
    size_t length = strlen(key);
    char *whole = mp_need(malloc(length + sizeof module));

    memcpy(whole, &module, sizeof module);
    memcpy(whole + sizeof module, key, length);
    id = symboliser->closed ? mp_map_find(&symboliser->keys, whole, length + sizeof module)
                            : mp_map_add(&symboliser->keys, whole, length + sizeof module);
    free(whole);
    if (id == MP_NO_ID)
        return id;
    if (id == known) {
        symboliser->functions = mp_arena_grow(symboliser->scratch, symboliser->functions, known,
                                              &symboliser->functions_room,
                                              sizeof *symboliser->functions);
        symboliser->functions[id] = (struct mp_symbol_function){ .file = "", .module = module };
    }
    *function = &symboliser->functions[id];
    return id;
}

/* Fills in FUNCTION, which another copy of the same function may have filled in before. */
static void
describe(struct mp_symboliser *symboliser, const struct mp_known_function *known,
         struct mp_symbol_function *function)
{
    struct mp_texts *names = &symboliser->names;

    if (function->name == NULL) {
        function->name = mp_texts_add(names, known->name);
        function->full = known->full == NULL ? function->name : mp_texts_add(names, known->full);
        function->file = mp_texts_add(names, known->file);
        function->declared = known->declared;
    }
    if (known->alias != NULL)
        function->name = function->full = mp_texts_add(names, known->alias);
    if (known->start != 0 && (function->start == 0 || known->start < function->start))
        function->start = known->start;
}

uint32_t
mp_symbols_known(struct mp_symboliser *symboliser, uint32_t module, struct mp_known_function *known)
{
    struct mp_symbol_function *function;

    if (known->id != MP_NO_ID)
        return known->id;
    known->id = mp_symbols_function(symboliser, module, known->key, &function);
    if (known->id != MP_NO_ID)
        describe(symboliser, known, function);
    return known->id;
}

void
mp_symbols_locate(struct mp_symboliser *symboliser, struct mp_location location)
{
    symboliser->locations = mp_arena_grow(symboliser->scratch, symboliser->locations,
                                          symboliser->n_locations, &symboliser->locations_room,
                                          sizeof *symboliser->locations);
    symboliser->locations[symboliser->n_locations++] = location;
    symboliser->functions[location.function].wanted |= location.inlined || !symboliser->named;
}

/* ---------------------------------------------------------------------- unique names */

struct group {
    struct mp_symbol_function *functions;
    const uint32_t *ids;
    uint32_t count;             /* at least 2 functions with the same name */
};

static int
compare_names(const void *left, const void *right, void *data)
{
    const struct mp_symbol_function *functions = data;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    int order = strcmp(functions[a].unique, functions[b].unique);

    return order != 0 ? order : (a > b) - (a < b);
}

/* Adds something to the names of GROUP. Returns whether a name changed. */
typedef bool add_function(struct mp_symboliser *symboliser, const struct group *group);

/* Calls ADD for every group of functions with the same name. Returns whether a name changed. */
static bool
for_each_group(struct mp_symboliser *symboliser, uint32_t *ids, add_function *add)
{
    struct mp_symbol_function *functions = symboliser->functions;
    uint32_t count = symboliser->keys.count, end;
    bool changed = false;

    qsort_r(ids, count, sizeof *ids, compare_names, functions);
    for (uint32_t i = 0; i < count; i = end) {
        const char *name = functions[ids[i]].unique;

        for (end = i + 1; end < count && strcmp(functions[ids[end]].unique, name) == 0; end++)
            ;
        if (end - i > 1)
            changed |= add(symboliser, &(struct group){ functions, ids + i, end - i });
    }
    return changed;
}

static const char *
module_name(const struct mp_symboliser *symboliser, const struct mp_symbol_function *function)
{
    return function->module == MP_NO_ID ? "" : symboliser->profile->modules[function->module].name;
}

static bool
add_parameters(struct mp_symboliser *symboliser, const struct group *group)
{
    (void)symboliser;
    for (uint32_t i = 0; i < group->count; i++)
        group->functions[group->ids[i]].unique = group->functions[group->ids[i]].full;
    return true;
}

static bool
add_module(struct mp_symboliser *symboliser, const struct group *group)
{
    const char *first = module_name(symboliser, &group->functions[group->ids[0]]);
    bool differ = false;

    for (uint32_t i = 1; i < group->count; i++)
        differ |= strcmp(module_name(symboliser, &group->functions[group->ids[i]]), first) != 0;
    for (uint32_t i = 0; differ && i < group->count; i++) {
        struct mp_symbol_function *function = &group->functions[group->ids[i]];

        if (!function->nameless && function->module != MP_NO_ID)
            function->unique = mp_arena_printf(symboliser->scratch, "%s!%s",
                                               module_name(symboliser, function), function->unique);
    }
    return differ;
}

/* Returns the last COMPONENTS parts of PATH. */
static const char *
path_tail(const char *path, int components)
{
    const char *tail = path + strlen(path);

    while (tail > path && (tail[-1] != '/' || --components > 0))
        tail--;
    return tail;
}

static int
compare_texts(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Returns the number of distinct texts among the last COMPONENTS parts of the group's paths. */
static uint32_t
count_tails(const struct group *group, const char **tails, int components)
{
    uint32_t different = 1;

    for (uint32_t i = 0; i < group->count; i++)
        tails[i] = path_tail(group->functions[group->ids[i]].file, components);
    qsort(tails, group->count, sizeof *tails, compare_texts);
    for (uint32_t i = 1; i < group->count; i++)
        different += strcmp(tails[i], tails[i - 1]) != 0;
    return different;
}

/* Appends the source file, with the number of folders that distinguishes the most functions. */
static bool
add_file(struct mp_symboliser *symboliser, const struct group *group)
{
    const char **tails = mp_arena_alloc(symboliser->scratch, group->count * sizeof *tails);
    uint32_t best = 1;
    int components = 0;

    for (int i = 1; i <= FOLDERS_MAX && best < group->count; i++) {
        uint32_t different = count_tails(group, tails, i);

        if (different > best) {
            best = different;
            components = i;
        }
    }
    for (uint32_t i = 0; components > 0 && i < group->count; i++) {
        struct mp_symbol_function *function = &group->functions[group->ids[i]];

        if (*function->file != '\0')
            function->unique = mp_arena_printf(symboliser->scratch, "%s@%s", function->unique,
                                               path_tail(function->file, components));
    }
    return components > 0;
}

static bool
add_start(struct mp_symboliser *symboliser, const struct group *group)
{
    for (uint32_t i = 0; i < group->count; i++) {
        struct mp_symbol_function *function = &group->functions[group->ids[i]];

        if (function->start != 0 && !function->nameless)
            function->unique = mp_arena_printf(symboliser->scratch, "%s@0x%llx", function->unique,
                                               (unsigned long long)function->start);
    }
    return true;
}

static bool
add_number(struct mp_symboliser *symboliser, const struct group *group)
{
    for (uint32_t i = 1; i < group->count; i++) {
        struct mp_symbol_function *function = &group->functions[group->ids[i]];

        function->unique = mp_arena_printf(symboliser->scratch, "%s#%lu", function->unique,
                                           (unsigned long)i + 1);
    }
    return true;
}

void
mp_symbols_unique(struct mp_symboliser *symboliser)
{
    static add_function *const steps[] = { add_parameters, add_module, add_file, add_start };
    uint32_t count = symboliser->keys.count;
    uint32_t *ids = mp_arena_alloc(symboliser->scratch, (count + (size_t)1) * sizeof *ids);

    for (uint32_t i = 0; i < count; i++) {
        ids[i] = i;
        symboliser->functions[i].unique = symboliser->functions[i].name;
    }
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        for_each_group(symboliser, ids, steps[i]);
    while (for_each_group(symboliser, ids, add_number))
        ;
}
