#include "tests/unit/tap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/table/table_graph.h"
#include "tests/unit/golden.h"
#include "tests/unit/graph/way.h"

static const struct mp_entry *
whole(const struct way *way, uint32_t number)
{
    ck_assert_uint_le(number, way->reduced->n_cycles);
    return &way->reduced->entries[way->reduced->entry_of_cycle[number]];
}

/* Returns the inside of the cycle to which the function called MEMBER belongs. */
static struct mp_inside
inside(const struct way *way, const char *member)
{
    uint32_t entry = way->reduced->entry_of[pb_function(way->profile, member)];
    struct mp_inside inside;

    ck_assert_uint_gt(way->reduced->entries[entry].cycle, 0);
    mp_cycles_inside(way->cycles, whole(way, way->reduced->entries[entry].cycle), keep_arena(), &inside);
    return inside;
}

/* Compares "NAME BYTES, NAME BYTES". Names of members have a star. NULL matches anything. */
static void
rows_must_be(const struct way *way, const struct mp_row *rows, uint32_t n, const char *expected)
{
    char *text;
    FILE *out = golden_stream(&text);

    for (uint32_t i = 0; i < n; i++)
        fprintf(out, "%s%s%s %" PRIu64, i > 0 ? ", " : "", way->profile->functions[rows[i].function].text,
                rows[i].same_cycle ? "*" : "", mp_sums_bytes(rows[i].sums));
    golden_close(out, &text);
    if (expected)
        ck_assert_str_eq(text, expected);
}

static void
arcs_must_be(const struct way *way, const struct mp_inside *in, const char *expected)
{
    char *text;
    FILE *out = golden_stream(&text);

    for (uint32_t i = 0; i < in->n_arcs; i++)
        fprintf(out, "%s%s > %s %" PRIu64, i > 0 ? ", " : "", way->profile->functions[in->arcs[i]->caller].text,
                way->profile->functions[in->arcs[i]->callee].text, mp_sums_bytes(&in->arcs[i]->sums));
    golden_close(out, &text);
    if (expected)
        ck_assert_str_eq(text, expected);
}

/* ---------------------------------------------------------------- known by construction */

#define SMALL MP_KIND_SMALL
#define SPAWN                                                                                      \
    {{"libc.so.6!clone3;worker", SMALL, 1, 100, 0, 0}, {"libc.so.6!clone3", SMALL, 1, 20, 0, 0},   \
     {"main;spawn;libc.so.6!clone3;spawn", SMALL, 1, 3, 0, 0}}

/* Cycles, each identified by a member, and their insides. */
static const struct {
    const char *name;
    struct pb_row rows[6];
    bool keep_startup;
    struct {
        const char *member, *allocators, *innermost, *arcs;
    } cycles[2];
    uint64_t inclusive;         /* of cycle 1 */
} cases[] = {
    /* An interpreter: all of its core is 100 %, but not all that leaves the core. */
    {"what leaves a core tells it apart",
     {{"main;eval;apply;eval;cons", SMALL, 4, 400, 0, 0}, {"main;eval;apply;eval;apply;list;cons", SMALL, 3, 300, 0, 0},
      {"main;load;eval;apply", MP_KIND_LARGE, 1, 50, 0, 0}}, false,
     {{"eval", "cons 700, apply* 50", "eval* 400, apply* 350", "eval > apply 750, apply > eval 700"}}, 750},
    {"a cycle below another counts for both",
     {{"main;a;b;a;x;c;d;c;malloc_it", SMALL, 1, 1000, 0, 0}, {"main;c;d;malloc_it", SMALL, 1, 100, 0, 0},
      {"main;a;malloc_it", SMALL, 1, 10, 0, 0}, {"main;malloc_it", SMALL, 1, 1, 0, 0}, {"main;x;c", SMALL, 1, 5, 0, 0}},
     false,
     {{"b", "malloc_it 1010", "a* 1010", NULL},
      {"d", "malloc_it 1100, c* 5", "c* 1005, d* 100", "c > d 1100, d > c 1000"}}, 1105},
    {"a member of another cycle is no member", {{"main;a;b;a;c;d;c", SMALL, 1, 10, 0, 0}}, false,
     {{"a", "c 10", NULL, NULL}, {"c", "c* 10", NULL, NULL}}, 10},
    {"a self arc in a cycle is one of its arcs",
     {{"main;f;f;g;f", SMALL, 1, 10, 0, 0}, {"main;f;f", SMALL, 1, 7, 0, 0}}, false,
     {{"g", NULL, "f* 17", "f > f 17, f > g 10, g > f 10"}}, 17},
    {"inlined members are on the way",
     {{"main;f/g/f;leaf/inner", SMALL, 1, 10, 0, 0}, {"main/f/leaf", SMALL, 1, 3, 0, 0}}, false,
     {{"f", "inner 10, leaf 3", "f* 13", NULL}}, 13},
    /* Hidden frames above main belong to no chain. Their own allocations have chains of their own. */
    {"start-up frames are hidden", SPAWN, false,
     {{"spawn", "clone3* 20, spawn* 3", "clone3* 20, spawn* 3", NULL}}, 23},
    {"start-up frames are shown", SPAWN, true,
     {{"spawn", "worker 100, clone3* 20, spawn* 3", "clone3* 120, spawn* 3", NULL}}, 123},
    /* The chain of a hidden frame with an inlined call consists of the inlined function. */
    {"a hidden frame that allocates is its inner function",
     {{"libc.so.6!clone3/start_thread", SMALL, 1, 20, 0, 0},
      {"main;libc.so.6!start_thread;libc.so.6!clone3;libc.so.6!start_thread", SMALL, 1, 3, 0, 0}}, false,
     {{"clone3", "start_thread* 23", "start_thread* 23", NULL}}, 23},
};

TEST_CASES(insides_of_cycles, cases)
{
    const struct way *way = way_of(pb_done(pb_of(cases[_i].rows)), cases[_i].keep_startup);

    ck_assert_uint_eq(mp_sums_bytes(&whole(way, 1)->inclusive), cases[_i].inclusive);
    for (unsigned i = 0; i < 2 && cases[_i].cycles[i].member; i++) {
        const struct mp_inside in = inside(way, cases[_i].cycles[i].member);

        rows_must_be(way, in.allocators, in.n_allocators, cases[_i].cycles[i].allocators);
        rows_must_be(way, in.innermost, in.n_innermost, cases[_i].cycles[i].innermost);
        arcs_must_be(way, &in, cases[_i].cycles[i].arcs);
    }
}

TEST(chains_that_only_freed_count_for_nothing)
{
    const struct way *way;
    struct mp_inside in;
    struct mp_profile *profile = PROFILE_OF({"main;f;g;f;new", SMALL, 1, 10, 0, 0}, {"main;f;g;old", SMALL, 0, 0, 1, 5},
                                            {"main;f;nothing", SMALL, 1, 0, 0, 0});

    for (uint32_t i = 0; i < profile->n_cells; i++)
        profile->cells[i].counts.kept = profile->cells[i].counts.kept_blocks = 0;
    way = way_of(profile, false);
    in = inside(way, "f");
    rows_must_be(way, in.allocators, in.n_allocators, "new 10, nothing 0");
}

TEST(a_program_without_cycles_has_none)
{
    ck_assert_uint_eq(way_of(pb_example(), false)->reduced->n_cycles, 0);
    mp_cycles_free(NULL);
}

/* ---------------------------------------------------------------- large ones */

/* Returns a profile of N_FUNCTIONS functions with the chain of the functions CHAIN[0] to CHAIN[N - 1]. BYTES were
 * allocated at the end of the chain, and 1 byte in each frame before. */
static struct mp_profile *
long_chain(const uint32_t *chain, uint32_t n, uint32_t n_functions, uint64_t bytes)
{
    struct mp_profile *p = mp_profile_new();

    p->symbolised = true;
    p->n_functions = p->n_locations = p->n_frames = n_functions;
    p->functions = mp_arena_alloc(p->arena, n_functions * sizeof *p->functions);
    p->locations = mp_arena_alloc(p->arena, n_functions * sizeof *p->locations);
    p->frames = mp_arena_alloc(p->arena, n_functions * sizeof *p->frames);
    for (uint32_t i = 0; i < n_functions; i++) {
        p->functions[i] = (struct mp_function) {
            .text = mp_arena_printf(p->arena, "f%u", i), .module = MP_NO_ID, .start = i};
        p->locations[i] = (struct mp_location) {.function = i, .file = ""};
        p->frames[i] = (struct mp_frame) {.module = MP_NO_ID, .offset = i, .name = MP_NO_ID,
                                          .first_location = i, .n_locations = 1};
    }
    p->n_contexts = n + 1;
    p->n_cells = n;
    p->contexts = mp_arena_alloc(p->arena, (n + (size_t)1) * sizeof *p->contexts);
    p->cells = mp_arena_alloc(p->arena, n * sizeof *p->cells);
    p->contexts[0].frame = MP_NO_ID;
    for (uint32_t i = 0; i < n; i++) {
        p->contexts[i + 1] = (struct mp_context) {i, chain[i]};
        p->cells[i] = (struct mp_cell) {.context = i + 1, .kind = MP_KIND_SMALL,
                                        .counts = {.allocs = 1, .bytes = i + 1 == n ? bytes : 1}};
    }
    return p;
}

static size_t
lines_of_table(const struct way *way, const struct mp_print_options *options, char **text)
{
    const struct mp_table_request request = {
        .profile = way->profile, .graph = way->graph, .reduced = way->reduced, .options = options};
    struct mp_table *table = mp_table_graph(&request);
    FILE *out = golden_stream(text);
    struct mp_error error;
    size_t lines = 0;

    ck_assert(mp_table_graph_print(table, options, out, &error));
    mp_table_free(table);
    golden_close(out, text);
    for (const char *c = *text; *c; c++)
        lines += *c == '\n';
    return lines;
}

#define RING 100000u

TEST(a_ring_of_a_hundred_thousand)
{
    struct mp_print_options options = MP_PRINT_DEFAULT;
    uint32_t *chain = malloc((RING + 1) * sizeof *chain);
    struct mp_inside in;
    const struct way *way;
    char *text;

    ck_assert_ptr_nonnull(chain);
    for (uint32_t i = 0; i <= RING; i++)
        chain[i] = i % RING;
    way = way_of(keep_profile(long_chain(chain, RING + 1, RING, 5)), false);
    free(chain);
    ck_assert_uint_eq(whole(way, 1)->n_members, RING);
    mp_cycles_inside(way->cycles, whole(way, 1), keep_arena(), &in);
    ck_assert_uint_eq(in.n_allocators, RING);
    ck_assert_uint_eq(in.n_innermost, RING);
    ck_assert_uint_eq(in.n_arcs, RING);
    ck_assert_uint_eq(in.allocators[0].function, 0);
    ck_assert_uint_eq(mp_sums_bytes(in.allocators[0].sums), 5 + 1);
    ck_assert_uint_eq(mp_sums_bytes(&in.arcs[0]->sums), RING - 1 + 5);
    ck_assert_uint_eq(mp_sums_bytes(&in.arcs[RING - 1]->sums), 5);

    options.permille = 1;
    options.most = 1;
    ck_assert_uint_lt(lines_of_table(way, &options, &text), 30);
    ck_assert_ptr_nonnull(strstr(text, "(99999 others)"));
}

/* Each cycle of two functions is called by the previous one. The insides of all cycles together would have a number of
 * rows that is quadratic in the number of cycles. */
TEST(cycles_below_cycles_are_told_up_to_a_number)
{
    uint32_t n = MP_CYCLES_TOLD + 500, *chain = malloc(3 * (size_t)n * sizeof *chain);
    struct mp_print_options options = MP_PRINT_DEFAULT;
    struct mp_inside in;
    const struct way *way;
    char *text;

    ck_assert_ptr_nonnull(chain);
    for (uint32_t i = 0; i < n; i++) {
        chain[3 * i] = chain[3 * i + 2] = 2 * i;
        chain[3 * i + 1] = 2 * i + 1;
    }
    way = way_of(keep_profile(long_chain(chain, 3 * n, 2 * n, 1)), false);
    free(chain);
    ck_assert_uint_eq(way->reduced->n_cycles, n);
    mp_cycles_inside(way->cycles, whole(way, MP_CYCLES_TOLD), keep_arena(), &in);
    ck_assert_uint_eq(in.n_innermost, 2);
    ck_assert_uint_eq(in.n_allocators, 2 * (n - MP_CYCLES_TOLD + 1));
    options.verbosity = MP_TERSE;
    lines_of_table(way, &options, &text);
    ck_assert_ptr_nonnull(strstr(text, "(what is inside is told of 1000 cycles only)\n"));
}
/* SPDX-License-Identifier: MIT */
