#include "tests/unit/tap.h"

#include <stdio.h>
#include <string.h>

#include "reporter/graph/reduce.h"
#include "tests/unit/profile_builder.h"

/* A profile on its way to the tables. */
struct way {
    struct mp_profile *profile;
    struct mp_graph *graph;
    struct mp_reduced *reduced;
};

static struct way
reduced_from(struct mp_profile *profile, bool keep_startup)
{
    struct mp_graph_options options = { .keep_startup = keep_startup };
    struct way way = { .profile = profile };

    way.graph = mp_graph_build(profile, &options);
    way.reduced = mp_reduce(profile, way.graph);
    return way;
}

static void
free_way(struct way *way)
{
    mp_reduced_free(way->reduced);
    mp_graph_free(way->graph);
}

static const struct mp_node *
node(const struct way *way, const char *name)
{
    uint32_t id = pb_function(way->profile, name);

    ck_assert_msg(id != MP_NO_ID, "no function %s", name);
    return &way->graph->nodes[id];
}

/* NULL: there is no such arc. */
static const struct mp_arc *
arc(const struct way *way, const char *caller, const char *callee)
{
    uint32_t from = pb_function(way->profile, caller), to = pb_function(way->profile, callee);

    for (uint32_t i = 0; i < way->graph->n_arcs; i++)
        if (way->graph->arcs[i].caller == from && way->graph->arcs[i].callee == to)
            return &way->graph->arcs[i];
    return NULL;
}

static const struct mp_entry *
entry(const struct way *way, const char *name)
{
    return &way->reduced->entries[way->reduced->entry_of[pb_function(way->profile, name)]];
}

static const char *
name_at(const struct way *way, uint32_t index)
{
    uint32_t function = way->reduced->entries[index].function;

    return function == MP_NO_ID ? "<cycle>" : way->profile->functions[function].name;
}

#define ck_assert_bytes(sums, n) ck_assert_uint_eq(mp_sums_bytes(&(sums)), (n))

/* ---------------------------------------------------------------- the paper */

TEST(the_example_has_the_order_of_figure_5)
{
    struct way way = reduced_from(pb_example(), false);

    ck_assert_uint_eq(way.reduced->n_entries, 4);
    ck_assert_str_eq(name_at(&way, 0), "main");
    ck_assert_str_eq(name_at(&way, 1), "make_widget");
    ck_assert_str_eq(name_at(&way, 2), "make_red_widget");
    ck_assert_str_eq(name_at(&way, 3), "make_blue_widget");
    free_way(&way);
}

TEST(the_example_has_the_figures_of_figure_5)
{
    struct way way = reduced_from(pb_example(), false);

    ck_assert_bytes(node(&way, "main")->inclusive, 2040000);
    ck_assert_uint_eq(node(&way, "main")->called.allocs, 0);
    ck_assert_uint_eq(node(&way, "main")->calling.allocs, 10000);
    ck_assert_bytes(node(&way, "make_widget")->self, 2040000);
    ck_assert_uint_eq(mp_sums_kept(&node(&way, "make_widget")->self), 1023876);
    ck_assert_uint_eq(node(&way, "make_widget")->called.allocs, 10000);
    ck_assert_bytes(arc(&way, "make_red_widget", "make_widget")->sums, 1023876);
    ck_assert_bytes(arc(&way, "main", "make_blue_widget")->sums, 1016124);
    ck_assert_uint_eq(arc(&way, "main", "make_blue_widget")->sums.allocs, 4981);
    free_way(&way);
}

TEST(figure_6_counts_each_byte_once)
{
    struct way way = reduced_from(PROFILE_OF({"main;F;G;F;G", MP_KIND_SMALL, 1, 10, 0, 0}), false);

    ck_assert_bytes(node(&way, "main")->inclusive, 10);
    ck_assert_bytes(node(&way, "F")->inclusive, 10);
    ck_assert_bytes(arc(&way, "F", "G")->sums, 10);
    ck_assert_uint_eq(arc(&way, "F", "G")->recur, 1);
    ck_assert_bytes(arc(&way, "G", "F")->sums, 10);
    ck_assert_uint_eq(arc(&way, "G", "F")->recur, 0);
    ck_assert_uint_eq(node(&way, "F")->recur, 1);
    ck_assert_uint_eq(entry(&way, "F")->cycle, 1);
    ck_assert_uint_eq(entry(&way, "G")->cycle, 1);
    ck_assert_uint_eq(entry(&way, "main")->cycle, 0);
    ck_assert(entry(&way, "G")->ancestors[0].same_cycle);
    free_way(&way);
}

TEST(a_merged_cycle_has_calls_from_outside_and_inside)
{
    const struct mp_entry *cycle;
    struct way way = reduced_from(PROFILE_OF({"main;F;G;F;G", MP_KIND_SMALL, 1, 10, 0, 0},
                                             {"main;G;F;out", MP_KIND_SMALL, 2, 5, 0, 0}), false);

    ck_assert_uint_eq(way.reduced->n_cycles, 1);
    cycle = &way.reduced->entries[way.reduced->entry_of_cycle[1]];
    ck_assert_uint_eq(cycle->function, MP_NO_ID);
    ck_assert_uint_eq(cycle->n_members, 2);
    ck_assert_str_eq(way.profile->functions[cycle->members[0]].name, "G");
    ck_assert_uint_eq(cycle->called.allocs, 3);
    ck_assert_uint_eq(cycle->recur, 3 + 2);
    ck_assert_bytes(cycle->self, 10);
    ck_assert_uint_eq(cycle->n_ancestors, 1);       /* main -> F and main -> G are one row */
    ck_assert_bytes(*cycle->ancestors[0].sums, 15);
    ck_assert_uint_eq(cycle->n_descendants, 1);
    ck_assert_bytes(*cycle->descendants[0].sums, 5);
    free_way(&way);
}

TEST(a_self_arc_is_recursion_and_no_cycle)
{
    struct way way = reduced_from(PROFILE_OF({"main;f;f;f", MP_KIND_SMALL, 3, 10, 0, 0}), false);

    ck_assert_uint_eq(way.reduced->n_cycles, 0);
    ck_assert_uint_eq(entry(&way, "f")->called.allocs, 3);
    ck_assert_uint_eq(entry(&way, "f")->recur, 6);
    ck_assert_uint_eq(entry(&way, "f")->n_ancestors, 1);
    ck_assert_uint_eq(entry(&way, "f")->n_descendants, 0);
    free_way(&way);
}

TEST(callers_come_before_callees_of_equal_bytes)
{
    struct way way = reduced_from(PROFILE_OF({"main;z;y;a", MP_KIND_SMALL, 1, 7, 0, 0},
                                             {"main;y;a", MP_KIND_SMALL, 1, 0, 0, 0}), false);

    ck_assert_str_eq(name_at(&way, 0), "main");
    ck_assert_str_eq(name_at(&way, 1), "z");
    ck_assert_str_eq(name_at(&way, 2), "y");
    ck_assert_str_eq(name_at(&way, 3), "a");
    free_way(&way);
}

/* ---------------------------------------------------------------- chains */

TEST(inlined_calls_are_calls)
{
    struct way way = reduced_from(PROFILE_OF(
        {"main;parse/skip/grow;leaf", MP_KIND_SMALL, 1, 10, 0, 0},
        {"main;parse/skip", MP_KIND_SMALL, 1, 4, 0, 0}), false);

    ck_assert_bytes(arc(&way, "main", "parse")->sums, 14);
    ck_assert_bytes(arc(&way, "parse", "skip")->sums, 14);
    ck_assert_bytes(arc(&way, "skip", "grow")->sums, 10);
    ck_assert_bytes(arc(&way, "grow", "leaf")->sums, 10);
    ck_assert_bytes(node(&way, "skip")->self, 4);
    ck_assert_bytes(node(&way, "parse")->self, 0);
    free_way(&way);
}

/* A damaged file may have any number of them. */
TEST(a_frame_stands_for_256_functions_at_most)
{
    struct pb *pb = pb_new();
    char chain[8 * 301 + 8] = "main;f0";
    size_t length = strlen(chain);
    struct way way;

    for (unsigned i = 1; i <= 300; i++)
        length += (size_t)sprintf(chain + length, "/f%u", i);
    pb_add(pb, chain, MP_KIND_SMALL, 1, 10, 0, 0);
    way = reduced_from(pb_done(pb), false);
    ck_assert_bytes(node(&way, "f300")->self, 10);
    ck_assert_bytes(node(&way, "f45")->inclusive, 10);
    ck_assert_bytes(node(&way, "f44")->inclusive, 0);
    ck_assert_bytes(arc(&way, "main", "f45")->sums, 10);
    free_way(&way);
}

TEST(startup_frames_are_hidden_at_the_outer_end_only)
{
    struct way way = reduced_from(PROFILE_OF(
        {"libc.so.6!clone3;libc.so.6!start_thread;worker", MP_KIND_SMALL, 1, 10, 0, 0},
        {"main;libc.so.6!clone3", MP_KIND_SMALL, 1, 5, 0, 0}), false);

    ck_assert_uint_eq(node(&way, "start_thread")->inclusive.allocs, 0);
    ck_assert_bytes(node(&way, "worker")->root, 10);
    ck_assert_bytes(node(&way, "clone3")->self, 5);
    ck_assert_bytes(arc(&way, "main", "clone3")->sums, 5);
    ck_assert_uint_eq(entry(&way, "worker")->n_ancestors, 0);
    free_way(&way);
}

TEST(a_function_of_the_program_is_no_startup_frame)
{
    struct way way = reduced_from(PROFILE_OF(
        {"_start;start_thread;worker", MP_KIND_SMALL, 1, 10, 0, 0}), false);

    ck_assert_bytes(node(&way, "start_thread")->inclusive, 10);
    free_way(&way);
}

TEST(what_a_startup_frame_allocates_itself_is_shown)
{
    struct way way = reduced_from(PROFILE_OF(
        {"_start;libc.so.6!__libc_start_main", MP_KIND_SMALL, 1, 10, 0, 0},
        {"_start;libc.so.6!__libc_start_main;main", MP_KIND_SMALL, 1, 3, 0, 0}), false);

    ck_assert_bytes(node(&way, "__libc_start_main")->self, 10);
    ck_assert_bytes(node(&way, "__libc_start_main")->inclusive, 10);
    ck_assert_bytes(node(&way, "main")->root, 3);
    ck_assert_uint_eq(way.graph->n_arcs, 0);
    free_way(&way);
}

TEST(nameless_startup_frames_are_hidden_too)
{
    struct pb *pb = pb_new();
    struct way way;

    pb_add(pb, "example+0x1234;libc.so.6!__libc_start_main;libc.so.6!libc.so.6+0x2724a;"
               "example+0x1500;f", MP_KIND_SMALL, 1, 10, 0, 0);
    pb_add(pb, "ld-linux-x86-64.so.2!ld-linux-x86-64.so.2+0x1;ld-linux-x86-64.so.2!_dl_init;"
               "set_up", MP_KIND_SMALL, 1, 3, 0, 0);
    way = reduced_from(pb_done(pb), false);
    ck_assert_bytes(node(&way, "example+0x1500")->root, 10);
    ck_assert_bytes(node(&way, "example+0x1234")->inclusive, 0);
    ck_assert_bytes(node(&way, "libc.so.6+0x2724a")->inclusive, 0);
    ck_assert_bytes(node(&way, "_dl_init")->root, 3);
    free_way(&way);
}

TEST(startup_frames_are_kept_on_request)
{
    struct way way = reduced_from(pb_example(), true);

    ck_assert_str_eq(name_at(&way, 0), "_start");
    ck_assert_ptr_nonnull(arc(&way, "__libc_start_call_main", "main"));
    free_way(&way);
}

TEST(the_mark_of_a_cut_chain_is_its_outermost_caller)
{
    struct way way = reduced_from(PROFILE_OF({"#2;f", MP_KIND_SMALL, 1, 10, 0, 0}), false);

    ck_assert_bytes(arc(&way, "<mark 2>", "f")->sums, 10);
    free_way(&way);
}

/* In a part of the time that is less than nothing: it shrank. */
TEST(chains_that_only_freed_are_in_the_graph_if_they_shrank)
{
    for (int shrank = 0; shrank < 2; shrank++) {
        struct pb *pb = pb_new();
        struct mp_profile *profile;
        struct way way;

        pb_add(pb, "main;a", MP_KIND_SMALL, 1, 10, 1, 10);
        pb_add(pb, "main;b;c", MP_KIND_SMALL, 0, 0, 1, 10);
        profile = pb_done(pb);
        for (uint32_t i = 0; !shrank && i < profile->n_cells; i++)
            profile->cells[i].counts.kept = profile->cells[i].counts.kept_blocks = 0;
        way = reduced_from(profile, false);
        ck_assert_uint_eq(way.reduced->n_entries, shrank ? 4 : 2);
        ck_assert_uint_eq(way.graph->n_arcs, shrank ? 3 : 1);
        ck_assert((way.reduced->entry_of[pb_function(way.profile, "c")] != MP_NO_ID) == shrank);
        free_way(&way);
    }
}

TEST(nothing_allocated_is_an_empty_graph)
{
    struct way way = reduced_from(pb_done(pb_new()), false);

    ck_assert_uint_eq(way.reduced->n_entries, 0);
    ck_assert_uint_eq(way.reduced->n_direct, 0);
    free_way(&way);
}

TEST(a_chain_of_a_hundred_thousand_frames)
{
    size_t deep = 100000;
    char *chain = malloc(deep * 2 + 8);
    struct pb *pb = pb_new();
    struct way way;

    ck_assert_ptr_nonnull(chain);
    strcpy(chain, "main");
    for (size_t i = 0; i < deep; i++)
        memcpy(chain + 4 + 2 * i, i % 2 ? ";g" : ";f", 3);
    pb_add(pb, chain, MP_KIND_SMALL, 1, 10, 0, 0);
    free(chain);
    way = reduced_from(pb_done(pb), false);
    ck_assert_bytes(node(&way, "f")->inclusive, 10);
    ck_assert_uint_eq(node(&way, "f")->recur, deep / 2 - 1);
    ck_assert_uint_eq(arc(&way, "g", "f")->recur, deep / 2 - 2);
    free_way(&way);
}

TEST(sums_stick_at_the_largest_number)
{
    struct way way = reduced_from(PROFILE_OF(
        {"main;f;f;f", MP_KIND_SMALL, UINT64_MAX, UINT64_MAX, 0, 0},
        {"main;g", MP_KIND_SMALL, UINT64_MAX, UINT64_MAX, 0, 0}), false);

    ck_assert_bytes(node(&way, "main")->inclusive, UINT64_MAX);
    ck_assert_uint_eq(node(&way, "f")->recur, UINT64_MAX);
    free_way(&way);
}
