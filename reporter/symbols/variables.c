/* SPDX-License-Identifier: MIT */
#include "variables.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "budget.h"
#include "demangle.h"
#include "elf_symbols.h"
#include "reporter/base/text.h"

/* A data symbol with a size. */
struct variable {
    uint64_t start, end;
    const char *name;           /* in the file's string table */
    unsigned bind;
};

#define A_SYMBOL    (sizeof(struct variable) + 3 * sizeof(struct mp_span))  /* bytes of a variable and its ranges */
#define A_SCAN      16u         /* bytes of names that are compared in a unit of work */

struct variables {
    struct variable *list;
    struct mp_spans spans;      /* value: index in `list` */
    uint32_t n;
};

/* ---------------------------------------------------------------- symbols */

/* Compares symbols so that the preferred one comes last: inner ranges, then better-known names. */
static int
compare(const void *left, const void *right)
{
    const struct variable *a = left, *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->end != b->end)
        return a->end > b->end ? -1 : 1;
    return mp_elf_compare_aliases(b->name, b->bind, a->name, a->bind);
}

static void
read_variables(struct mp_binary *binary, struct mp_arena *arena, struct variables *variables)
{
    const int count = dwfl_module_getsymtab(binary->dwfl_module);
    GElf_Sym symbol;
    GElf_Addr address;
    GElf_Word section;

    if (count > 0)
        variables->list = mp_arena_alloc(arena, (size_t)count * sizeof *variables->list);
    for (int i = 1; i < count && mp_budget_work(1); i++) {
        const char *name = dwfl_module_getsym_info(binary->dwfl_module, i, &symbol, &address, &section, NULL, NULL);

        if (name && *name && GELF_ST_TYPE(symbol.st_info) == STT_OBJECT && section != SHN_UNDEF && section != SHN_ABS &&
            symbol.st_size > 0 && symbol.st_size <= UINT64_MAX - address &&
            strnlen(name, MP_TEXT_MAX + 1) <= MP_TEXT_MAX && mp_budget_work(strlen(name) / A_SCAN) &&
            mp_budget_take(MP_MEMORY, A_SYMBOL))
            variables->list[variables->n++] =
                (struct variable){address, address + symbol.st_size, name, GELF_ST_BIND(symbol.st_info)};
    }
    if (variables->n > 0)
        qsort(variables->list, variables->n, sizeof *variables->list, compare);
    mp_spans_reserve(&variables->spans, arena, variables->n);
    for (uint32_t i = 0; i < variables->n; i++)
        mp_spans_add(&variables->spans, arena, variables->list[i].start, variables->list[i].end, i);
    mp_spans_flatten(&variables->spans, arena);
}

/* ------------------------------------------------------------------ names */

/* Returns "cache" for "cache@@VERSION", "app::cache" for "_ZN3app5cacheE". */
static const char *
readable(const char *name, struct mp_arena *arena)
{
    char *plain = mp_need(strndup(name, mp_elf_plain_length(name))), *unfolded = mp_demangle(plain, false);
    const char *text = unfolded ? unfolded : plain;

    text = mp_text_clean(arena, text, strlen(text));
    free(unfolded);
    free(plain);
    return text;
}

static void
name_in(struct mp_binary *binary, struct mp_variable *list, uint32_t n, struct mp_arena *arena)
{
    struct mp_arena *scratch = mp_arena_new();
    struct variables variables = {.list = NULL};

    read_variables(binary, scratch, &variables);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t found = mp_spans_find(&variables.spans, list[i].offset);

        if (found != MP_NO_ID && i > 0 && list[i - 1].name &&
            mp_spans_find(&variables.spans, list[i - 1].offset) == found)
            list[i].name = list[i - 1].name;
        else if (found != MP_NO_ID)
            list[i].name = readable(variables.list[found].name, arena);
    }
    mp_arena_free(scratch);
}

void
mp_variables_name(const struct mp_profile *profile, struct mp_variable *list, uint32_t n, struct mp_arena *arena)
{
    static const struct mp_symbol_options options = {.cache = false};

    for (uint32_t first = 0, end; first < n; first = end) {
        struct mp_binary *binary;
        const char *problem;

        for (end = first; end < n && list[end].module == list[first].module; end++)
            list[end].name = NULL;
        if (profile->modules[list[first].module].build_id_size == 0)
            continue;
        binary = mp_binary_open(profile, &options, list[first].module, NULL, 0, &problem);
        if (!binary)
            continue;
        if (mp_binary_load(binary))
            name_in(binary, &list[first], end - first, arena);
        mp_binary_close(binary);
    }
}
