/* SPDX-License-Identifier: MIT */
#include "identity.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"
#include "reporter/base/name_parts.h"
#include "reporter/base/text.h"

#define FOLDERS_MAX 6           /* maximum number of path components tried */

/* ---------------------------------------------------------------- texts */

/* Functions with the same text. */
struct group {
    const struct mp_profile *profile;
    const char **texts;         /* by function */
    const uint32_t *ids;
    uint32_t count;             /* at least 2 */
    struct mp_arena *arena;
};

const char *
mp_identity_in_module(const char *module, const char *text, struct mp_arena *arena)
{
    return mp_arena_printf(arena, "%s!%s", module, text);
}

static const struct mp_function *
member(const struct group *group, uint32_t i)
{
    return &group->profile->functions[group->ids[i]];
}

static int
compare_texts(const void *left, const void *right, void *data)
{
    const char *const *texts = data;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    int order = strcmp(texts[a], texts[b]);

    return order != 0 ? order : (a > b) - (a < b);
}

/* Adds something to the texts of GROUP. Returns whether a text changed. */
typedef bool add_function(const struct group *group);

/* Calls ADD for every group of functions with the same text. Returns whether a text changed. */
static bool
for_each_group(const struct group *all, uint32_t *ids, add_function *add)
{
    bool changed = false;

    if (all->count > 0)
        qsort_r(ids, all->count, sizeof *ids, compare_texts, all->texts);
    for (uint32_t i = 0, end; i < all->count; i = end) {
        struct group group = *all;

        for (end = i + 1; end < all->count && strcmp(all->texts[ids[end]], all->texts[ids[i]]) == 0; end++)
            ;
        group.ids = ids + i;
        group.count = end - i;
        changed |= group.count > 1 && add(&group);
    }
    return changed;
}

static bool
add_parameters(const struct group *group)
{
    const char *first = member(group, 0)->parameters;
    bool differ = false;

    for (uint32_t i = 1; i < group->count; i++) {
        const char *own = member(group, i)->parameters;

        differ |= own && first ? strcmp(own, first) != 0 : own != first;
    }
    for (uint32_t i = 0; differ && i < group->count; i++) {
        const struct mp_function *function = member(group, i);
        const char **text = &group->texts[group->ids[i]], *name = *text;
        size_t length = strlen(name) - function->clone;

        if (function->parameters)
            *text = mp_arena_printf(group->arena, "%.*s%s%s", (int)length, name, function->parameters, name + length);
    }
    return differ;
}

static const char *
module_name(const struct mp_profile *profile, const struct mp_function *function)
{
    return function->module < profile->n_modules ? profile->modules[function->module].name : "";
}

static bool
add_module(const struct group *group)
{
    const char *first = module_name(group->profile, member(group, 0));
    bool differ = false;

    for (uint32_t i = 1; i < group->count; i++)
        differ |= strcmp(module_name(group->profile, member(group, i)), first) != 0;
    for (uint32_t i = 0; differ && i < group->count; i++)
        if (member(group, i)->kind != MP_FUNCTION_PLACE && member(group, i)->module != MP_NO_ID)
            group->texts[group->ids[i]] = mp_identity_in_module(module_name(group->profile, member(group, i)),
                                                                group->texts[group->ids[i]], group->arena);
    return differ;
}

static const char *
file_of(const struct mp_function *function)
{
    return function->file ? function->file : function->unit ? function->unit : "";
}

static int
compare_tails(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Returns the number of distinct texts among the last COMPONENTS parts of the group's paths. */
static uint32_t
count_tails(const struct group *group, const char **tails, int components)
{
    uint32_t different = 1;

    for (uint32_t i = 0; i < group->count; i++)
        tails[i] = mp_text_tail(file_of(member(group, i)), (unsigned)components);
    qsort(tails, group->count, sizeof *tails, compare_tails);
    for (uint32_t i = 1; i < group->count; i++)
        different += strcmp(tails[i], tails[i - 1]) != 0;
    return different;
}

/* Appends the source file, with the number of folders that distinguishes the most functions. */
static bool
add_file(const struct group *group)
{
    const char **tails = mp_arena_alloc(group->arena, group->count * sizeof *tails);
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
        const char *file = file_of(member(group, i));

        if (*file != '\0')
            group->texts[group->ids[i]] = mp_arena_printf(group->arena, "%s@%s", group->texts[group->ids[i]],
                                                          mp_text_tail(file, (unsigned)components));
    }
    return components > 0;
}

static bool
add_start(const struct group *group)
{
    for (uint32_t i = 0; i < group->count; i++)
        if (member(group, i)->start != 0 && member(group, i)->kind != MP_FUNCTION_PLACE)
            group->texts[group->ids[i]] = mp_arena_printf(group->arena, "%s@0x%" PRIx64, group->texts[group->ids[i]],
                                                          member(group, i)->start);
    return true;
}

static bool
add_number(const struct group *group)
{
    for (uint32_t i = 1; i < group->count; i++)
        group->texts[group->ids[i]] =
            mp_arena_printf(group->arena, "%s#%" PRIu32, group->texts[group->ids[i]], i + 1);
    return true;
}

/* Returns the text of a function without additions. */
static const char *
text_alone(const struct mp_profile *profile, const struct mp_function *function, struct mp_arena *arena)
{
    const char *module = module_name(profile, function);

    if (function->kind != MP_FUNCTION_PLACE)
        return function->plain;
    return mp_arena_printf(arena, "%s%s0x%" PRIx64, function->module == MP_NO_ID ? "" : *module ? module : "?",
                           function->module == MP_NO_ID ? "" : "+", function->start);
}

void
mp_identity_texts(struct mp_profile *profile)
{
    static add_function *const steps[] = {add_parameters, add_module, add_file, add_start};
    const uint32_t n = profile->n_functions;
    struct mp_arena *arena = mp_arena_new();
    const char **texts = mp_arena_alloc(arena, (n + (size_t)1) * sizeof *texts);
    uint32_t *ids = mp_arena_alloc(arena, (n + (size_t)1) * sizeof *ids);
    const struct group all = {.profile = profile, .texts = texts, .ids = ids, .count = n, .arena = arena};

    for (uint32_t i = 0; i < n; i++) {
        ids[i] = i;
        texts[i] = text_alone(profile, &profile->functions[i], arena);
    }
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        for_each_group(&all, ids, steps[i]);
    while (for_each_group(&all, ids, add_number))
        ;
    for (uint32_t i = 0; i < n; i++) {
        struct mp_function *function = &profile->functions[i];

        function->text = texts[i] == function->plain ? texts[i] : mp_arena_strdup(profile->arena, texts[i]);
    }
    mp_arena_free(arena);
}

bool
mp_function_is_nameless(const struct mp_profile *profile, const struct mp_function *function)
{
    return function->kind == MP_FUNCTION_PLACE && function->module < profile->n_modules;
}

bool
mp_function_is_called(const struct mp_function *function, const char *name)
{
    static const char method[] = "(METHOD ";
    const size_t begin = strlen(method), n = strlen(name);
    const char *text = function->text;

    return strcmp(text, name) == 0 || (function->plain && strcmp(function->plain, name) == 0) ||
           (strncmp(text, method, begin) == 0 && strncmp(text + begin, name, n) == 0 && text[begin + n] == ' ');
}

const char *
mp_function_bare_name(const struct mp_function *function, struct mp_arena *arena)
{
    const char *name = mp_function_name(function);

    return mp_name_bare((struct mp_text_part){name, strlen(name) - (name == function->plain ? function->clone : 0)},
                        arena);
}

/* ---------------------------------------------------------------- names of Lisp */

static bool
begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Returns what follows the character at NAME, or the part of a symbol that is between bars there. */
static const char *
behind(const char *name)
{
    const bool bars = *name == '|';

    do
        name += *name == '\\' && name[1] ? 2 : 1;
    while (bars && *name && *name != '|');
    return name + (bars && *name);
}

/* Returns the first place of WORD in NAME that is not in a symbol between bars, or NULL. */
static const char *
find_word(const char *name, const char *word)
{
    while (*name && !begins(name, word))
        name = behind(name);
    return *name ? name : NULL;
}

const char *
mp_lisp_outermost(const char *name)
{
    static const char in[] = " in ";

    for (const char *outer; (outer = find_word(name, in)) != NULL;)
        name = outer + strlen(in);
    return name;
}

bool
mp_lisp_is_ambiguous(const char *name)
{
    return find_word(name, " or ") != NULL;
}

const char *
mp_lisp_package(const char *name, size_t *length)
{
    static const char setf[] = "(SETF ", method[] = "(METHOD ";
    const char *end;

    name = mp_lisp_outermost(name);
    name += begins(name, method) ? strlen(method) : 0;
    name += begins(name, setf) ? strlen(setf) : 0;
    for (end = name; *end && !strchr(": (", *end);)
        end = behind(end);
    *length = (size_t)(end - name);
    return *end == ':' && end > name ? name : NULL;
}

bool
mp_lisp_is_nameless(const char *name)
{
    return strcmp(name, "LAMBDA") == 0 || begins(name, "(LAMBDA (") ||
           (begins(name, "LAMBDA #") && !find_word(name, " in ")) || strcmp(name, "top-level form") == 0 ||
           strcmp(name, "top-level forms") == 0;
}

const char *
mp_lisp_text(const char *name, const char *place, struct mp_arena *arena)
{
    return mp_arena_printf(arena, mp_lisp_is_nameless(name) ? "%s of %s" : "%s (%s)", name, place);
}

bool
mp_lisp_text_is(const char *text, const char *name, const char *file)
{
    const size_t length = name ? strlen(name) : 0;

    if (name && !file)
        return begins(text, name) && (text[length] == '\0' || begins(text + length, " ("));
    for (const char *at = text; (at = strstr(at, " (")) != NULL; at++)
        if (begins(at + 2, file))
            return true;
    return false;
}

/* ---------------------------------------------------------------- parts of names */

/* Returns whether the text from FROM to TO is a word that gcc or clang appends to the names of clones, or a number.
 * Sets *NUMBER to whether it is a number. */
static bool
is_clone_word(const char *from, const char *to, bool *number)
{
    static const char *const words[] = {"cold", "constprop", "isra", "llvm", "localalias", "lto_priv", "part", "sra"};
    size_t length = (size_t)(to - from);

    *number = length > 0 && strspn(from, "0123456789") >= length;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && memcmp(words[i], from, length) == 0)
            return true;
    return *number;
}

size_t
mp_identity_clone(const char *name)
{
    static const char demangled[] = " [clone ";
    const char *clone = strstr(name, demangled);
    size_t length = strlen(name), end = clone ? (size_t)(clone - name) : length, best = end;
    bool number;

    while (end > 1) {
        size_t dot = end - 1;

        while (dot > 0 && name[dot] != '.')
            dot--;
        if (dot == 0 || !is_clone_word(name + dot + 1, name + end, &number))
            break;
        end = dot;
        if (!number)            /* a number alone may be part of the function's own name */
            best = end;
    }
    return length - best;
}

char *
mp_identity_parameters(const char *full, const char *name, size_t clone)
{
    size_t length = strlen(name) - clone, whole = full ? strlen(full) : 0;

    if (whole <= length + clone || strncmp(full, name, length) != 0 || full[length] != '(')
        return NULL;
    return mp_need(strndup(full + length, whole - length - clone));
}

/* ---------------------------------------------------------------- older files */

void
mp_identity_of_text(struct mp_profile *profile, struct mp_function *function)
{
    const char *module = module_name(profile, function), *text = function->text, *name = function->runtime_name;
    size_t length = strlen(module), own = name ? strlen(name) - mp_identity_clone(name) : 0, end;
    int depth = 0;

    function->plain = text;
    if (!name && *module && strncmp(text, module, length) == 0 && strncmp(text + length, "+0x", 3) == 0) {
        function->kind = MP_FUNCTION_PLACE;
        function->start = strtoull(text + length + 1, NULL, 16);
    } else if (!name && function->module == MP_NO_ID && strncmp(text, "0x", 2) == 0) {
        function->kind = MP_FUNCTION_PLACE;
        function->start = strtoull(text, NULL, 16);
    }
    if (function->kind == MP_FUNCTION_PLACE)
        function->plain = NULL;
    if (!name)
        return;
    if (length > 0 && strncmp(text, module, length) == 0 && text[length] == '!')
        text += length + 1;
    if (strncmp(text, name, own) != 0)
        return;
    function->plain = name;
    function->runtime_name = NULL;
    function->clone = (uint16_t)(strlen(name) - own);
    function->kind = function->clone > 0 ? MP_FUNCTION_CLONE : MP_FUNCTION_ORDINARY;
    for (end = own; text[end] && (depth > 0 || !strchr("@#", text[end])); end++)
        depth += (text[end] == '(') - (text[end] == ')');
    end -= end >= own + function->clone ? function->clone : 0;
    if (text[own] == '(' && end > own)
        function->parameters = mp_arena_printf(profile->arena, "%.*s", (int)(end - own), text + own);
}
