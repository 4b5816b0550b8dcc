/* SPDX-License-Identifier: MIT */
#include "lisp_calls.h"

#include <string.h>

#include "places.h"

/* Functions of the runtime and their marks. Functions of Lisp have the name of their symbol without its package,
 * functions of C their names in C. */
static const struct {
    const char *name;
    uint32_t mark;
} marks[] = {
    {"cl_grab_rest_args", MP_BELOW_REST}, {"cl_parse_key", MP_BELOW_REST},
    {"MAKE-HASH-TABLE", MP_BELOW_TABLE}, {"cl__make_hash_table", MP_BELOW_TABLE},
    {"ecl_extend_hashtable", MP_BELOW_EXTENSION},
    {"FORMAT", MP_BELOW_FORMAT}, {"FORMATTER-AUX", MP_BELOW_FORMATTER}, {"MAKE-FORMAT-DIRECTIVE", MP_BELOW_DIRECTIVE},
    {"MAKE-STRING-OUTPUT-STREAM", MP_BELOW_STREAM}, {"MAKE-STRING-OUTPUT-STREAM-FROM-STRING", MP_BELOW_STREAM},
    {"MAKE-STRING-INPUT-STREAM", MP_BELOW_STREAM},
    {"ERROR", MP_BELOW_CONDITION}, {"CERROR", MP_BELOW_CONDITION}, {"SIGNAL", MP_BELOW_CONDITION},
    {"WARN", MP_BELOW_CONDITION}, {"MAKE-CONDITION", MP_BELOW_CONDITION}, {"FEerror", MP_BELOW_CONDITION},
    {"SIGNAL-SIMPLE-ERROR", MP_BELOW_CONDITION}, {"UNIVERSAL-ERROR-HANDLER", MP_BELOW_CONDITION},
    {"ALLOCATE-RAW-INSTANCE", MP_BELOW_INSTANCE}, {"CLASS-PROTOTYPE", MP_BELOW_PROTOTYPE},
    {"EVAL", MP_BELOW_EVAL}, {"EVAL-WITH-ENV", MP_BELOW_EVAL}, {"COMPILE", MP_BELOW_EVAL},
    {"cl_boot", MP_BELOW_BOOT},
};

/* Libraries, and those of their functions whose allocations are charged to the caller. A pattern that ends with '-'
 * matches all names that begin with it. */
static const struct library {
    const char *packages[4];    /* of the library; their functions are not the library's callers */
    const char *entries[3];
} libraries[MP_LIBRARIES] = {
    [MP_LIBRARY_REGEX] = {{"CL-PPCRE"}, {"CREATE-SCANNER"}},
    [MP_LIBRARY_THREADS] = {{"BORDEAUX-THREADS", "BORDEAUX-THREADS-2", "BT2"},
                              {"PROCESS-RUN-FUNCTION", "PROCESS-ENABLE"}},
    [MP_LIBRARY_FOREIGN] = {{"CFFI", "CFFI-SYS"}, {"%FOREIGN-SYMBOL-POINTER", "FIND-FOREIGN-SYMBOL"}},
    [MP_LIBRARY_TYPES] = {{NULL}, {"TYPEP"}},
    [MP_LIBRARY_PREPARED] = {{NULL}, {"CREATE-", "COMPILE-"}},
};

/* ---------------------------------------------------------------- names */

/* Returns the part of NAME, which may be "(METHOD PKG::F (T))", that begins with a symbol's own name, and sets *LENGTH
 * to its length. */
static const char *
symbol_of(const char *name, size_t *length)
{
    const char *end;

    if (strncmp(name, "(METHOD ", 8) == 0)
        name += 8;
    end = name + strcspn(name, *name == '(' ? ")" : " ");
    for (const char *at = name; at < end && *name != '('; at++)
        if (*at == ':')
            name = at + 1;
    *length = (size_t)(end - name) + (*name == '(');
    return name;
}

const char *
mp_lisp_calls_name(const struct mp_tree *tree, uint32_t node, struct mp_arena *arena)
{
    const struct mp_name *name = mp_tree_name(tree, node);
    size_t length;
    const char *symbol;

    if (!name)
        return mp_function_name(&tree->profile->functions[mp_tree_function(tree, node)]);
    symbol = symbol_of(name->name, &length);
    if (name->builtin)
        return mp_arena_printf(arena, "%.*s", (int)length, symbol);
    if (strncmp(name->name, "(METHOD ", 8) != 0)
        return name->name;
    return mp_arena_printf(arena, "%.*s", (int)(symbol + length - (name->name + 8)), name->name + 8);
}

static bool
is_called(const char *symbol, size_t length, const char *name)
{
    return strlen(name) == length && strncmp(symbol, name, length) == 0;
}

/* Returns the marks of the function of NODE. */
static uint32_t
marks_of(const struct mp_tree *tree, uint32_t node)
{
    const struct mp_function *function = &tree->profile->functions[mp_tree_function(tree, node)];
    const struct mp_frame *frame = &tree->profile->frames[tree->nodes[node].frame];
    const struct mp_name *name = mp_tree_name(tree, node);
    uint32_t found = 0;
    size_t length;
    const char *symbol;

    if (name && name->dispatch)
        return frame->interpreted ? MP_BELOW_DISPATCH : 0;
    if (name ? !name->builtin : !function->plain)
        return 0;
    symbol = symbol_of(name ? name->name : function->plain, &length);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (is_called(symbol, length, marks[i].name))
            found |= marks[i].mark;
    return found;
}

/* Returns whether NODE is a function of the runtime that findings can name as the function that the program called. */
static bool
is_operation(const struct mp_tree *tree, uint32_t node)
{
    static const char *const callers[] = {"APPLY", "FUNCALL", "APPLY-FROM-STACK-FRAME"};
    const struct mp_name *name = mp_tree_name(tree, node);
    size_t length;
    const char *symbol;

    if (!name || name->dispatch || strstr(name->name, "_ecl_"))
        return false;
    symbol = symbol_of(name->name, &length);
    for (size_t i = 0; i < sizeof callers / sizeof *callers; i++)
        if (is_called(symbol, length, callers[i]))
            return false;
    return true;
}

/* ---------------------------------------------------------------- libraries */

/* Returns whether NODE's function belongs to PACKAGE or, if PACKAGE is NULL, to one of LIBRARY's packages. If LIBRARY
 * has no packages either, returns whether the function is nameless. */
static bool
is_of_library(const struct mp_tree *tree, uint32_t node, const struct library *library, const char *package,
              size_t package_length)
{
    const struct mp_name *name = mp_tree_name(tree, node);
    size_t length;
    const char *own = name ? mp_lisp_package(name->name, &length) : NULL;

    if (!library->packages[0] && !package)
        return name && strncmp(name->name, "LAMBDA", 6) == 0;
    if (package)
        return own && length == package_length && strncmp(own, package, length) == 0;
    for (size_t i = 0; own && i < 4 && library->packages[i]; i++)
        if (is_called(own, length, library->packages[i]))
            return true;
    return false;
}

/* Returns whether one colon precedes SYMBOL in NAME, as in "PKG:SYMBOL", so that its package exports it. SYMBOL points
 * into NAME. */
static bool
is_exported(const char *name, const char *symbol)
{
    return symbol >= name + 2 && symbol[-1] == ':' && symbol[-2] != ':';
}

/* Returns whether the function of NODE is an entry of LIBRARY. Entries that are patterns are functions of the program,
 * all others of the runtime or of the library's packages. */
static bool
is_entry(const struct mp_tree *tree, uint32_t node, const struct library *library)
{
    const struct mp_name *name = mp_tree_name(tree, node);
    size_t length;
    const char *symbol;

    if (!name || name->dispatch)
        return false;
    symbol = symbol_of(name->name, &length);
    for (size_t i = 0; i < 3 && library->entries[i]; i++) {
        const char *entry = library->entries[i];
        const size_t n = strlen(entry);

        if (entry[n - 1] == '-' ? !name->builtin && is_exported(name->name, symbol) && length > n &&
                                      strncmp(symbol, entry, n) == 0
                                : is_called(symbol, length, entry) &&
                                      (name->builtin || is_of_library(tree, node, library, NULL, 0)))
            return true;
    }
    return false;
}

/* Returns the innermost function of the program, from NODE outwards, that does not belong to the library of the
 * function ENTRY, or 0. */
static uint32_t
outside(const struct mp_tree *tree, uint32_t entry, const struct library *library)
{
    const struct mp_name *name = mp_tree_name(tree, entry);
    const bool own = library == &libraries[MP_LIBRARY_PREPARED];
    size_t length = 0;
    const char *package = own && name ? mp_lisp_package(name->name, &length) : NULL;

    for (uint32_t at = entry; at != 0; at = tree->nodes[at].parent)
        if (at != entry && mp_places_is_users(tree, at) && !is_of_library(tree, at, library, package, length))
            return at;
    return 0;
}

static void
find_libraries(struct mp_lisp_calls *calls, uint32_t node, bool users)
{
    const struct mp_tree *tree = calls->tree;
    const uint32_t parent = tree->nodes[node].parent;

    for (size_t i = 0; i < MP_LIBRARIES; i++) {
        const struct library *library = &libraries[i];

        calls->beyond[i][node] = calls->beyond[i][parent];
        calls->entry[i][node] = calls->entry[i][parent];
        if (calls->entry[i][node] == 0) {
            if (!is_entry(tree, node, library))
                continue;
            calls->entry[i][node] = node;
            calls->beyond[i][node] = outside(tree, node, library);
        } else if (users && i != MP_LIBRARY_PREPARED && !is_of_library(tree, node, library, NULL, 0)) {
            calls->entry[i][node] = calls->beyond[i][node] = 0;     /* the library called the program */
        }
    }
}

/* ---------------------------------------------------------------- all */

/* Returns, by function, whether it parses control strings: FORMATTER-AUX calls it, and it or its callees make
 * directives. */
static bool *
find_parsers(const struct mp_lisp_calls *calls, const uint32_t *own, struct mp_arena *arena)
{
    const struct mp_tree *tree = calls->tree;
    bool *parsers = mp_arena_alloc(arena, tree->profile->n_functions * sizeof *parsers);

    for (uint32_t node = 1; node < tree->n_nodes; node++) {
        uint32_t at = node;

        if (!(own[node] & MP_BELOW_DIRECTIVE) || !(calls->below[node] & MP_BELOW_FORMATTER))
            continue;
        while (!(own[tree->nodes[at].parent] & MP_BELOW_FORMATTER))
            at = tree->nodes[at].parent;
        parsers[mp_tree_function(tree, at)] = true;
    }
    return parsers;
}

struct mp_lisp_calls *
mp_lisp_calls(const struct mp_tree *tree, struct mp_arena *arena)
{
    const size_t n = tree->n_nodes;
    struct mp_lisp_calls *calls = mp_arena_alloc(arena, sizeof *calls);
    uint32_t *own = mp_arena_alloc(arena, n * sizeof *own);     /* by node: its own marks */
    const bool *parsers;

    calls->tree = tree;
    calls->user = mp_arena_alloc(arena, n * sizeof *calls->user);
    calls->direct = mp_arena_alloc(arena, n * sizeof *calls->direct);
    calls->below = mp_arena_alloc(arena, n * sizeof *calls->below);
    for (size_t i = 0; i < MP_LIBRARIES; i++) {
        calls->beyond[i] = mp_arena_alloc(arena, n * sizeof *calls->beyond[i]);
        calls->entry[i] = mp_arena_alloc(arena, n * sizeof *calls->entry[i]);
    }
    for (uint32_t node = 1; node < n; node++) {
        const uint32_t parent = tree->nodes[node].parent;
        const bool users = !mp_tree_ends(tree, node) && mp_places_is_users(tree, node);

        if (mp_tree_ends(tree, node))
            continue;
        own[node] = marks_of(tree, node);
        find_libraries(calls, node, users);
        if (users) {
            calls->user[node] = node;
            continue;
        }
        calls->below[node] = calls->below[parent] | own[node];
        calls->user[node] = calls->below[node] & MP_BELOW_BOOT ? 0 : calls->user[parent];
        calls->direct[node] = calls->direct[parent] ? calls->direct[parent] : is_operation(tree, node) ? node : 0;
    }
    parsers = find_parsers(calls, own, arena);
    for (uint32_t node = 1; node < n; node++) {
        const uint32_t parent = tree->nodes[node].parent;

        if (!mp_tree_ends(tree, node) && calls->user[node] != node &&
            ((calls->below[parent] & MP_BELOW_PARSING) ||
             (own[parent] & MP_BELOW_FORMATTER && parsers[mp_tree_function(tree, node)])))
            calls->below[node] |= MP_BELOW_PARSING;
    }
    return calls;
}
