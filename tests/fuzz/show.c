/* show.c -- does with a profile everything that the commands would do. */
#include "fuzz.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/base/text.h"
#include "reporter/export/export.h"
#include "reporter/file/sealed_parts.h"
#include "reporter/graph/tree.h"
#include "reporter/symbols/symbols.h"
#include "reporter/table/report.h"
#include "reporter/table/summary.h"
#include "runtime/format.h"

uint8_t *
fuzz_copy(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + (size == 0));

    if (!copy)
        abort();
    if (size > 0)
        memcpy(copy, data, size);
    return copy;
}

/* ------------------------------------------------------------------ what is printed */

void
fuzz_must_be_clean(const char *text, size_t size)
{
    struct mp_arena *arena = mp_arena_new();

    while (size > 0) {
        const char *end = memchr(text, '\n', size), *tab;
        size_t line = end ? (size_t)(end - text) : size, part = line;

        tab = memchr(text, '\t', line);         /* the tab in chains of Lisp */
        if (tab)
            part = (size_t)(tab - text);
        if (strlen(mp_text_clean(arena, text, part)) != part ||
            (tab && strlen(mp_text_clean(arena, tab + 1, line - part - 1)) != line - part - 1)) {
            fprintf(stderr, "not fit to be printed: %s\n", mp_text_clean(arena, text, line));
            abort();
        }
        text += line + (end != NULL);
        size -= line + (end != NULL);
    }
    mp_arena_free(arena);
}

/* Writes the first MOST of several forms of report. */
static void
write_reports(const struct mp_profile *profile, size_t most, FILE *out)
{
    static const struct mp_report_options all[] = {
        {.print = {.verbosity = MP_VERBOSE, .lines = true, .offsets = true, .sites = 3},
         .tables = MP_TABLE_DEFAULT | MP_TABLE_GC, .chosen = true, .view.all_frames = true},
        {.print = {.verbosity = MP_NORMAL, .width = 80, .chain = 5, .sites = 1},
         .tables = MP_TABLE_DEFAULT},
        {.print = {.verbosity = MP_TERSE, .width = 20, .most = 2, .sort = MP_SORT_KEPT, .chain = 1},
         .tables = MP_TABLE_LISP | MP_TABLE_GC, .view.lisp_only = true},
        {.print = {.verbosity = MP_VERBOSE, .sort = MP_SORT_OBJECTS, .permille = 1},
         .tables = MP_TABLE_DEFAULT | MP_TABLE_GC, .view.frames = MP_FRAMES_C},
        {.print = {.verbosity = MP_NORMAL, .sort = MP_SORT_PEAK, .lines = true, .most = 50},
         .tables = MP_TABLE_DEFAULT | MP_TABLE_TREE | MP_TABLE_SITES | MP_TABLE_FLAT, .chosen = true},
        {.print = {.verbosity = MP_VERBOSE, .least = 1}, .view.window.at = "peak",
         .tables = MP_TABLE_DEFAULT | MP_TABLE_TREE},
        {.print = {.verbosity = MP_VERBOSE, .most = 50}, .view.processes.group = true,
         .tables = MP_TABLE_PROCESSES | MP_TABLE_TREE},
    };
    struct mp_error error;

    for (size_t i = 0; i < most && i < sizeof all / sizeof *all; i++)
        if (!mp_report_write(profile, &all[i], out, &error) && error.code != MP_ERR_UNKNOWN)
            abort();
}

/* Writes the export formats whose text must be printable. */
static void
write_texts(const struct mp_profile *profile, FILE *out)
{
    static const struct {
        const char *format;
        struct mp_view_options how;
    } all[] = {{"chains", {.all_frames = true}}, {"chains", {.frames = MP_FRAMES_LISP}},
               {"chains", {.lisp_only = true}}, {"ids", {0}}, {"ids", {.lisp_only = true}}, {"collapsed", {0}}};
    struct mp_error error;

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct mp_profile *view = mp_view(profile, &all[i].how, &error);
        const struct mp_export export = {.profile = profile, .view = view, .all_frames = all[i].how.all_frames,
                                         .lisp = all[i].how.lisp_only, .cost = MP_SORT_PEAK};

        if (!view || !mp_export_named(all[i].format)->write(&export, out, &error))
            abort();
        mp_profile_free(view);
    }
}

/* Writes all export formats, which may refuse the profile. Profiles with a million allocations or more are left out,
 * because some formats have a line for each allocation. */
static void
write_exports(const struct mp_profile *profile)
{
    struct mp_profile *view = mp_view(profile, &(struct mp_view_options){.short_names = true}, NULL);
    const struct mp_export export = {.profile = profile, .view = view};
    struct mp_totals totals;

    mp_profile_totals(profile, &totals);
    for (size_t i = 0; i < mp_n_export_formats; i++) {
        struct mp_error error;
        char *bytes;
        size_t size;
        FILE *out = open_memstream(&bytes, &size);

        if (!out)
            abort();
        if (totals.all.allocs < 1000000 && mp_export_formats[i].write)
            mp_export_formats[i].write(&export, out, &error);
        fclose(out);
        free(bytes);
    }
    mp_profile_free(view);
}

/* Returns whether the counts are equal. Variances are sums of floats in another order and may differ. */
static bool
are_equal(struct mp_counts a, struct mp_counts b)
{
    a.spread = b.spread = (struct mp_spread){0};
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Checks that the inclusive figures of the root are the totals, and that parents precede their children. */
static void
read_trees(const struct mp_profile *profile)
{
    static const struct mp_tree_options all[] = {
        {.all_frames = true}, {.lines = true, .offsets = true}};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const struct mp_view_options view = {.all_frames = all[i].all_frames, .lisp_only = i == 1};
        struct mp_tree *tree = mp_tree_new(profile, &view, &all[i], NULL);
        struct mp_arena *arena = mp_arena_new();
        struct mp_totals totals;

        mp_profile_totals(tree->profile, &totals);
        if (!are_equal(mp_tree_inclusive(tree, arena)[0], totals.all))
            abort();
        for (uint32_t j = 1; j < tree->n_nodes; j++)
            if (tree->nodes[j].parent >= j)
                abort();
        mp_arena_free(arena);
        mp_tree_free(tree);
    }
}

static void
show(const struct mp_profile *profile, size_t most)
{
    struct mp_summary summary = {.file = "mprof.data"};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        abort();
    write_reports(profile, most, out);
    write_texts(profile, out);
    write_exports(profile);
    read_trees(profile);
    mp_summary_print(profile, &summary, out);
    fclose(out);
    fuzz_must_be_clean(text, size);
    free(text);
}

/* ------------------------------------------------------------------ sealing */

/* Checks that a profile that is sealed, read and sealed again gives the same bytes. */
static void
must_survive_sealing(const struct mp_profile *profile)
{
    struct mp_buffer first = {0}, second = {0};
    struct mp_profile *again = mp_profile_new();
    struct mp_error error = {0};

    mp_sealed_encode(profile, &first);
    if (!mp_sealed_decode(again, first.bytes, first.size, 0, "again", &error)) {
        fprintf(stderr, "sealed and not readable: %s\n", error.text);
        abort();
    }
    mp_sealed_encode(again, &second);
    if (second.size != first.size ||
        memcmp(second.bytes, first.bytes, first.size) != 0)
        abort();
    mp_profile_free(again);
    mp_buffer_free(&first);
    mp_buffer_free(&second);
}

void
fuzz_show(struct mp_profile *profile, size_t most_reports)
{
    const struct mp_symbol_options options = {.cache = false};
    struct mp_error error;

    setlocale(LC_CTYPE, profile->n_contexts % 2 ? "C.UTF-8" : "C");
    mp_symbols_limit(100);      /* a new budget for each input */
    if (!mp_symbolise(profile, &options, &error))
        abort();
    show(profile, most_reports);
    must_survive_sealing(profile);
    mp_profile_free(profile);
}
/* SPDX-License-Identifier: MIT */
