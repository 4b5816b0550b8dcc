#include "tests/unit/tap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/graph/cycles.h"
#include "reporter/output/table_graph.h"
#include "tests/unit/golden.h"
#include "tests/unit/profile_builder.h"

/* A profile on its way to what is inside of its cycles. */
struct way {
    struct mp_profile *profile;
    struct mp_graph *graph;
    struct mp_reduced *reduced;
    struct mp_cycles *cycles;
    struct mp_arena *arena;
};

static struct way
way_of(struct mp_profile *profile, bool keep_startup)
{
    struct mp_graph_options options = {.keep_startup = keep_startup};
    struct way way = {.profile = profile, .arena = mp_arena_new()};

    way.graph = mp_graph_build(profile, &options);
    way.reduced = mp_reduce(profile, way.graph);
    way.cycles = mp_cycles_new(way.reduced);
    return way;
}

static void
free_way(struct way *way)
{
    mp_cycles_free(way->cycles);
    mp_reduced_free(way->reduced);
    mp_graph_free(way->graph);
    mp_arena_free(way->arena);
}

static const struct mp_entry *
whole(const struct way *way, uint32_t number)
{
    ck_assert_uint_le(number, way->reduced->n_cycles);
    return &way->reduced->entries[way->reduced->entry_of_cycle[number]];
}

/* The cycle that the function called MEMBER is in. */
static struct mp_inside
inside(const struct way *way, const char *member)
{
    uint32_t entry = way->reduced->entry_of[pb_function(way->profile, member)];
    struct mp_inside inside;

    ck_assert_uint_gt(way->reduced->entries[entry].cycle, 0);
    mp_cycles_inside(way->cycles, whole(way, way->reduced->entries[entry].cycle), way->arena,
                     &inside);
    return inside;
}

/* "NAME BYTES, NAME BYTES", a star behind the name of a member. */
static const char *
rows(const struct way *way, const struct mp_row *row, uint32_t n)
{
    char *text = mp_arena_strdup(way->arena, "");

    for (uint32_t i = 0; i < n; i++)
        text = mp_arena_printf(way->arena, "%s%s%s%s %" PRIu64, text, i > 0 ? ", " : "",
                               way->profile->functions[row[i].function].name,
                               row[i].same_cycle ? "*" : "", mp_sums_bytes(row[i].sums));
    return text;
}

static const char *
allocators(const struct way *way, const char *member)
{
    struct mp_inside in = inside(way, member);

    return rows(way, in.allocators, in.n_allocators);
}

static const char *
innermost(const struct way *way, const char *member)
{
    struct mp_inside in = inside(way, member);

    return rows(way, in.innermost, in.n_innermost);
}

static const char *
arcs(const struct way *way, const char *member)
{
    struct mp_inside in = inside(way, member);
    char *text = mp_arena_strdup(way->arena, "");

    for (uint32_t i = 0; i < in.n_arcs; i++)
        text = mp_arena_printf(way->arena, "%s%s%s > %s %" PRIu64, text, i > 0 ? ", " : "",
                               way->profile->functions[in.arcs[i]->caller].name,
                               way->profile->functions[in.arcs[i]->callee].name,
                               mp_sums_bytes(&in.arcs[i]->sums));
    return text;
}

/* ---------------------------------------------------------------- known by construction */

/* An interpreter: what its core holds is all 100 %, what leaves it is not. */
TEST(what_leaves_a_core_tells_it_apart)
{
    struct way way = way_of(PROFILE_OF(
        {"main;eval;apply;eval;cons", MP_KIND_SMALL, 4, 400, 0, 0},
        {"main;eval;apply;eval;apply;list;cons", MP_KIND_SMALL, 3, 300, 0, 0},
        {"main;load;eval;apply", MP_KIND_LARGE, 1, 50, 0, 0}), false);

    ck_assert_uint_eq(mp_sums_bytes(&whole(&way, 1)->inclusive), 750);
    ck_assert_str_eq(allocators(&way, "eval"), "cons 700, apply* 50");
    ck_assert_str_eq(innermost(&way, "eval"), "eval* 400, apply* 350");
    ck_assert_str_eq(arcs(&way, "eval"), "eval > apply 750, apply > eval 700");
    free_way(&way);
}

TEST(a_cycle_below_another_counts_for_both)
{
    struct way way = way_of(PROFILE_OF(
        {"main;a;b;a;x;c;d;c;malloc_it", MP_KIND_SMALL, 1, 1000, 0, 0},
        {"main;c;d;malloc_it", MP_KIND_SMALL, 1, 100, 0, 0},
        {"main;a;malloc_it", MP_KIND_SMALL, 1, 10, 0, 0},
        {"main;malloc_it", MP_KIND_SMALL, 1, 1, 0, 0},
        {"main;x;c", MP_KIND_SMALL, 1, 5, 0, 0}), false);

    ck_assert_str_eq(allocators(&way, "a"), "malloc_it 1010");
    ck_assert_str_eq(innermost(&way, "b"), "a* 1010");
    ck_assert_str_eq(allocators(&way, "c"), "malloc_it 1100, c* 5");
    ck_assert_str_eq(innermost(&way, "d"), "c* 1005, d* 100");
    ck_assert_str_eq(arcs(&way, "d"), "c > d 1100, d > c 1000");
    free_way(&way);
}

TEST(a_member_of_another_cycle_is_no_member)
{
    struct way way = way_of(PROFILE_OF({"main;a;b;a;c;d;c", MP_KIND_SMALL, 1, 10, 0, 0}), false);

    ck_assert_str_eq(allocators(&way, "a"), "c 10");
    ck_assert_str_eq(allocators(&way, "c"), "c* 10");
    free_way(&way);
}

TEST(a_self_arc_in_a_cycle_is_one_of_its_arcs)
{
    struct way way = way_of(PROFILE_OF({"main;f;f;g;f", MP_KIND_SMALL, 1, 10, 0, 0},
                                       {"main;f;f", MP_KIND_SMALL, 1, 7, 0, 0}), false);

    ck_assert_str_eq(arcs(&way, "g"), "f > f 17, f > g 10, g > f 10");
    ck_assert_str_eq(innermost(&way, "g"), "f* 17");
    free_way(&way);
}

TEST(inlined_members_are_on_the_way)
{
    struct way way = way_of(PROFILE_OF({"main;f/g/f;leaf/inner", MP_KIND_SMALL, 1, 10, 0, 0},
                                       {"main/f/leaf", MP_KIND_SMALL, 1, 3, 0, 0}), false);

    ck_assert_str_eq(allocators(&way, "f"), "inner 10, leaf 3");
    ck_assert_str_eq(innermost(&way, "f"), "f* 13");
    free_way(&way);
}

TEST(chains_that_only_freed_count_for_nothing)
{
    struct way way;
    struct mp_profile *profile = PROFILE_OF({"main;f;g;f;new", MP_KIND_SMALL, 1, 10, 0, 0},
                                            {"main;f;g;old", MP_KIND_SMALL, 0, 0, 1, 5},
                                            {"main;f;nothing", MP_KIND_SMALL, 1, 0, 0, 0});

    for (uint32_t i = 0; i < profile->n_cells; i++)
        profile->cells[i].counts.kept = profile->cells[i].counts.kept_blocks = 0;
    way = way_of(profile, false);
    ck_assert_str_eq(allocators(&way, "f"), "new 10, nothing 0");
    free_way(&way);
}

/* What is hidden above main is on no way; what it allocates itself has a chain of its own. */
TEST(startup_frames_are_on_the_way_when_they_are_shown)
{
    static const bool keep[] = {false, true};

    for (size_t i = 0; i < 2; i++) {
        struct pb *pb = pb_new();
        struct way way;

        pb_add(pb, "libc.so.6!clone3;worker", MP_KIND_SMALL, 1, 100, 0, 0);
        pb_add(pb, "libc.so.6!clone3", MP_KIND_SMALL, 1, 20, 0, 0);
        pb_add(pb, "main;spawn;libc.so.6!clone3;spawn", MP_KIND_SMALL, 1, 3, 0, 0);
        way = way_of(pb_done(pb), keep[i]);
        ck_assert_str_eq(allocators(&way, "spawn"),
                         keep[i] ? "worker 100, clone3* 20, spawn* 3" : "clone3* 20, spawn* 3");
        ck_assert_str_eq(innermost(&way, "spawn"),
                         keep[i] ? "clone3* 120, spawn* 3" : "clone3* 20, spawn* 3");
        free_way(&way);
    }
}

/* Of a hidden frame with an inlined call, the inlined function has the chain. */
TEST(a_hidden_frame_that_allocates_is_its_inner_function)
{
    struct pb *pb = pb_new();
    struct way way;

    pb_add(pb, "libc.so.6!clone3/start_thread", MP_KIND_SMALL, 1, 20, 0, 0);
    pb_add(pb, "main;libc.so.6!start_thread;libc.so.6!clone3;libc.so.6!start_thread",
           MP_KIND_SMALL, 1, 3, 0, 0);
    way = way_of(pb_done(pb), false);
    ck_assert_uint_eq(mp_sums_bytes(&whole(&way, 1)->inclusive), 23);
    ck_assert_str_eq(allocators(&way, "clone3"), "start_thread* 23");
    ck_assert_str_eq(innermost(&way, "clone3"), "start_thread* 23");
    free_way(&way);
}

TEST(a_program_without_cycles_has_none)
{
    struct way way = way_of(pb_example(), false);

    ck_assert_uint_eq(way.reduced->n_cycles, 0);
    free_way(&way);
    mp_cycles_free(NULL);
}

/* ---------------------------------------------------------------- large ones */

/* One chain over functions CHAIN[0] .. CHAIN[N - 1] of N_FUNCTIONS; BYTES were allocated at its
 * end, and 1 in each frame before. */
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
            .name = mp_arena_printf(p->arena, "f%u", i), .module = MP_NO_ID, .start = i};
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
    fclose(out);
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
    struct way way;
    char *text;

    ck_assert_ptr_nonnull(chain);
    for (uint32_t i = 0; i <= RING; i++)
        chain[i] = i % RING;
    way = way_of(long_chain(chain, RING + 1, RING, 5), false);
    free(chain);
    ck_assert_uint_eq(whole(&way, 1)->n_members, RING);
    mp_cycles_inside(way.cycles, whole(&way, 1), way.arena, &in);
    ck_assert_uint_eq(in.n_allocators, RING);
    ck_assert_uint_eq(in.n_innermost, RING);
    ck_assert_uint_eq(in.n_arcs, RING);
    ck_assert_uint_eq(in.allocators[0].function, 0);
    ck_assert_uint_eq(mp_sums_bytes(in.allocators[0].sums), 5 + 1);
    ck_assert_uint_eq(mp_sums_bytes(&in.arcs[0]->sums), RING - 1 + 5);
    ck_assert_uint_eq(mp_sums_bytes(&in.arcs[RING - 1]->sums), 5);

    options.permille = 1;
    options.most = 1;
    ck_assert_uint_lt(lines_of_table(&way, &options, &text), 30);
    ck_assert_ptr_nonnull(strstr(text, "(99999 others)"));
    free(text);
    free_way(&way);
}

/* Cycles of two, each called by the one before: the figures of all would be a square. */
TEST(cycles_below_cycles_are_told_up_to_a_number)
{
    uint32_t n = MP_CYCLES_TOLD + 500, *chain = malloc(3 * (size_t)n * sizeof *chain);
    struct mp_print_options options = MP_PRINT_DEFAULT;
    struct mp_inside in;
    struct way way;
    char *text;

    ck_assert_ptr_nonnull(chain);
    for (uint32_t i = 0; i < n; i++) {
        chain[3 * i] = chain[3 * i + 2] = 2 * i;
        chain[3 * i + 1] = 2 * i + 1;
    }
    way = way_of(long_chain(chain, 3 * n, 2 * n, 1), false);
    free(chain);
    ck_assert_uint_eq(way.reduced->n_cycles, n);
    mp_cycles_inside(way.cycles, whole(&way, MP_CYCLES_TOLD), way.arena, &in);
    ck_assert_uint_eq(in.n_innermost, 2);
    ck_assert_uint_eq(in.n_allocators, 2 * (n - MP_CYCLES_TOLD + 1));
    options.verbosity = MP_TERSE;
    lines_of_table(&way, &options, &text);
    ck_assert_ptr_nonnull(strstr(text, "(what is inside is told of 1000 cycles only)\n"));
    free(text);
    free_way(&way);
}
