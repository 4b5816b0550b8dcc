/* SPDX-License-Identifier: MIT */
#include "suggest.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/base/format_number.h"
#include "reporter/base/map.h"
#include "reporter/base/search.h"
#include "reporter/graph/sites.h"

#define MOST_FRAMES 20u         /* maximum frames of a suppression; valgrind accepts 40 */

static bool
is_kept(const struct mp_site *site, const void *data)
{
    (void)data;
    return site->counts.kept_blocks > 0 || site->counts.kept > 0;
}

static int
compare(const void *a, const void *b)
{
    const struct mp_site *left = a, *right = b;

    if (left->counts.kept != right->counts.kept)
        return mp_order(right->counts.kept, left->counts.kept);
    return strcmp(left->chain, right->chain);
}

/* ---------------------------------------------------------------- valgrind's */

/* Returns the number of letters, digits and underscores at the beginning of TEXT. */
static size_t
word_length(const char *text)
{
    size_t n = 0;

    while (isalnum((unsigned char)text[n]) || text[n] == '_')
        n++;
    return n;
}

/* Writes the last identifier of a C++ name before its arguments to OUT and returns it: "at" for "std::map<A, B>::at".
 * The mangled name contains the same identifier. Mangled names of operators and lambda expressions contain only the
 * identifier of the class or function around them, which is then used. OUT is "" if there is no identifier. */
static const char *
identifier(const char *name, char out[static 64])
{
    static const char unnamed[] = "(anonymous namespace)", operator[] = "operator", lambda[] = "lambda@";
    const char *begin = name;
    size_t length = 0;
    int depth = 0;

    for (const char *c = name; *c;) {
        const size_t word = word_length(c);

        if ((word == strlen(operator) && memcmp(c, operator, word) == 0) || strncmp(c, lambda, strlen(lambda)) == 0)
            break;
        if (word > 0 && depth == 0 && !isdigit((unsigned char)*c)) {
            begin = c;
            length = word;
        }
        if (strncmp(c, unnamed, strlen(unnamed)) == 0) {
            c += strlen(unnamed);
            continue;
        }
        if (depth == 0 && (*c == '{' || (*c == '(' && c > name)))
            break;
        depth += (*c == '<') - (*c == '>');
        c += word > 0 ? word : 1;
    }
    length = length < 63 ? length : 63;
    memcpy(out, begin, length);
    out[length] = '\0';
    return out;
}

/* Returns true if NAME is demangled, so that a reader of mangled names would not find it. */
static bool
is_demangled(const char *name)
{
    return strpbrk(name, "(<:~ ") != NULL;
}

static void
print_frame(const struct mp_tree *tree, uint32_t node, FILE *out)
{
    const struct mp_profile *view = tree->profile;
    const struct mp_function *function = &view->functions[mp_tree_function(tree, node)];
    const char *name = mp_function_name(function);
    char part[64];

    if (mp_function_is_nameless(view, function))
        fprintf(out, "   obj:%s\n", view->modules[function->module].path);
    else if (!is_demangled(name))
        fprintf(out, "   fun:%s\n", name);
    else if (identifier(name, part)[0])
        fprintf(out, "   fun:_Z*%s*\n", part);
    else
        fputs("   fun:*\n", out);
}

/* Returns true if the function of NODE is operator new. Valgrind's chains begin with it or with malloc; mprof's
 * chains never contain malloc. */
static bool
is_new(const struct mp_tree *tree, uint32_t node)
{
    const char *name = tree->profile->functions[mp_tree_function(tree, node)].plain;

    return name && strncmp(name, "operator new", 12) == 0;
}

static void
print_valgrinds(const struct mp_tree *tree, const struct mp_site *site, size_t number, FILE *out)
{
    char text[2][MP_NUMBER_SIZE];
    uint32_t node = site->node, n = 0;

    fprintf(out, "{\n   kept-%zu: %s bytes in %s block%s\n   Memcheck:Leak\n   match-leak-kinds: all\n",
            number, mp_number_grouped(site->counts.kept, text[0]),
            mp_number_grouped(site->counts.kept_blocks, text[1]),
            mp_plural(site->counts.kept_blocks));
    fputs(node != 0 && !mp_tree_ends(tree, node) && is_new(tree, node) ? "   fun:_Zn*\n"
                                                                       : "   fun:*alloc*\n", out);
    if (node != 0 && !mp_tree_ends(tree, node) && is_new(tree, node))
        node = tree->nodes[node].parent;
    for (; !mp_tree_ends(tree, node) && n < MOST_FRAMES; n++) {
        print_frame(tree, node, out);
        node = tree->nodes[node].parent;
    }
    if (node != 0 && n < MOST_FRAMES)
        fputs("   ...\n", out);
    fputs("}\n", out);
}

/* ---------------------------------------------------------------- LeakSanitizer's */

/* Prints a suppression for the site's function, unless one was printed already. The view has removed wrapper
 * functions. Returns true if one was printed. */
static bool
print_lsans(const struct mp_tree *tree, const struct mp_site *site, struct mp_map *printed, FILE *out)
{
    const struct mp_function *function;
    const char *name;
    uint32_t n = printed->count;

    if (mp_tree_ends(tree, site->node))
        return false;
    function = &tree->profile->functions[mp_tree_function(tree, site->node)];
    name = mp_function_name(function);
    if (mp_map_add(printed, name, strlen(name)) < n)
        return false;
    fprintf(out, "leak:^%s$\n", name);
    return true;
}

/* ---------------------------------------------------------------- all of them */

size_t
mp_suggest(const struct mp_profile *profile, enum mp_suggest how, FILE *out, struct mp_error *error)
{
    const struct mp_view_options wanted = {
        .frames = MP_FRAMES_ALL, .skip = {.wrappers = how == MP_SUGGEST_LSAN, .by_name_only = true}};
    const struct mp_tree_options whole = {.one_cut = true};
    struct mp_tree *tree = mp_tree_new(profile, &wanted, &whole, error);
    struct mp_sites sites = {.tree = tree};
    struct mp_arena *arena = mp_arena_new();
    struct mp_map printed = {.arena = arena};
    size_t n = 0, count = 0;

    if (tree) {
        mp_sites_collect(&sites);
        n = mp_sites_choose(&sites, is_kept, NULL, arena);
    }
    if (n > 0)
        qsort(sites.list, n, sizeof *sites.list, compare);
    for (size_t i = 0; i < n; i++) {
        if (how == MP_SUGGEST_LSAN)
            count += print_lsans(tree, &sites.list[i], &printed, out);
        else
            print_valgrinds(tree, &sites.list[i], ++count, out);
    }
    mp_sites_free(&sites);
    mp_tree_free(tree);
    mp_arena_free(arena);
    return tree ? count : SIZE_MAX;
}
