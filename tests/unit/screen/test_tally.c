/* What a tally keeps between samples, and which lines are shown in which order. */
#include "tests/unit/tap.h"

#include <string.h>

#include "reporter/screen/lines.h"
#include "tests/unit/profile_builder.h"

#define SECOND UINT64_C(1000000000)

static void
release_tally(void *tally)
{
    mp_tally_free(tally);
}

static struct mp_tally *
new_tally(void)
{
    return tap_keep(mp_tally_new(), release_tally);
}

/* Adds a sample of PROFILE, taken after SECONDS, and frees PROFILE. A function has the same address in all samples. */
static void
look(struct mp_tally *tally, struct mp_profile *profile, uint64_t seconds)
{
    const struct mp_tree_options options = {.one_cut = true};
    struct mp_tree *tree;

    for (uint32_t i = 0; i < profile->n_functions; i++)
        profile->functions[i].start = (uint64_t)profile->functions[i].text[0];
    tree = mp_tree_build(profile, &options);
    mp_tally_take(tally, tree, &(struct mp_tally_options){.raw = true}, seconds * SECOND);
    mp_tree_free(tree);
    tap_release(profile);
}

/* After the first second, f has allocated 10 blocks of 8 bytes, of which 4 are freed, and g 2 blocks of 100 bytes. */
static void
first_look(struct mp_tally *tally)
{
    look(tally, PROFILE_OF({"main;f", MP_KIND_SMALL, 10, 80, 4, 32},
                           {"main;g", MP_KIND_MEDIUM, 2, 200, 0, 0}), 1);
}

/* Two seconds later, contexts and functions have other ids. f has allocated 21 more blocks, g none, and h is new. */
static void
second_look(struct mp_tally *tally)
{
    look(tally, PROFILE_OF({"main;h;f", MP_KIND_SMALL, 1, 8, 0, 0},
                           {"main;g", MP_KIND_MEDIUM, 2, 200, 1, 100},
                           {"main;f", MP_KIND_SMALL, 30, 240, 30, 240}), 3);
}

static const struct mp_tally_item *
named(const struct mp_tally *tally, enum mp_by by, const char *name)
{
    const struct mp_tally_list *list = mp_tally_of(tally, by);

    for (uint32_t i = 0; i < list->n; i++)
        if (strcmp(list->items[i].name, name) == 0)
            return &list->items[i];
    ck_abort_msg("no item %s", name);
}

/* Returns the names of the lines, separated by "; ". A "." precedes a name for each level of depth, and a + follows it
 * if there are callees. */
static const char *
names(const struct mp_tally *tally, const struct mp_lines_options *options)
{
    static char text[512];
    struct mp_screen_lines lines = mp_lines_make(tally, options);
    struct mp_arena *arena = mp_arena_new();

    text[0] = '\0';
    for (uint32_t i = 0; i < lines.n; i++) {
        const struct mp_line *line = &lines.list[i];

        strcat(text, i > 0 ? "; " : "");
        for (uint32_t j = 0; j < line->depth; j++)
            strcat(text, ".");
        strcat(text, mp_lines_name(tally, options->by, line->item, 9, arena));
        strcat(text, line->has_more ? "+" : "");
    }
    mp_arena_free(arena);
    mp_lines_free(&lines);
    return text;
}

TEST(figures_of_one_look)
{
    struct mp_tally *tally = new_tally();

    first_look(tally);
    ck_assert(tally->seconds == 0);
    ck_assert_uint_eq(tally->all.live, 48 + 200);
    ck_assert_uint_eq(tally->all.blocks, 6 + 2);
    ck_assert_uint_eq(tally->all.allocs, 12);
    ck_assert_uint_eq(named(tally, MP_BY_FUNCTION, "f")->own.live, 48);
    ck_assert_uint_eq(named(tally, MP_BY_FUNCTION, "main")->own.live, 0);
    ck_assert_uint_eq(named(tally, MP_BY_FUNCTION, "main")->within.live, 248);
    ck_assert_uint_eq(named(tally, MP_BY_THREAD, "main")->own.allocs, 12);
    ck_assert_uint_eq(named(tally, MP_BY_TYPE, "8 bytes")->own.blocks, 6);
}

TEST(what_was_met_keeps_its_id_and_its_past)
{
    struct mp_tally *tally = new_tally();
    const struct mp_tally_item *f, *g;

    first_look(tally);
    second_look(tally);
    ck_assert(tally->seconds == 2);
    f = named(tally, MP_BY_FUNCTION, "f");
    g = named(tally, MP_BY_FUNCTION, "g");
    ck_assert_uint_eq(f->own.allocs - f->own_before.allocs, 21);
    ck_assert_uint_eq(f->own.live, 8);
    ck_assert_uint_eq(g->own.allocs - g->own_before.allocs, 0);
    ck_assert_uint_eq(g->own_before.live - g->own.live, 100);
    ck_assert_uint_eq(named(tally, MP_BY_FUNCTION, "h")->within_before.allocs, 0);
    ck_assert_uint_eq(tally->all.allocs - tally->all_before.allocs, 21);
}

/* The bytes of the chains main f f and main f g f count once for f. */
TEST(a_function_that_recurs_has_its_bytes_once)
{
    struct mp_tally *tally = new_tally();

    look(tally, PROFILE_OF({"main;f;f", MP_KIND_SMALL, 1, 10, 0, 0},
                           {"main;f;g;f", MP_KIND_SMALL, 1, 20, 0, 0},
                           {"main;g", MP_KIND_SMALL, 1, 30, 0, 0}), 1);
    ck_assert_uint_eq(named(tally, MP_BY_FUNCTION, "f")->within.bytes, 30);
    ck_assert_uint_eq(named(tally, MP_BY_FUNCTION, "g")->within.bytes, 50);
    ck_assert_uint_eq(named(tally, MP_BY_FUNCTION, "main")->within.bytes, 60);
}

TEST(what_is_gone_has_no_line)
{
    struct mp_tally *tally = new_tally();

    first_look(tally);
    look(tally, PROFILE_OF({"main;g", MP_KIND_MEDIUM, 2, 200, 0, 0}), 2);
    ck_assert_str_eq(names(tally, &(struct mp_lines_options){.by = MP_BY_FUNCTION}), "g");
}

/* Lines after two samples. With only_g_and_h, only names that match "^[hg]$" are shown. */
static const struct {
    const char *name;
    struct mp_lines_options how;
    bool only_g_and_h;
    const char *lines;
} cases[] = {
    {"by live bytes", {.by = MP_BY_FUNCTION}, false, "g; f"},
    {"reversed", {.by = MP_BY_FUNCTION, .reverse = true}, false, "f; g"},
    {"by allocations", {.by = MP_BY_FUNCTION, .sort = MP_LINES_ALLOCS}, false, "f; g"},
    {"by bytes", {.by = MP_BY_FUNCTION, .sort = MP_LINES_BYTES}, false, "f; g"},
    {"by name", {.by = MP_BY_FUNCTION, .sort = MP_LINES_NAME}, false, "f; g"},
    {"with what they call", {.by = MP_BY_FUNCTION, .sort = MP_LINES_LIVE, .within = true}, false, "main; g; f; h"},
    {"sites are chains, innermost first", {.by = MP_BY_SITE, .sort = MP_LINES_ALLOCS, .totals = true}, false,
     "f < main; g < main; f < h < main"},
    {"functions that match", {.by = MP_BY_FUNCTION}, true, "g"},
    {"sites that match", {.by = MP_BY_SITE}, true, "g < main; f < h < main"},
    {"branches that match", {.by = MP_BY_TREE}, true, "main+; .g; .h+; ..f"},
    {"types that match", {.by = MP_BY_TYPE}, true, ""},
};

TEST_CASES(lines, cases)
{
    struct mp_tally *tally = new_tally();
    struct mp_lines_options how = cases[_i].how;
    struct mp_pattern pattern;
    char reason[MP_PATTERN_REASON];

    ck_assert(mp_pattern_compile(&pattern, "^[hg]$", reason));
    how.only = cases[_i].only_g_and_h ? &pattern : NULL;
    first_look(tally);
    second_look(tally);
    ck_assert_str_eq(names(tally, &how), cases[_i].lines);
    mp_pattern_free(&pattern);
}

TEST(a_tree_is_opened_by_item)
{
    struct mp_tally *tally = new_tally();
    bool open[8] = {false};
    struct mp_lines_options how = {.by = MP_BY_TREE, .open = open, .n_open = 8};

    first_look(tally);
    second_look(tally);
    ck_assert_str_eq(names(tally, &how), "main+");
    open[named(tally, MP_BY_TREE, "main") - tally->lists[MP_BY_TREE].items] = true;
    ck_assert_str_eq(names(tally, &how), "main+; .g; .h+; .f");
    how.open = NULL;
    ck_assert_str_eq(names(tally, &how), "main+; .g; .h+; ..f; .f");
}

TEST(objects_are_of_their_types)
{
    struct mp_tally *tally = new_tally();
    struct pb *pb = pb_new();

    pb_kind(pb, MP_KIND_LISP, MP_KIND_LISP, "CONS", 'c');
    pb_objects(pb, "lisp:F", MP_KIND_LISP, 5, 80);
    pb_add(pb, "main;g", MP_KIND_MEDIUM, 2, 200, 0, 0);
    look(tally, pb_done(pb), 1);
    ck_assert_str_eq(names(tally, &(struct mp_lines_options){.by = MP_BY_TYPE}), "100 bytes; CONS");
    ck_assert_uint_eq(named(tally, MP_BY_TYPE, "CONS")->own.live, 80);
}

TEST(nothing_at_all_has_no_lines)
{
    struct mp_tally *tally = new_tally();

    look(tally, pb_done(pb_new()), 1);
    for (unsigned by = 0; by < MP_BYS; by++)
        ck_assert_str_eq(names(tally, &(struct mp_lines_options){.by = (enum mp_by)by}), "");
}
/* SPDX-License-Identifier: MIT */
