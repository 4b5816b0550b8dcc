#include "tests/unit/tap.h"

#include <stdio.h>
#include <string.h>

#include "reporter/diff/compare.h"
#include "reporter/diff/table_changes.h"
#include "reporter/profile/cells.h"
#include "reporter/view/view.h"
#include "tests/unit/profile_builder.h"

static const struct mp_join_options options = {.raw = true, .by_cells = true};
static struct mp_join *join;

static void
set_up(void)
{
    join = mp_join_new(&options);
}

static void
tear_down(void)
{
    mp_join_free(join);
}

static void
finish(void)
{
    struct mp_error error;

    ck_assert(mp_join_finish(join, &error));
}

static void
add(struct mp_profile *profile, enum mp_side side)
{
    static const struct mp_view_options wanted;
    struct mp_error error;
    struct mp_profile *view = mp_view(profile, &wanted, &error);

    ck_assert_ptr_nonnull(view);
    mp_join_add(join, profile, view, side, "run");
    mp_profile_free(view);
    tap_release(profile);
}

/* Adds a run with a block of BYTES[i] bytes on the chain CHAINS[i], if that is not 0. CHAINS ends with NULL. */
static void
add_run(enum mp_side side, const char *const chains[], const uint64_t bytes[])
{
    struct pb *pb = pb_new();

    for (unsigned i = 0; chains[i]; i++)
        if (bytes[i] > 0)
            pb_add(pb, chains[i], MP_KIND_SMALL, 1, bytes[i], 0, 0);
    add(pb_done(pb), side);
}

/* Returns a line "CHANGE WORD NAME" for each item that changed, with "?" before it if the change may be chance. */
static const char *
said(struct mp_changes *changes)
{
    static const char *const words[] = {"same", "new", "gone", "grown", "shrunk"};
    const char *text = "";

    for (uint32_t i = 0; i < changes->n_changed; i++) {
        const struct mp_changed *item = &changes->list[i];

        text = mp_arena_printf(changes->arena, "%s%s%+lld %s %s\n", text, item->cost.certain ? "" : "?",
                               (long long)item->cost.change, words[item->became],
                               mp_changes_name(changes, item));
    }
    return text;
}

static void
is_said(enum mp_changes_by by, const char *expected)
{
    struct mp_changes *changes = mp_changes_new(join, by, MP_SORT_BYTES, 0);

    ck_assert_str_eq(said(changes), expected);
    mp_changes_free(changes);
}

/* ---------------------------------------------------------------- two runs */

static const char *const chains[] = {"main;same", "main;grown", "main;shrunk", "main;gone", "main;new", NULL};

FIXTURE(set_up, tear_down)

TEST(what_became_of_each)
{
    add_run(MP_BEFORE, chains, (const uint64_t[]){10, 10, 10, 5, 0});
    add_run(MP_AFTER, chains, (const uint64_t[]){10, 13, 8, 0, 7});
    finish();
    is_said(MP_BY_FUNCTION, "+7 new new\n-5 gone gone\n+3 grown grown\n-2 shrunk shrunk\n");
    is_said(MP_BY_CHAIN, "+7 new || > main > new\n-5 gone || > main > gone\n+3 grown || > main > grown\n"
                         "-2 shrunk || > main > shrunk\n");
    is_said(MP_BY_TYPE, "+3 grown malloc\n");
    is_said(MP_BY_MODULE, "+3 grown example\n");
}

TEST(recursion_is_counted_once)
{
    static const char *const deep[] = {"main;f;g;f;g", "main;f", NULL};
    struct mp_changes *changes;

    add_run(MP_BEFORE, deep, (const uint64_t[]){10, 1});
    add_run(MP_AFTER, deep, (const uint64_t[]){15, 2});
    finish();
    changes = mp_changes_new(join, MP_BY_FUNCTION, MP_SORT_BYTES, 0);
    ck_assert_uint_eq(changes->n, 2);
    ck_assert_str_eq(said(changes), "+5 grown g\n+1 grown f\n");
    ck_assert_int_eq(changes->list[0].within.change, 5);
    ck_assert_int_eq(changes->list[1].within.change, 6);
    ck_assert_int_eq(changes->list[1].within.before, 11);
    mp_changes_free(changes);
}

#define G_IS_DEEPER "+10 new || > main > f > f > g\n-10 gone || > main > f > g\n"

/* Runs with a block of 10 bytes on each chain, and the chains that differ. */
static const struct {
    const char *name, *before[3], *after[3], *said;
} clones[] = {
    {"a part and its function are one call", {"main;f", "main;f;g"}, {"main;f;f.part.0", "main;f;f.part.0;g"}, ""},
    {"clones of a function are one", {"main;f.isra.0;g"}, {"main;f.constprop.0;f.constprop.0.cold;g"}, ""},
    /* If a chain contains both the part and the function, their order does not matter. */
    {"the part first", {"main;f;g", "main;h;f;g"}, {"main;f.part.0;g", "main;h;f;f.part.0;g"}, ""},
    {"the function first", {"main;f;g", "main;h;f;g"}, {"main;f;f.part.0;g", "main;h;f.part.0;g"}, ""},
    {"recursion stays", {"main;f;f;f;g"}, {"main;f;f.part.0;f;f.part.0;f.part.0;g"}, ""},
    {"recursion is no part", {"main;f;f;g"}, {"main;f;f.part.0;g"},
     "-10 gone || > main > f > f > g\n+10 new || > main > f > g\n"},
    {"a clone that the function calls is no part", {"main;f;g"}, {"main;f;f.constprop.0;g"}, G_IS_DEEPER},
    {"a test that callers have is no call", {"main;f;g", "main;h;f"}, {"main/f;f;g", "main;h/f;f"}, ""},
    {"other recursion is", {"main;f;g"}, {"main;f;f;g"}, G_IS_DEEPER},
    {"inlined recursion is", {"main;f;g"}, {"main;f/f;g"}, G_IS_DEEPER},
    {"recursion on both sides", {"main;f", "main;h;f;f"}, {"main/f;f", "main;h;f;f"},
     "-10 gone || > main > f\n+10 new || > main > f > f\n"},
    {"a test and recursion", {"main;f"}, {"main/f;f;f"}, "-10 gone || > main > f\n+10 new || > main > f > f > f\n"},
};

TEST_CASES(clones_are_the_same_calls, clones)
{
    static const uint64_t bytes[] = {10, 10};

    /* If nothing differs, nothing differs with the sides exchanged either. */
    for (unsigned i = 0; i < 2; i++) {
        add_run(i == 0 ? MP_BEFORE : MP_AFTER, clones[_i].before, bytes);
        add_run(i == 0 ? MP_AFTER : MP_BEFORE, clones[_i].after, bytes);
        finish();
        if (i == 0 || !clones[_i].said[0])
            is_said(MP_BY_CHAIN, clones[_i].said);
        is_said(MP_BY_FUNCTION, "");
        tear_down();
        set_up();
    }
}

/* Exchanging the sides does not change the order. */
TEST(chains_with_the_same_figures_are_in_the_order_of_their_names)
{
    static const char *const of[2][4] = {{"main;z", "main;m;y", NULL}, {"main;a", "main;m;b", NULL}};
    static const uint64_t bytes[] = {10, 10};

    for (unsigned i = 0; i < 2; i++) {
        add_run(i == 0 ? MP_BEFORE : MP_AFTER, of[0], bytes);
        add_run(i == 0 ? MP_AFTER : MP_BEFORE, of[1], bytes);
        finish();
        is_said(MP_BY_CHAIN, i == 0 ? "+10 new || > main > a\n+10 new || > main > m > b\n-10 gone || > main > m > y\n"
                                      "-10 gone || > main > z\n"
                                    : "-10 gone || > main > a\n-10 gone || > main > m > b\n+10 new || > main > m > y\n"
                                      "+10 new || > main > z\n");
        mp_join_free(join);
        set_up();
    }
}

TEST(sizes_have_rows)
{
    static const char *const sizes[] = {"main;f", "main;g", NULL};

    add_run(MP_BEFORE, sizes, (const uint64_t[]){16, 24});
    add_run(MP_AFTER, sizes, (const uint64_t[]){16, 32});
    finish();
    is_said(MP_BY_SIZE, "+32 new 32\n-24 gone 24\n");
}

/* A name is listed even if it is a part of another one. */
TEST(programs_that_differ_are_listed)
{
    static const char *const programs[] = {"/bin/mawk", "/usr/bin/awk", "/bin/awk", "/bin/perl"};
    const struct mp_compare_options plain = {.part = ""};
    struct mp_comparison comparison;
    const char *text = "";

    for (unsigned i = 0; i < 4; i++) {
        struct mp_profile *profile = PROFILE_OF({"main", MP_KIND_SMALL, 1, 10, 0, 0});

        profile->meta.program = programs[i];
        add(profile, i < 3 ? MP_BEFORE : MP_AFTER);
    }
    finish();
    comparison = mp_comparison(join, &plain);
    for (uint32_t i = 0; i < comparison.head->n_rows; i++)
        if (strcmp(comparison.head->rows[i].key, "programs") == 0)
            text = comparison.head->rows[i].text;
    ck_assert_str_eq(text, "before mawk or awk, after perl; functions are matched by name all the same");
    mp_comparison_free(&comparison);
}

/* ---------------------------------------------------------------- noise */

static const char *const one[] = {"main;f", "main;g", NULL};

static void
add_runs(enum mp_side side, const uint64_t of_f[3], const uint64_t of_g[3])
{
    for (int i = 0; i < 3; i++)
        add_run(side, one, (const uint64_t[]){of_f[i], of_g[i]});
}

TEST(differences_exceed_the_noise_or_not)
{
    add_runs(MP_BEFORE, (const uint64_t[]){100, 103, 101}, (const uint64_t[]){50, 60, 50});
    add_runs(MP_AFTER, (const uint64_t[]){110, 112, 111}, (const uint64_t[]){64, 65, 59});
    finish();
    ck_assert_double_eq_tol(mp_chance(join), 10, 1e-9);
    is_said(MP_BY_FUNCTION, "+10 grown f\n?+14 grown g\n");
}

TEST(runs_apart_by_less_than_runs_of_one_side_are_noise)
{
    add_runs(MP_BEFORE, (const uint64_t[]){100, 109, 108}, (const uint64_t[]){1, 1, 1});
    add_runs(MP_AFTER, (const uint64_t[]){110, 111, 112}, (const uint64_t[]){1, 1, 1});
    finish();
    is_said(MP_BY_FUNCTION, "?+3 grown f\n");
}

TEST(the_typical_run_is_that_nearest_the_median)
{
    static const char *const chain[] = {"main;f", NULL};
    static const uint64_t before[] = {900, 100, 210, 200}, after[] = {5, 7, 6};

    for (unsigned i = 0; i < 4; i++)
        add_run(MP_BEFORE, chain, &before[i]);
    for (unsigned i = 0; i < 3; i++)
        add_run(MP_AFTER, chain, &after[i]);
    finish();
    ck_assert_uint_eq(mp_typical_run(join, MP_BEFORE, MP_FIGURE_BYTES), 2);    /* the median is 205 */
    ck_assert_uint_eq(mp_typical_run(join, MP_AFTER, MP_FIGURE_BYTES), 6);
    ck_assert_uint_eq(mp_typical_run(join, MP_AFTER, MP_FIGURE_ALLOCS), 4);
}

TEST(medians_of_parts_have_a_row_for_the_rest)
{
    const struct mp_print_options print = {.verbosity = MP_VERBOSE};
    struct mp_changes *changes;
    struct mp_table *table;
    int64_t sum = 0, total = 0;
    bool rest = false;

    add_runs(MP_BEFORE, (const uint64_t[]){1, 2, 9}, (const uint64_t[]){9, 2, 1});
    add_runs(MP_AFTER, (const uint64_t[]){20, 20, 20}, (const uint64_t[]){30, 30, 30});
    finish();
    changes = mp_changes_new(join, MP_BY_FUNCTION, MP_SORT_BYTES, 0);
    table = mp_table_changes(changes, &print);
    for (uint32_t i = 0; i < table->n_rows; i++) {
        const struct mp_value *change = &table->rows[i].values[0];
        int64_t value = change->negative ? -(int64_t)change->number : (int64_t)change->number;

        *(table->rows[i].is == MP_ROW_TOTAL ? &total : &sum) += value;
        rest |= table->rows[i].is == MP_ROW_REST;
    }
    ck_assert_int_eq(total, 50 - 10);
    ck_assert_int_eq(sum, total);
    ck_assert(rest);
    mp_table_free(table);
    mp_changes_free(changes);
}

/* ---------------------------------------------------------------- estimates */

/* Adds a sampled run that allocated BYTES in blocks of 100 bytes. VARIANCE is that of the estimate. */
static void
add_sampled(enum mp_side side, uint32_t period, uint64_t bytes, float variance)
{
    struct mp_profile *profile = PROFILE_OF({"main;f", MP_KIND_SMALL, bytes / 100, bytes, 0, 0});

    profile->meta.sample_period = period;
    profile->unseen = 4;
    mp_cell_rest(&profile->cells[0], profile->arena)->counts.spread =
        (struct mp_spread){.kept = variance, .most_bytes = 1000, .most = 10};
    add(profile, side);
}

TEST(a_difference_within_its_interval_is_none)
{
    struct mp_changes *changes;

    add_sampled(MP_BEFORE, 1024, 100000, 1e8f);
    add_sampled(MP_AFTER, 1024, 110000, 1e8f);
    finish();
    changes = mp_changes_new(join, MP_BY_FUNCTION, MP_SORT_BYTES, 0);
    ck_assert_str_eq(said(changes), "?+10000 grown f\n");
    /* 1.96 standard deviations of the difference, which are the square root of 2e8, and a little more, because the
     * distribution of few samples is skewed */
    ck_assert_int_le(changes->list[0].cost.low, 10000 - 27000);
    ck_assert_int_ge(changes->list[0].cost.high, 10000 + 27000);
    ck_assert_int_le(changes->list[0].cost.high, 10000 + 35000);
    mp_changes_free(changes);
}

TEST(a_large_difference_is_one)
{
    add_sampled(MP_BEFORE, 1024, 100000, 1e8f);
    add_sampled(MP_AFTER, 1024, 200000, 1e8f);
    finish();
    is_said(MP_BY_FUNCTION, "+100000 grown f\n");
}

TEST(what_was_not_sampled_may_be_there)
{
    struct mp_profile *profile = PROFILE_OF({"main;other", MP_KIND_SMALL, 1, 10, 0, 0});

    profile->meta.sample_period = 1024;
    add(profile, MP_BEFORE);
    add_run(MP_AFTER, (const char *const[]){"main;other", "main;f", NULL}, (const uint64_t[]){10, 3000});
    finish();
    /* less than 3.7 times 1,024 */
    is_said(MP_BY_FUNCTION, "?+3000 new f\n");
}

/* ---------------------------------------------------------------- at random */

static uint32_t state;

static uint32_t
next(uint32_t below)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

static struct mp_profile *
random_profile(void)
{
    struct pb *pb = pb_new();

    for (uint32_t i = 0; i < 40; i++) {
        char chain[64] = "main", *to = chain + 4;

        for (uint32_t j = next(6); j > 0; j--)
            to += sprintf(to, ";f%u", (unsigned)next(5));
        pb_add(pb, chain, next(4), 1 + next(3), 4 + next(100), 0, 0);
    }
    return pb_done(pb);
}

static void
make_random(uint32_t seed, bool swapped)
{
    struct mp_profile *a, *b;

    state = seed;
    a = random_profile();
    b = random_profile();
    join = mp_join_new(&options);
    add(swapped ? b : a, MP_BEFORE);
    add(swapped ? a : b, MP_AFTER);
    finish();
}

/* If the sides are exchanged, everything that grew shrinks by the same amount. */
TEST_LOOP(sums_are_exact_and_signs_turn_round, 1, 30)
{
    for (enum mp_changes_by by = 0; by < MP_CHANGES_BY; by++) {
        int64_t up[2] = {0, 0}, down[2] = {0, 0};

        for (int swapped = 0; swapped < 2; swapped++) {
            struct mp_changes *changes;

            mp_join_free(join);
            make_random((uint32_t)_i, swapped);
            changes = mp_changes_new(join, by, MP_SORT_BYTES, 3);
            for (uint32_t i = 0; i < changes->n; i++) {
                int64_t change = changes->list[i].cost.change;

                *(change > 0 ? &up[swapped] : &down[swapped]) += change;
            }
            ck_assert_int_eq(up[swapped] + down[swapped], changes->total.cost.change);
            ck_assert_int_eq(up[swapped] + down[swapped], (int64_t)join->runs[1].total.bytes -
                                                              (int64_t)join->runs[0].total.bytes);
            mp_changes_free(changes);
        }
        ck_assert_int_eq(up[0], -down[1]);
        ck_assert_int_eq(up[1], -down[0]);
    }
}

TEST_LOOP(nothing_differs_from_itself, 1, 10)
{
    mp_join_free(join);
    join = mp_join_new(&options);
    for (int side = 0; side < 2; side++) {
        state = (uint32_t)_i;
        add(random_profile(), side ? MP_AFTER : MP_BEFORE);
    }
    finish();
    for (enum mp_changes_by by = 0; by < MP_CHANGES_BY; by++)
        is_said(by, "");
}
/* SPDX-License-Identifier: MIT */
