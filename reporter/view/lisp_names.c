/* SPDX-License-Identifier: MIT */
#include "lisp_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/base/search.h"
#include "reporter/base/text.h"
#include "source_lines.h"

struct namer {
    const struct mp_name *names;
    uint32_t n;
    uint32_t *order;            /* ids, in the sort order needed at present */
    const char **tails;         /* by id: the shortest end of its file's path that distinguishes it from other
                                   files */
    struct mp_source_lines *lines;
    bool places;
    struct mp_arena *arena;
};

/* ---------------------------------------------------------------- files */

static int
by_file(const void *a, const void *b, void *data)
{
    const struct namer *namer = data;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    unsigned components;
    int order = namer->names[x].file == namer->names[y].file        /* names from one file share its path */
                    ? 0 : mp_text_compare_ends(namer->names[x].file, namer->names[y].file, &components);

    return order ? order : mp_order(x, y);
}

/* Returns the file of the nearest name before (STEP -1) or after (STEP 1) the one at AT that has another file,
 * or "". */
static const char *
other_file(const struct namer *namer, uint32_t at, int step)
{
    const char *file = namer->names[namer->order[at]].file;

    for (int64_t i = (int64_t)at + step; i >= 0 && i < namer->n; i += step)
        if (strcmp(namer->names[namer->order[i]].file, file) != 0)
            return namer->names[namer->order[i]].file;
    return "";
}

/* Finds the tails. Names are sorted by the reversed path of their file, so paths with a common end are
 * neighbours. */
static void
find_tails(struct namer *namer)
{
    qsort_r(namer->order, namer->n, sizeof *namer->order, by_file, namer);
    for (uint32_t i = 0; i < namer->n; i++) {
        const char *file = namer->names[namer->order[i]].file;
        const char *last = i > 0 ? namer->names[namer->order[i - 1]].file : NULL;
        unsigned before, after;

        if (last && strcmp(last, file) == 0) {
            namer->tails[namer->order[i]] = namer->tails[namer->order[i - 1]];
            continue;
        }
        mp_text_compare_ends(file, other_file(namer, i, -1), &before);
        mp_text_compare_ends(file, other_file(namer, i, 1), &after);
        namer->tails[namer->order[i]] = mp_text_tail(file, before > after ? before : after);
    }
}

/* ---------------------------------------------------------------- places */

/* Returns "a.lisp:12", "a.lisp@345" if the line cannot be determined, or "a.lisp". A path such as
 * "SRC:CLOS;METHOD.LSP" is recorded in the runtime's build and is no file here. */
static const char *
place(const struct namer *namer, uint32_t id)
{
    const struct mp_name *name = &namer->names[id];
    uint32_t line;

    if (name->position < 0 || name->file[0] != '/')
        return namer->tails[id];
    line = mp_source_form(namer->lines, name->file, name->position, NULL);
    if (line > 0)
        return mp_arena_printf(namer->arena, "%s:%" PRIu32, namer->tails[id], line);
    return mp_arena_printf(namer->arena, "%s@%" PRId64, namer->tails[id], name->position);
}

/* Returns the text of name ID. SHARED means that functions of several files have the name. */
static const char *
text_of(const struct namer *namer, uint32_t id, bool shared)
{
    const struct mp_name *name = &namer->names[id];

    if (!name->file[0])
        return name->name;
    if (mp_lisp_is_nameless(name->name) || (namer->places && !name->builtin))
        return mp_lisp_text(name->name, place(namer, id), namer->arena);
    return shared ? mp_lisp_text(name->name, namer->tails[id], namer->arena) : name->name;
}

/* ---------------------------------------------------------------- names */

static int
by_name(const void *a, const void *b, void *data)
{
    const struct namer *namer = data;
    const struct mp_name *x = &namer->names[*(const uint32_t *)a];
    const struct mp_name *y = &namer->names[*(const uint32_t *)b];
    int order = strcmp(x->name, y->name);

    return order ? order : (x > y) - (x < y);
}

/* Returns whether the names at BEGIN to END - 1 of the order come from more than one known file. */
static bool
has_files(const struct namer *namer, uint32_t begin, uint32_t end)
{
    const char *known = "";

    for (uint32_t i = begin; i < end; i++) {
        const char *file = namer->names[namer->order[i]].file;

        if (file[0] && known[0] && strcmp(file, known) != 0)
            return true;
        if (file[0])
            known = file;
    }
    return false;
}

struct mp_lisp_names
mp_lisp_names(const struct mp_profile *profile, bool places, struct mp_arena *arena)
{
    uint32_t n = profile->n_names, end;
    struct namer namer = {.names = profile->names, .n = n, .places = places, .arena = arena,
                          .lines = mp_source_lines_open(arena, NULL, profile->meta.start_realtime,
                                                        MP_SOURCE_MOST),
                          .order = mp_arena_alloc(arena, n * sizeof *namer.order),
                          .tails = mp_arena_alloc(arena, n * sizeof *namer.tails)};
    struct mp_lisp_names result = {.texts = mp_arena_alloc(arena, n * sizeof *result.texts)};

    for (uint32_t i = 0; i < n; i++)
        namer.order[i] = i;
    find_tails(&namer);
    qsort_r(namer.order, n, sizeof *namer.order, by_name, &namer);
    for (uint32_t i = 0; i < n; i = end) {
        bool shared;

        for (end = i + 1; end < n && strcmp(namer.names[namer.order[end]].name,
                                            namer.names[namer.order[i]].name) == 0; end++)
            ;
        shared = has_files(&namer, i, end);
        for (uint32_t k = i; k < end; k++)
            result.texts[namer.order[k]] = text_of(&namer, namer.order[k], shared);
    }
    result.problems = mp_source_problems(namer.lines, &result.n_problems);
    mp_source_lines_close(namer.lines);
    return result;
}
