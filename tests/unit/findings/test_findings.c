#include "tests/unit/tap.h"

#include <string.h>

#include "findings_said.h"
#include "tests/unit/profile_builder.h"

enum { SMALL = MP_KIND_SMALL, MEDIUM = MP_KIND_MEDIUM, LARGE = MP_KIND_LARGE };

/* Done, with what is kept alive at the peak. */
static struct mp_profile *
done(struct pb *pb)
{
    struct mp_profile *profile = pb_done(pb);

    let_peak_be_kept(profile);
    return profile;
}

/* The same, with one more chain, which held a little at the peak and freed it. */
static struct mp_profile *
done_tidy(struct pb *pb)
{
    struct mp_profile *profile;

    pb_add(pb, "main;clean", LARGE, 1, 1000, 1, 1000);
    profile = done(pb);
    cell_in(profile, "clean")->counts.peak_bytes = 1000;
    profile->meta.peak_bytes += 1000;
    return profile;
}

/* ---------------------------------------------------------------- kept */

TEST(kept_again_and_again)
{
    struct pb *pb = pb_new();

    pb_add(pb, "main@9;leak@3", MEDIUM, 1000, 100000, 0, 0);
    pb_add(pb, "main;once", LARGE, 2, 4000, 0, 0);
    must_say(done(pb), "kept leak 961: main (main.c:9) > leak (leak.c:3)\n");
}

TEST(kept_says_how_many)
{
    struct mp_profile *profile = done(PB_OF({"main;leak", MEDIUM, 1500, 150000, 500, 50000}));

    sentence_must_be(profile, "leak allocated 1,500 blocks, of 100 bytes, and freed 500: 100.0 kB in "
                              "1,000 blocks are kept, 100 % of the peak.");
}

TEST(kept_but_once_or_little)
{
    must_say(done(PB_OF({"main;once", LARGE, 99, 9900000, 0, 0},
                        {"main;little", SMALL, 1000, 8000, 0, 0})), "");
}

TEST(freed_in_the_end)
{
    must_say(done(PB_OF({"main;clean", MEDIUM, 1000, 100000, 1000, 100000})), "");
}

TEST(a_program_that_frees_nothing)
{
    must_say(done(PB_OF({"main;table", MEDIUM, 1000, 100000, 0, 0},
                        {"main;buffers", LARGE, 10, 100000, 0, 0})), "");
}

/* Places that freed all, and others that freed nothing. */
static struct mp_profile *
among(unsigned clean, unsigned unclean)
{
    static const char *const names[] = {"main;a", "main;b", "main;c", "main;d"};
    struct pb *pb = pb_new();
    struct mp_profile *profile;

    pb_add(pb, "main;leak", MEDIUM, 1000, 100000, 0, 0);
    for (unsigned i = 0; i < clean; i++)
        pb_add(pb, names[i], LARGE, 1, 80000, 1, 80000);
    for (unsigned i = 0; i < unclean; i++)
        pb_add(pb, names[clean + i], SMALL, 1, 10, 0, 0);
    profile = done(pb);
    for (unsigned i = 0; i < clean; i++)
        cell_in(profile, names[i] + 5)->counts.peak_bytes = 80000;
    profile->meta.peak_bytes += 80000 * (int)clean;
    return profile;
}

TEST(a_program_that_frees_the_rest)
{
    struct mp_profile *profile = among(2, 2);

    must_say(profile, "kept leak 384: main > leak\n");
    profile = among(1, 3);
    must_say(profile, "");
}

TEST(a_program_that_was_killed)
{
    struct mp_profile *profile = done(PB_OF({"main;leak", MEDIUM, 1000, 100000, 0, 0}));

    profile->meta.ending = MP_END_KILLED;
    must_say(profile, "");
}

/* ---------------------------------------------------------------- ways */

TEST(the_way_that_most_of_it_came)
{
    struct pb *pb = pb_new();

    pb_add(pb, "main;f;g;leak", MEDIUM, 800, 80000, 0, 0);
    pb_add(pb, "main;h;g;leak", MEDIUM, 200, 20000, 0, 0);
    must_say(done_tidy(pb), "kept leak 990: main > f > g > leak\n");
    pb = pb_new();
    pb_add(pb, "main;f;g;leak", MEDIUM, 700, 70000, 0, 0);
    pb_add(pb, "main;h;g;leak", MEDIUM, 300, 30000, 0, 0);
    must_say(done_tidy(pb), "kept leak 990: ... > g > leak\n");
}

TEST(it_is_said_how_much_that_is)
{
    struct mp_profile *profile = done_tidy(PB_OF({"main;f;leak", MEDIUM, 800, 80000, 0, 0},
                                                 {"main;h;leak", MEDIUM, 200, 20000, 0, 0}));

    sentence_must_be(profile, "leak allocated 1,000 blocks, of 100 bytes, and freed none: 100.0 kB in "
                              "1,000 blocks are kept, 99 % of the peak. Other chains freed 100 % "
                              "of what they held at the peak. 80 % of this came by the chain below.");
}

TEST(lines_are_places)
{
    struct pb *pb = pb_new();

    pb_add(pb, "main;leak@3", MEDIUM, 800, 80000, 0, 0);
    pb_add(pb, "main;leak@8", MEDIUM, 600, 60000, 600, 60000);
    must_say(done(pb), "kept leak 1000: main > leak (leak.c:3)\n");
}

/* FUNCTION called at N places, each of which allocates some, and by LEAK. */
static struct pb *
called_at(unsigned n)
{
    static const char *const callers[] = {"main;a;get", "main;b;get", "main;c;get", "main;d;get",
                                          "main;e;get", "main;f;get", "main;g;get"};
    struct pb *pb = pb_new();

    for (unsigned i = 0; i < n; i++)
        pb_add(pb, callers[i], LARGE, 1000, 100000, 1000, 100000);
    pb_add(pb, "main;leak;get", LARGE, 1000, 100000, 0, 0);
    return pb;
}

TEST(what_seems_a_wrapper_is_its_callers)
{
    must_say(done_tidy(called_at(7)), "kept leak 990: main > leak > get\n");
    must_say(done_tidy(called_at(6)), "kept get 990: main > leak > get\n");
}

/* ---------------------------------------------------------------- churn */

static struct mp_profile *
churn(uint64_t blocks, uint64_t temporary, uint64_t duration)
{
    struct mp_profile *profile = done(PB_OF(
        {"main;churn", SMALL, blocks, blocks * 16, blocks, blocks * 16}));

    profile->cells[0].counts.temporary = temporary;
    profile->meta.duration = duration;
    return profile;
}

TEST(churn_of_one_size)
{
    struct mp_profile *profile;

    must_say(churn(600000, 590000, 1000000000), "churn churn 983: main > churn\n");
    must_say(churn(600000, 500000, 1000000000), "");
    must_say(churn(400000, 400000, 1000000000), "");
    must_say(churn(600000, 590000, 100000000000), "");
    must_say(churn(600000, 590000, 0), "");
    profile = churn(600000, 590000, 1000000000);
    profile->cells[0].size_min = 8;
    must_say(profile, "");
}

/* ---------------------------------------------------------------- tiny */

/* A million blocks of SIZE bytes that lived at the peak, and were freed. */
static struct mp_profile *
tiny(uint32_t size)
{
    struct pb *pb = pb_new();
    struct mp_profile *profile;

    pb_add(pb, "main;node", SMALL, 1000000, 1000000 * (uint64_t)size, 1000000, 1000000 * (uint64_t)size);
    profile = done(pb);
    profile->cells[0].counts.peak_blocks = profile->meta.peak_blocks = 1000000;
    profile->cells[0].counts.peak_bytes = profile->meta.peak_bytes = 1000000 * (int64_t)size;
    return profile;
}

TEST(tiny_blocks)
{
    static const struct {
        uint32_t size;
        const char *said;
    } sizes[] = {{1, "tiny node 1000: main > node\n"}, {16, "tiny node 1000: main > node\n"},
                 {24, "tiny node 333: main > node\n"}, {25, "tiny node 920: main > node\n"},
                 {40, ""}, {200, ""}};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct mp_profile *profile = tiny(sizes[i].size);

        must_say(profile, sizes[i].said);
    }
}

TEST(tiny_blocks_say_what_malloc_takes)
{
    struct mp_profile *profile = tiny(16);

    profile->types = mp_arena_alloc(profile->arena, sizeof *profile->types);
    profile->types[0] = "struct node";
    profile->n_types = profile->bins[16].n_types = 1;
    sentence_must_be(profile, "1,000,000 blocks of 16 bytes (so large is struct node) that node allocated "
                              "were alive at the peak. malloc of glibc takes 32.0 MB for these 16.0 MB, "
                              "reckoned by its rule for such sizes: 50 % are overhead. An array or a "
                              "pool of them needs none.");
}

/* ---------------------------------------------------------------- the whole */

TEST(two_families_tell_of_two_faults)
{
    struct mp_profile *profile = tiny(16);

    profile->cells[0].counts.frees = profile->cells[0].counts.freed = 0;
    mp_profile_set_kept(profile);
    must_say(profile, "kept node 1000: main > node\ntiny node 1000: main > node\n");
}

TEST(the_largest_share_comes_first)
{
    struct mp_findings *findings;
    struct mp_profile *profile = done_tidy(PB_OF({"main;small", MEDIUM, 1000, 100000, 0, 0},
                                                 {"main;large", MEDIUM, 1000, 200000, 0, 0}));

    must_say(profile, "kept large 664: main > large\nkept small 332: main > small\n");
    findings = mp_findings_new(profile, &(struct mp_findings_options){.most = 1, .file = "a b"});
    ck_assert_uint_eq(findings->n, 1);
    ck_assert_uint_eq(findings->left_out, 1);
    ck_assert_str_eq(findings->list[0].command,
                     "mprof report --table=leaks --lines --function='^large$' 'a b'");
    mp_findings_free(findings);
}

TEST(names_are_no_patterns)
{
    struct mp_findings *findings;
    struct mp_profile *profile = done(PB_OF({"main;a.b[]", MEDIUM, 1000, 100000, 0, 0}));

    findings = mp_findings_new(profile, &(struct mp_findings_options){0});
    ck_assert_str_eq(findings->list[0].command,
                     "mprof report --table=leaks --lines --function='^a\\.b\\[\\]$'");
    mp_findings_free(findings);
}

TEST(nothing_of_nothing)
{
    must_say(done(pb_new()), "");
}

TEST(rules_are_told_apart)
{
    for (size_t i = 0; i < mp_n_rules; i++) {
        ck_assert_uint_gt(mp_rules[i]->n_limits, 0);
        for (size_t j = 0; j < i; j++)
            ck_assert_str_ne(mp_rules[i]->key, mp_rules[j]->key);
        for (size_t j = 0; j < mp_rules[i]->n_limits; j++)
            ck_assert_ptr_nonnull(strstr(mp_rules[i]->limits[j].text, "%s"));
    }
}

/* ---------------------------------------------------------------- steps */

static const struct mp_counts stairs = {.reallocs = 199990, .steps = 199990, .steps_from = 1999900000,
                                        .steps_by = 1999900};

/* ALLOCS blocks of 10 kB at a place, of which COUNTS says what realloc made, and as many elsewhere. */
static void
steps_must_say(const struct mp_counts *counts, uint64_t allocs, const char *expected)
{
    struct mp_counts *place;
    struct mp_profile *profile = done(PB_OF(
        {"main;add", MP_KIND_EXTRA, allocs, allocs * 10000, allocs, allocs * 10000},
        {"main;other", MP_KIND_EXTRA, allocs, allocs * 10000, allocs, allocs * 10000}));

    place = &cell_in(profile, "add")->counts;
    place->reallocs = counts->reallocs;
    place->moved = counts->moved;
    place->steps = counts->steps;
    place->steps_from = counts->steps_from;
    place->steps_by = counts->steps_by;
    must_say(profile, expected);
}

TEST(small_steps)
{
    struct mp_counts steps = stairs;

    steps_must_say(&steps, 200000, "steps add 499: main > add\n");
    steps.steps_by = steps.steps_from / 10;
    steps_must_say(&steps, 200000, "steps add 499: main > add\n");
    steps.steps_by++;                   /* they are large */
    steps_must_say(&steps, 200000, "");
    steps = stairs;
    steps.steps -= 100000;              /* half of the blocks were made otherwise */
    steps_must_say(&steps, 200000, "");
}

TEST(few_steps_that_move)
{
    struct mp_counts steps = {.reallocs = 1999, .moved = 10000000, .steps = 1999, .steps_from = 19990000,
                              .steps_by = 19990};

    steps_must_say(&steps, 2000, "steps add 499: main > add\n");
    steps.moved--;
    steps_must_say(&steps, 2000, "");
    steps.moved = 10000000;
    steps.steps = 999;
    steps_must_say(&steps, 1000, "");
}
