/* Tests of the rules of findings. Each case has the chains of a profile and the findings that it must have. */
#include "tests/unit/tap.h"

#include <stdio.h>
#include <string.h>

#include "reporter/findings/findings.h"
#include "reporter/profile/cells.h"
#include "tests/unit/golden.h"
#include "tests/unit/profile_builder.h"

enum { SMALL = MP_KIND_SMALL, MEDIUM = MP_KIND_MEDIUM, LARGE = MP_KIND_LARGE, EXTRA = MP_KIND_EXTRA };

static void
release_findings(void *findings)
{
    mp_findings_free(findings);
}

static struct mp_findings *
findings_of(const struct mp_profile *profile)
{
    const struct mp_view_options view = {.skip.wrappers = true};
    const struct mp_findings_options all = {0};
    struct mp_error error;
    struct mp_findings *findings = mp_findings_of(profile, &view, NULL, &all, &error);

    ck_assert_ptr_nonnull(findings);
    return tap_keep(findings, release_findings);
}

/* Compares the findings of PROFILE with EXPECTED, a line each: "kept make_widget 501: main > make_widget". */
static void
must_say(const struct mp_profile *profile, const char *expected)
{
    const struct mp_findings *findings = findings_of(profile);
    char *text;
    FILE *out = golden_stream(&text);

    for (uint32_t i = 0; i < findings->n; i++) {
        const struct mp_finding *finding = &findings->list[i];

        fprintf(out, "%s %s %u:%s", finding->rule->key, finding->function, (unsigned)finding->permille,
                finding->chain.whole ? "" : " ...");
        for (uint32_t j = 0; j < finding->n_calls; j++)
            fprintf(out, "%s%s", j > 0 || !finding->chain.whole ? " > " : " ", finding->calls[j]);
        fputc('\n', out);
    }
    ck_assert_str_eq(golden_close(out, &text), expected);
}

/* Compares the text of the first finding with EXPECTED. NULL matches any text. */
static void
sentence_must_be(const struct mp_profile *profile, const char *expected)
{
    const struct mp_findings *findings = findings_of(profile);

    if (!expected)
        return;
    ck_assert_uint_gt(findings->n, 0);
    ck_assert_str_eq(findings->list[0].text, expected);
}

/* Sets the peak of PROFILE, at which all kept blocks were alive. If TIDY is true, a block that is the only one of its
 * cell was alive, too, even if it was freed later. */
static struct mp_profile *
with_peak(struct mp_profile *profile, bool tidy)
{
    profile->meta.peak_bytes = profile->meta.peak_blocks = 0;
    for (uint32_t i = 0; i < profile->n_cells; i++) {
        struct mp_basic_counts *counts = &profile->cells[i].counts;

        counts->peak_bytes = (int64_t)(tidy && counts->allocs == 1 ? counts->bytes : counts->kept);
        counts->peak_blocks = (int64_t)counts->kept_blocks;
        profile->meta.peak_bytes += counts->peak_bytes;
        profile->meta.peak_blocks += counts->peak_blocks;
    }
    return profile;
}

/* ---------------------------------------------------------------- blocks of malloc */

#define CALLED_BY(caller, size) {"main;" caller ";get", LARGE, 1000, 1000 * (size), 1000, 1000 * (size)}
#define CLEAN {"main;clean", LARGE, 1, 1000, 1, 1000}

enum { ROWS = 10 };             /* maximum number of rows of a case, including an empty one at the end */

static const struct {
    const char *name;
    bool tidy;
    struct pb_row rows[ROWS];
    const char *said, *sentence;
} blocks[] = {
    {"again and again", false, {{"main@9;leak@3", MEDIUM, 1000, 100000, 0, 0}, {"main;once", LARGE, 2, 4000, 0, 0}},
     "kept leak 961: main (main.c:9) > leak (leak.c:3)\n", NULL},
    {"how many", false, {{"main;leak", MEDIUM, 1500, 150000, 500, 50000}}, "kept leak 1000: main > leak\n",
     "leak allocated 1,500 blocks, of 100 bytes, and freed 500: 100.0 kB in 1,000 blocks are kept, 100 % of the peak."},
    {"but once, or little", false,
     {{"main;once", LARGE, 99, 9900000, 0, 0}, {"main;little", SMALL, 1000, 8000, 0, 0}},
     "peak once 999: main > once\n", NULL},
    {"freed in the end", false, {{"main;clean", MEDIUM, 1000, 100000, 1000, 100000}}, "", NULL},
    {"a program that frees nothing", false,
     {{"main;table", MEDIUM, 1000, 100000, 0, 0}, {"main;buffers", LARGE, 10, 100000, 0, 0}}, "", NULL},
    {"nothing", false, {{0}}, "", NULL},
    {"as many places free as not", true,
     {{"main;leak", MEDIUM, 1000, 100000, 0, 0}, {"main;a", LARGE, 1, 80000, 1, 80000},
      {"main;b", LARGE, 1, 80000, 1, 80000}, {"main;c", SMALL, 1, 10, 0, 0}, {"main;d", SMALL, 1, 10, 0, 0}},
     "kept leak 384: main > leak\n", NULL},
    {"few places free", true,
     {{"main;leak", MEDIUM, 1000, 100000, 0, 0}, {"main;a", LARGE, 1, 80000, 1, 80000},
      {"main;b", SMALL, 1, 10, 0, 0}, {"main;c", SMALL, 1, 10, 0, 0}, {"main;d", SMALL, 1, 10, 0, 0}}, "", NULL},
    {"the chain of most of it", true,
     {{"main;f;g;leak", MEDIUM, 800, 80000, 0, 0}, {"main;h;g;leak", MEDIUM, 200, 20000, 0, 0}, CLEAN},
     "kept leak 990: main > f > g > leak\n", NULL},
    {"no chain of most of it", true,
     {{"main;f;g;leak", MEDIUM, 700, 70000, 0, 0}, {"main;h;g;leak", MEDIUM, 300, 30000, 0, 0}, CLEAN},
     "kept leak 990: ... > g > leak\n", NULL},
    {"how much of it came by the chain", true,
     {{"main;f;leak", MEDIUM, 800, 80000, 0, 0}, {"main;h;leak", MEDIUM, 200, 20000, 0, 0}, CLEAN},
     "kept leak 990: main > f > leak\n",
     "leak allocated 1,000 blocks, of 100 bytes, and freed none: 100.0 kB in 1,000 blocks are kept, 99 % of the peak. "
     "Other chains freed 100 % of what they held at the peak. 80 % of this came by the chain below."},
    {"the lines of a function are one place", false,
     {{"main;leak@3", MEDIUM, 800, 80000, 0, 0}, {"main;leak@8", MEDIUM, 600, 60000, 600, 60000}},
     "kept leak 1000: main > leak (leak.c:3)\n", NULL},
    {"what serves many callers is a wrapper, and they are charged", true,
     {CALLED_BY("a", 400), CALLED_BY("b", 100), CALLED_BY("c", 100), CALLED_BY("d", 100),
      {"main;leak;get", LARGE, 1000, 100000, 0, 0}, CLEAN}, "kept leak 990: main > leak\n", NULL},
    {"what has fewer callers is no wrapper", true,
     {CALLED_BY("a", 400), CALLED_BY("b", 100), CALLED_BY("c", 100),
      {"main;leak;get", LARGE, 1000, 100000, 0, 0}, CLEAN}, "kept get 990: main > leak > get\n", NULL},
    {"shared objects stay loaded", true,
     {{"main;load;libc.so.6!dlopen;ld-linux-x86-64.so.2!_dl_open", MEDIUM, 1000, 100000, 0, 0}, CLEAN}, "", NULL},
    {"what a function keeps that also loads a little", true,
     {{"main;load;libc.so.6!dlopen;ld-linux-x86-64.so.2!_dl_open", MEDIUM, 10, 1000, 0, 0},
      {"main;load", MEDIUM, 1000, 100000, 0, 0}, CLEAN}, "kept load 990: main > load\n", NULL},
    {"the largest share comes first", true,
     {{"main;small", MEDIUM, 1000, 100000, 0, 0}, {"main;large", MEDIUM, 1000, 200000, 0, 0}, CLEAN},
     "kept large 664: main > large\nkept small 332: main > small\n", NULL},
};

TEST_CASES(blocks_of_malloc, blocks)
{
    struct mp_profile *profile = with_peak(pb_done(pb_of(blocks[_i].rows)), blocks[_i].tidy);

    must_say(profile, blocks[_i].said);
    sentence_must_be(profile, blocks[_i].sentence);
}

TEST(a_program_that_was_killed)
{
    struct mp_profile *profile = with_peak(PROFILE_OF({"main;leak", MEDIUM, 1000, 100000, 0, 0}), false);

    profile->meta.ending = MP_END_KILLED;
    must_say(profile, "");
}

/* Blocks of 8 to 16 bytes that are freed, some of them before their thread allocates another. */
static const struct {
    const char *name;
    uint64_t blocks, temporary;
    uint32_t size_min;
    const char *said;
} churns[] = {
    {"of one size", 600000, 590000, 16, "churn churn 1000: main > churn\n"},
    {"half are temporary", 600000, 300000, 16, "churn churn 1000: main > churn\n"},
    {"few are temporary", 600000, 299999, 16, ""},
    {"few blocks", 300000, 300000, 16, ""},
    {"of several sizes", 600000, 590000, 8, "churn churn 1000: main > churn\n"},
};

TEST_CASES(churn, churns)
{
    const uint64_t n = churns[_i].blocks;
    struct mp_profile *profile = with_peak(PROFILE_OF({"main;churn", SMALL, n, n * 16, n, n * 16}), false);

    profile->cells[0].counts.temporary = churns[_i].temporary;
    profile->cells[0].size_min = churns[_i].size_min;
    must_say(profile, churns[_i].said);
}

TEST(small_blocks_that_stay_beside_large_ones_that_die_are_no_churn)
{
    struct mp_profile *profile = with_peak(PROFILE_OF({"main;mixed", SMALL, 1000000, 16000000, 0, 0},
                                                      {"main;mixed", EXTRA, 40000, 160000000, 40000, 160000000}),
                                           false);

    profile->meta.ending = MP_END_KILLED;
    must_say(profile, "peak mixed 1000: main > mixed\n");
}

/* Blocks of one to SIZE_MAX bytes that are all freed, of which PEAK bytes in one block were alive at the peak. */
static const struct {
    const char *name;
    struct pb_row rows[8];
    uint32_t size_min, size_max;        /* of the first row */
    int64_t peak;
    const char *said, *sentence;
} costs[] = {
#define FREED(chain, n, size) {chain, EXTRA, n, (n) * UINT64_C(size), n, (n) * UINT64_C(size)}
    {"copied to become longer", {FREED("main;load;join@7", 10000, 50000)}, 1, 100000, 100000,
     "copied join 1000: main > load > join (join.c:7)\n",
     "join (join.c:7), called by load, allocated 500.0 MB, 100 % of all bytes and 5,000 times the peak, in 10,000 "
     "blocks of all sizes from 1 B to 100.0 kB; 1 of them lived at the peak. This is what a text or an array looks "
     "like that is copied each time it becomes a little longer: the cost is the square of its length. Append in place, "
     "and double the room when it is used up."},
    {"large blocks of one size", {FREED("main;draw", 1000, 1000000)}, 1000000, 1000000, 1000000,
     "pulse draw 1000: main > draw\n",
     "draw allocated 1,000 large blocks, of 1,000,000 bytes, one after the other: 1.0 GB, 100 % of all bytes and 1,000 "
     "times the peak, 1.0 MB of which lived at the peak. Keep one and use it again."},
    {"the state of a library", {FREED("main;inflateInit", 1000, 1000000)}, 1000000, 1000000, 1000000,
     "pulse inflateInit 1000: main > inflateInit\n",
     "inflateInit allocated 1,000 large blocks, of 1,000,000 bytes, one after the other: 1.0 GB, 100 % of all bytes "
     "and 1,000 times the peak, 1.0 MB of which lived at the peak. "
     "Keep one and use it again (inflateReset() keeps its state)."},
    {"without a name", {FREED("main;resolve;init;libx.so!libx.so+0x10", 100000, 4096)}, 4096, 4096, 4096,
     "again libx.so+0x10 1000: main > resolve > init > libx.so+0x10\n",
     "libx.so+0x10 (below init), called from resolve, allocated 409.6 MB, 100 % of all bytes and 100,000 times the "
     "peak, in 100,000 blocks, of 4,096 bytes; 1 of them lived at the peak. Keep one such block and use it again "
     "instead of making new ones each time."},
    {"without a name, by two callers",
     {FREED("main;a;libx.so!libx.so+0x10", 60000, 4096), FREED("main;b;libx.so!libx.so+0x10", 40000, 4096)},
     4096, 4096, 4096, "again libx.so+0x10 1000: ... > libx.so+0x10\n",
     "libx.so+0x10, called by a (60 %) and b (40 %), allocated 409.6 MB, 100 % of all bytes and 100,000 times the "
     "peak, in 100,000 blocks, of 4,096 bytes; 1 of them lived at the peak. Keep one such block and use it again "
     "instead of making new ones each time."},
    {"many bytes", {FREED("main;read", 100000, 4096)}, 4096, 4096, 4096, "again read 1000: main > read\n",
     "read allocated 409.6 MB, 100 % of all bytes and 100,000 times the peak, in 100,000 blocks, of 4,096 bytes; 1 of "
     "them lived at the peak. Keep one such block and use it again instead of making new ones each time."},
    {"two functions with many bytes", {FREED("main;read", 100000, 4096), FREED("main;write", 50000, 4096)},
     4096, 4096, 4096, "again read 666: main > read\n",
     "read allocated 409.6 MB, 67 % of all bytes and 100,000 times the peak, in 100,000 blocks, of 4,096 bytes; 1 of "
     "them lived at the peak. Keep one such block and use it again instead of making new ones each time. The same "
     "holds for write: 204.8 MB in 50,000 blocks, of 4,096 bytes (33 % of all bytes)."},
    {"what lives long", {FREED("main;read", 100000, 4096)}, 4096, 4096, 409600000,
     "peak read 1000: main > read\n", NULL},
    {"little", {FREED("main;read", 10000, 4096)}, 4096, 4096, 4096, "", NULL},
    {"many functions",
     {FREED("main;all;a", 100000, 64), FREED("main;all;b", 100000, 64), FREED("main;all;c", 100000, 64),
      FREED("main;d", 100000, 64), FREED("main;e", 100000, 64), FREED("main;f", 100000, 64),
      FREED("main;g", 100000, 64)},
     64, 64, 64, "spread a 142: main > all > a\n",
     "700,000 blocks with 44.8 MB, 700,000 times the peak, were allocated by many functions, 43 % of the estimated "
     "cost below all. The largest: a, called by all (14 %, 100,000 blocks, of 64 bytes); b, called by all (14 %, "
     "100,000 blocks, of 64 bytes); c, called by all (14 %, 100,000 blocks, of 64 bytes)."},
};

TEST_CASES(what_costs_time, costs)
{
    struct mp_profile *profile = pb_done(pb_of(costs[_i].rows));
    struct mp_cell *cell = &profile->cells[0];

    cell->size_min = costs[_i].size_min;
    cell->size_max = costs[_i].size_max;
    cell->counts.peak_bytes = profile->meta.peak_bytes = costs[_i].peak;
    cell->counts.peak_blocks = profile->meta.peak_blocks = 1;
    must_say(profile, costs[_i].said);
    sentence_must_be(profile, costs[_i].sentence);
}

/* 10,000 blocks of up to 100 kB, of which LARGER are larger than the one before. */
static const struct {
    const char *name;
    uint64_t larger;
    uint32_t size_min;
    const char *rule;
} orders[] = {
    {"none", 0, 1000, "again"}, {"in any order", 6400, 1000, "again"}, {"some are equal", 6600, 1000, "copied"},
    {"all", 9999, 1000, "copied"}, {"some, from a large one on", 6600, 40000, "again"},
    {"all, from a large one on", 9999, 40000, "copied"},
};

TEST_CASES(what_grows_by_copying_is_known_by_the_order_of_its_blocks, orders)
{
    struct mp_profile *profile = PROFILE_OF(FREED("main;join", 10000, 50000));
    struct mp_cell *cell = &profile->cells[0];
    const struct mp_findings *findings;
    char larger[64];

    cell->size_min = orders[_i].size_min;
    cell->size_max = 100000;
    cell->counts.peak_bytes = profile->meta.peak_bytes = 100000;
    mp_cell_rest(cell, profile->arena)->counts =
        (struct mp_further_counts){.compared = 10000, .larger = orders[_i].larger, .replaced = 9998};
    findings = findings_of(profile);
    ck_assert_uint_gt(findings->n, 0);
    ck_assert_str_eq(findings->list[0].rule->key, orders[_i].rule);
    ck_assert_ptr_nonnull(strstr(findings->list[0].text, "; at most 2 of them lived at a time. "));
    snprintf(larger, sizeof larger, ", %u %% of them larger than the one before; ",
             (unsigned)(orders[_i].larger / 100));
    if (strcmp(orders[_i].rule, "copied") == 0)
        ck_assert_ptr_nonnull(strstr(findings->list[0].text, larger));
}

/* A million blocks of SIZE bytes that were alive at the peak. They are freed, unless KEPT. */
static struct mp_profile *
tiny(uint32_t size, bool kept)
{
    const uint64_t n = 1000000, bytes = n * size;
    struct mp_profile *profile = PROFILE_OF({"main;node", SMALL, n, bytes, kept ? 0 : n, kept ? 0 : bytes});

    profile->cells[0].counts.peak_blocks = profile->meta.peak_blocks = (int64_t)n;
    profile->cells[0].counts.peak_bytes = profile->meta.peak_bytes = (int64_t)bytes;
    return profile;
}

TEST(tiny_blocks)
{
    static const struct {
        uint32_t size;
        const char *said;
    } sizes[] = {{1, "tiny node 1000: main > node\n"}, {16, "tiny node 1000: main > node\n"},
                 {24, "tiny node 333: main > node\n"}, {25, "tiny node 920: main > node\n"},
                 {40, "peak node 1000: main > node\n"}, {200, "peak node 1000: main > node\n"}};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        must_say(tiny(sizes[i].size, false), sizes[i].said);
    /* Rules of two families may report the same place. */
    must_say(tiny(16, true), "kept node 1000: main > node\ntiny node 1000: main > node\n");
}

TEST(tiny_blocks_say_what_malloc_takes)
{
    const char *type = "struct node";
    struct mp_profile *profile = tiny(16, false);

    profile->types = &type;
    profile->n_types = profile->bins[16].n_types = 1;
    sentence_must_be(profile, "1,000,000 blocks of 16 bytes (so large is struct node) that node allocated "
                              "were alive at the peak. malloc of glibc takes 32.0 MB for these 16.0 MB, "
                              "reckoned by its rule for such sizes: 50 % are overhead. An array or a "
                              "pool of them needs none.");
}

/* Blocks of 10 kB at a place, which realloc made in steps, and as many elsewhere. */
static const struct {
    const char *name;
    uint64_t blocks, reallocs, moved, steps, steps_from, steps_by;
    const char *said;
} stairs[] = {
    {"small steps", 200000, 199990, 0, 199990, 1999900000, 1999900, "steps add 499: main > add\n"},
    {"by nearly a fifth", 200000, 199990, 0, 199990, 1999900000, 399979999, "steps add 499: main > add\n"},
    {"by a fifth", 200000, 199990, 0, 199990, 1999900000, 399980000, ""},
    {"half of the blocks", 200000, 100000, 0, 99990, 999900000, 999900, "steps add 249: main > add\n"},
    {"fewer", 200000, 99999, 0, 99990, 999900000, 999900, ""},
    {"few, but they move much", 20000, 19999, 100000000, 1999, 19990000, 19990, "steps add 250: main > add\n"},
    {"too few", 20000, 19999, 100000000, 999, 19990000, 19990, ""},
    {"they cost little", 2000, 1999, 10000000, 1999, 19990000, 19990, ""},
};

TEST_CASES(steps, stairs)
{
    const uint64_t n = stairs[_i].blocks;
    struct mp_profile *profile = with_peak(PROFILE_OF({"main;add", EXTRA, n, n * 10000, n, n * 10000},
                                                      {"main;other", EXTRA, n, n * 10000, n, n * 10000}), false);
    struct mp_further_counts *counts = &mp_cell_rest(pb_cell(profile, "add"), profile->arena)->counts;

    counts->reallocs = stairs[_i].reallocs;
    counts->moved = stairs[_i].moved;
    counts->steps = stairs[_i].steps;
    counts->steps_from = stairs[_i].steps_from;
    counts->steps_by = stairs[_i].steps_by;
    must_say(profile, stairs[_i].said);
}

/* ---------------------------------------------------------------- objects of Lisp */

enum { CONS = MP_KIND_LISP, DOUBLE, BIGNUM, STRING };

enum { OBJECTS = 5, COLLECTIONS = 18 };

/* Objects from one place. If they are aged, those that survived no collection are freed. */
struct objects {
    const char *chain;
    uint32_t kind;
    uint64_t n, bytes;
    bool aged;
    uint64_t survived, often;   /* objects that survived at least two collections, and four */
    uint64_t requested;         /* requested bytes; 0 means all bytes */
};

/* Lisp programs, which also have strings from a place of which no rule reports anything. */
static const struct {
    const char *name;
    uint64_t beside;            /* number of these strings */
    struct objects objects[OBJECTS];
    const char *said, *sentence;
    bool growing;               /* the live bytes grew from collection to collection */
} programs[] = {
#define NORM(n) {"main;lisp:NORM;builtin:*;runtime:ecl_make_double", DOUBLE, n, 16 * (n), false, 0, 0, 0}
    {"floats", 10000, {NORM(30000)}, "boxed NORM 428: main > NORM > *\n", NULL, false},
    {"few floats", 10000, {NORM(999)}, "", NULL, false},
    {"floats are few of all", 1000000, {NORM(30000)}, "", NULL, false},
    {"bignums", 10000, {{"main;lisp:HASH;builtin:LOGXOR;runtime:alloc", BIGNUM, 30000, 960000, false, 0, 0, 0}},
     "bignums HASH 600: main > HASH > LOGXOR\n", NULL, false},
    {"argument lists", 10000,
     {{"main;lisp:SUM;runtime:cl_grab_rest_args;runtime:ecl_cons", CONS, 30000, 480000, false, 0, 0, 0},
      {"main;lisp:BITS;builtin:SBIT;runtime:cl_grab_rest_args;runtime:ecl_cons", CONS, 10000, 160000, false, 0, 0, 0},
      {"main;lisp:PAIRS;runtime:ecl_cons", CONS, 50000, 800000, false, 0, 0, 0}},
     "rest SUM 230: main > SUM\n", NULL, false},
    {"argument lists of a function of the runtime", 10000,
     {{"main;lisp:BITS;builtin:SBIT;runtime:cl_grab_rest_args;runtime:ecl_cons", CONS, 30000, 480000, false, 0, 0, 0}},
     "rest BITS 428: main > BITS > SBIT\n",
     "BITS calls SBIT, which takes its arguments as a list: 30,000 conses: 480.0 kB, 43 % of what the program's "
     "functions allocate. Instead: ROW-MAJOR-AREF, which takes no list.", false},
    {"built-in functions", 10000,
     {{"main;lisp:ALL-ODD;builtin:EVERY;runtime:ecl_cons", CONS, 30000, 480000, false, 0, 0, 0},
      {"main;lisp:ALL-NEW;builtin:EVERY;lisp:FRESH;runtime:ecl_cons", CONS, 30000, 480000, false, 0, 0, 0},
      {"main;lisp:SQUARES;builtin:MAPCAR;runtime:ecl_cons", CONS, 30000, 480000, false, 0, 0, 0}},
     "builtin ALL-ODD 230: main > ALL-ODD > EVERY\n", NULL, false},
    {"generic functions", 10000,
     {{"main;lisp:DRAW;dispatch:GF;miss:dispatch of AREA;builtin:SORT-METHODS;runtime:alloc", STRING, 30000, 960000,
       false, 0, 0, 0},
      {"main;lisp:PAINT;dispatch:GF;builtin:FILL-METHOD;runtime:alloc", STRING, 30000, 960000, false, 0, 0, 0}},
     "dispatch DRAW 375: main > DRAW > dispatch of AREA > SORT-METHODS\n", NULL, false},
#define MAKE(n, survived, often, requested)                                                                           \
    {"main;lisp:MAKE;runtime:alloc", STRING, n, 64 * (n), true, survived, often, requested}
    {"what dies at once", 10000, {MAKE(200000, 100, 0, 0)}, "fleeting MAKE 952: main > MAKE\n", NULL, false},
    {"what does not die at once", 10000, {MAKE(200000, 10000, 0, 0)}, "", NULL, false},
    {"what dies at once is little of all", 600000, {MAKE(200000, 100, 0, 0)}, "", NULL, false},
    {"what stays", 10000, {MAKE(30000, 30000, 20000, 0)}, "tenured MAKE 1000: main > MAKE\n", NULL, false},
    {"what does not stay", 10000, {MAKE(30000, 30000, 10000, 0)}, "", NULL, false},
    {"what is larger than requested", 10000, {MAKE(50000, 10000, 0, 33 * 50000)}, "rounded MAKE 403: main > MAKE\n",
     NULL, false},
    {"what is little larger", 10000, {MAKE(50000, 10000, 0, 60 * 50000)}, "", NULL, false},
    {"a fault is reported once", 10000,
     {{"main;lisp:NORM;builtin:*;runtime:ecl_make_double", DOUBLE, 300000, 4800000, true, 0, 0, 0}},
     "boxed NORM 967: main > NORM > *\n", NULL, false},
#define HOLD(name, n) {"main;lisp:" name ";runtime:alloc", STRING, n, 1000 * (n), true, n, 0, 0}
    {"few grow together", 1000, {HOLD("PUT", 4000), HOLD("HOLD", 5000), HOLD("LITTLE", 500)},
     "grows HOLD 947: main > HOLD\n",
     "What collections left alive grew from the beginning to the end and was never less: "
     "2.1 MB were alive after a quarter of the time, 4.7 MB after half, 7.4 MB after three quarters, "
     "and 9.5 MB in the end. 2 places together made 9.0 MB of what lives still, in 9,000 objects, "
     "95 % of the peak: HOLD 5.0 MB and PUT 4.0 MB.", true},
    {"one grows", 1000, {HOLD("HOLD", 9000), HOLD("PUT", 500)}, "grows HOLD 947: main > HOLD\n", NULL, true},
    /* Places that have little are not named, even if they would be enough with the largest. */
    {"one grows and others are small", 1000, {HOLD("HOLD", 8500), HOLD("PUT", 900), HOLD("LITTLE", 500)}, "", NULL,
     true},
    /* Five places are needed for nearly all bytes, which are more than a sentence names. */
    {"many grow", 1000, {HOLD("A", 2000), HOLD("B", 2000), HOLD("C", 2000), HOLD("D", 2000), HOLD("E", 2000)}, "", NULL,
     true},
};

static void
add_objects(struct pb *pb, const struct objects *objects)
{
    struct mp_cell *cell = pb_objects(pb, objects->chain, objects->kind, objects->n, objects->bytes);
    struct mp_further_counts *counts = &cell->rest->counts;

    if (!objects->aged)
        return;
    counts->requested = objects->requested ? objects->requested : objects->bytes;
    counts->survived[0] = counts->survived[1] = objects->survived;
    counts->survived[2] = objects->often;
    counts->aged = objects->bytes / objects->n * objects->survived;
    cell->counts.frees = objects->n - objects->survived;
    cell->counts.freed = objects->bytes - counts->aged;
}

static void
add_collections(struct mp_profile *profile)
{
    struct mp_moment moments[COLLECTIONS + 2];

    profile->meta.duration = (COLLECTIONS + 1) * UINT64_C(1000);
    for (uint32_t i = 0; i < COLLECTIONS + 2; i++) {
        const bool within = i > 0 && i <= COLLECTIONS;

        moments[i] = (struct mp_moment){
            .kind = within ? MP_MOMENT_COLLECTION : i == 0 ? MP_MOMENT_START : MP_MOMENT_END,
            .time = i * UINT64_C(1000), .name = "", .exact = true, .has_changes = !within,
            .heap_after = (uint64_t)profile->meta.peak_bytes / COLLECTIONS * i};
    }
    pb_timeline(profile, moments, COLLECTIONS + 2, NULL, 0);
}

TEST_CASES(objects_of_lisp, programs)
{
    const uint64_t beside = programs[_i].beside;
    struct pb *pb = pb_new();
    struct mp_profile *profile;

    pb_kind(pb, CONS, CONS, "CONS", 'c');
    pb_kind(pb, DOUBLE, DOUBLE, "DOUBLE-FLOAT", 'f');
    pb_kind(pb, BIGNUM, BIGNUM, "BIGNUM", 'o');
    pb_kind(pb, STRING, STRING, "STRING", 's');
    pb_objects(pb, "main;lisp:MAKE-NAMES;builtin:COPY-SEQ;runtime:alloc", STRING, beside, 64 * beside);
    for (unsigned i = 0; i < OBJECTS && programs[_i].objects[i].chain; i++)
        add_objects(pb, &programs[_i].objects[i]);
    profile = pb_done(pb);
    if (programs[_i].growing)
        add_collections(with_peak(profile, false));
    must_say(profile, programs[_i].said);
    sentence_must_be(profile, programs[_i].sentence);
}

/* ---------------------------------------------------------------- growth */

enum { POLLS = 10 };

/* A process that is polled ten times: bytes of its only cell that are alive, in units of 10 kB. */
static const struct {
    const char *name;
    unsigned live[POLLS], hidden;       /* polls 4 to 3 + HIDDEN have no counters of contexts */
    const char *said, *sentence;
} grown[] = {
    {"always", {0, 100, 200, 300, 400, 500, 600, 700, 800, 900}, 0, "grows grow 1000: main > grow (grow.c:5)\n",
     "What grow (grow.c:5) allocates grew from the beginning to the end and was never less: 2.0 MB were alive after "
     "a quarter of the time, 4.0 MB after half, 6.0 MB after three quarters, 9.0 MB in the end, 100 % of the peak. Of "
     "its 9,000 blocks, of 1,000 bytes, none were freed."},
    {"until it is large enough", {0, 300, 600, 900, 900, 900, 900, 900, 900, 900}, 0,
     "kept grow 1000: main > grow (grow.c:5)\n", NULL},
    {"but falls once", {0, 100, 200, 300, 200, 500, 600, 700, 800, 190}, 0,
     "peak grow 1000: main > grow (grow.c:5)\n", NULL},
    {"a little", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 0, "", NULL},
    {"in too few polls", {0, 100, 200, 300, 400, 500, 600, 700, 800, 900}, 2,
     "kept grow 1000: main > grow (grow.c:5)\n", NULL},
};

static struct mp_profile *
over_time(const unsigned live[static POLLS])
{
    struct mp_moment moments[POLLS];
    struct mp_change changes[POLLS] = {{0}};
    struct mp_profile *profile;
    uint64_t most = 0, allocated = 0, freed = 0;

    for (uint32_t i = 0; i < POLLS; i++) {
        const bool end = i + 1 == POLLS;
        const uint64_t now = live[i] * UINT64_C(10000), before = i > 0 ? live[i - 1] * UINT64_C(10000) : 0;

        moments[i] = (struct mp_moment){
            .kind = end ? MP_MOMENT_END : i == 0 ? MP_MOMENT_START : MP_MOMENT_SEEN, .time = i * UINT64_C(1000),
            .name = "", .has_changes = true, .first_change = i, .n_changes = !end};
        changes[i].bytes = now > before ? now - before : 0;
        changes[i].freed = now < before ? before - now : 0;
        changes[i].allocs = changes[i].bytes / 1000;
        changes[i].frees = changes[i].freed / 1000;
        allocated += changes[i].bytes;
        freed += changes[i].freed;
        most = now > most ? now : most;
    }
    profile = PROFILE_OF({"main;grow@5", LARGE, allocated / 1000, allocated, freed / 1000, freed});
    for (uint32_t i = 0; i < POLLS; i++) {
        changes[i].context = profile->cells[0].context;
        changes[i].kind = profile->cells[0].kind;
    }
    with_peak(profile, false);
    profile->meta.peak_bytes = profile->cells[0].counts.peak_bytes = (int64_t)most;
    profile->meta.duration = (POLLS - 1) * 1000;
    pb_timeline(profile, moments, POLLS, changes, POLLS - 1);
    return profile;
}

TEST_CASES(growth, grown)
{
    struct mp_profile *profile = over_time(grown[_i].live);

    for (unsigned i = 0; i < grown[_i].hidden; i++)
        profile->timeline->moments[4 + i].has_changes = false;
    must_say(profile, grown[_i].said);
    sentence_must_be(profile, grown[_i].sentence);
}

#define NOT_ONE_PHASE "peak copy 1000: main > sort > copy\n"

/* Time lines of N_POINTS points. HIGH points from the 40th on, and point SECOND, have the peak of 10 MB; the others
 * have OTHER bytes. FREED bytes of the peak are freed later. */
static const struct {
    const char *name;
    unsigned n_points, high, second;
    uint64_t other, freed;
    const char *said;
} peaks[] = {
    {"a short phase", 100, 5, 0, 1000000, 10000000, "phase copy 900: main > sort > copy\n"},
    {"a long phase", 100, 20, 0, 1000000, 10000000, NOT_ONE_PHASE},
    {"a low peak", 100, 5, 0, 6000000, 10000000, NOT_ONE_PHASE},
    {"two phases", 100, 3, 80, 1000000, 10000000, NOT_ONE_PHASE},
    {"half of it is freed", 100, 5, 0, 1000000, 5000000, "phase copy 900: main > sort > copy\n"},
    {"most of it stays", 100, 5, 0, 1000000, 4000000, NOT_ONE_PHASE},
};

TEST_CASES(phases, peaks)
{
    struct mp_point points[100];
    struct mp_profile *profile = PROFILE_OF({"main;sort;copy", EXTRA, 10, 10000000, peaks[_i].freed / 1000000,
                                              peaks[_i].freed});

    for (uint32_t i = 0; i < 100; i++) {
        const bool high = (i >= 40 && i < 40 + peaks[_i].high) || (i > 0 && i == peaks[_i].second);

        points[i] = (struct mp_point){.time = i * UINT64_C(1000), .live = high ? 10000000 : peaks[_i].other};
    }
    profile->cells[0].counts.peak_bytes = profile->meta.peak_bytes = 10000000;
    profile->meta.duration = 100 * 1000;
    pb_timeline(profile, NULL, 0, NULL, 0);
    profile->timeline->points = points;
    profile->timeline->n_points = peaks[_i].n_points;
    must_say(profile, peaks[_i].said);
}

/* The live bytes between two points are interpolated linearly. The peak is 10 MB. */
static const struct {
    const char *name;
    struct mp_point points[5];
    const char *said;
} lines[] = {
    {"a steady rise and a fall at once", {{.time = 0}, {.time = 99000, .live = 10000000}, {.time = 99001},
                                          {.time = 100000}}, NOT_ONE_PHASE},
    {"a fall at once after a flat time", {{.time = 0, .live = 10000000}, {.time = 50000, .live = 10000000},
                                          {.time = 50001}, {.time = 100000}}, NOT_ONE_PHASE},
    {"a rise at once", {{.time = 0}, {.time = 90000}, {.time = 90001, .live = 10000000},
                        {.time = 95000, .live = 10000000}, {.time = 100000, .live = 1}},
     "phase copy 999: main > sort > copy\n"},
};

TEST_CASES(corners, lines)
{
    struct mp_profile *profile = PROFILE_OF({"main;sort;copy", EXTRA, 10, 10000000, 10, 10000000});
    uint32_t n = 1;

    profile->cells[0].counts.peak_bytes = profile->meta.peak_bytes = 10000000;
    profile->meta.duration = 100000;
    pb_timeline(profile, NULL, 0, NULL, 0);
    profile->timeline->points = mp_arena_alloc(profile->arena, sizeof lines[_i].points);
    memcpy(profile->timeline->points, lines[_i].points, sizeof lines[_i].points);
    while (n < 5 && lines[_i].points[n].time > 0)
        n++;
    profile->timeline->n_points = n;
    must_say(profile, lines[_i].said);
}

/* ---------------------------------------------------------------- the whole */

TEST(findings_are_limited_and_have_commands)
{
    const struct mp_findings *findings;
    struct mp_profile *profile = with_peak(PROFILE_OF({"main;small", MEDIUM, 1000, 100000, 0, 0},
                                                      {"main;large", MEDIUM, 1000, 200000, 0, 0}, CLEAN), true);

    findings = tap_keep(mp_findings_new(profile, &(struct mp_findings_options){.most = 1, .file = "a b"}),
                        release_findings);
    ck_assert_uint_eq(findings->n, 1);
    ck_assert_uint_eq(findings->left_out, 1);
    ck_assert_str_eq(findings->list[0].command,
                     "mprof report --table=leaks --lines --function='^large$' 'a b'");
    /* characters of the name that have a meaning in regular expressions are escaped */
    profile = with_peak(PROFILE_OF({"main;a.b[]", MEDIUM, 1000, 100000, 0, 0}), false);
    findings = tap_keep(mp_findings_new(profile, &(struct mp_findings_options){0}), release_findings);
    ck_assert_str_eq(findings->list[0].command,
                     "mprof report --table=leaks --lines --function='^a\\.b\\[\\]$'");
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
/* SPDX-License-Identifier: MIT */
