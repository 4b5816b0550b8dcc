/* The function graph of profiles that are made by hand, and its reduction to entries. */
#include "tests/unit/tap.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/golden.h"
#include "tests/unit/graph/way.h"

static const char *
name_of(const struct way *way, uint32_t function)
{
    return way->profile->functions[function].text;
}

static void
print_rows(const struct way *way, char sign, const struct mp_row *rows, uint32_t n, FILE *out)
{
    for (uint32_t i = 0; i < n; i++)
        fprintf(out, " %c %s%s %" PRIu64, sign, name_of(way, rows[i].function), rows[i].same_cycle ? "*" : "",
                mp_sums_bytes(rows[i].sums));
}

static void
print_number(const char *what, uint64_t number, FILE *out)
{
    if (number > 0)
        fprintf(out, ", %s %" PRIu64, what, number);
}

/* Prints the entries, "NAME SELF/INCLUSIVE, ... < CALLER BYTES > CALLEE BYTES", and the arcs that recur. Rows of the
 * same cycle have a star; called and calling are allocations, root is bytes. */
static const char *
text_of(const struct way *way)
{
    char *text;
    FILE *out = golden_stream(&text);

    for (uint32_t i = 0; i < way->reduced->n_entries; i++) {
        const struct mp_entry *entry = &way->reduced->entries[i];

        fputs(entry->function == MP_NO_ID ? "cycle of" : name_of(way, entry->function), out);
        for (uint32_t j = 0; j < entry->n_members; j++)
            fprintf(out, " %s", name_of(way, entry->members[j]));
        fprintf(out, " %" PRIu64 "/%" PRIu64, mp_sums_bytes(&entry->self), mp_sums_bytes(&entry->inclusive));
        print_number("cycle", entry->cycle, out);
        print_number("called", entry->called.allocs, out);
        print_number("calling", entry->calling.allocs, out);
        print_number("root", mp_sums_bytes(&entry->root), out);
        print_number("recur", entry->recur, out);
        print_rows(way, '<', entry->ancestors, entry->n_ancestors, out);
        print_rows(way, '>', entry->descendants, entry->n_descendants, out);
        fputc('\n', out);
        if (entry->function == MP_NO_ID)
            continue;
        ck_assert_uint_eq(way->reduced->entry_of[entry->function], i);
        ck_assert_uint_eq(way->graph->nodes[entry->function].recur, entry->recur);
    }
    for (uint32_t i = 0; i < way->graph->n_arcs; i++) {
        const struct mp_arc *arc = &way->graph->arcs[i];

        if (arc->recur > 0)
            fprintf(out, "%s > %s %" PRIu64 ", recur %" PRIu64 "\n", name_of(way, arc->caller),
                    name_of(way, arc->callee), mp_sums_bytes(&arc->sums), arc->recur);
    }
    return golden_close(out, &text);
}

#define SMALL MP_KIND_SMALL

enum { ROWS = 4 };              /* maximum number of rows of a case, including an empty one at the end */

static const struct {
    const char *name;
    struct pb_row rows[ROWS];
    const char *text;
} cases[] = {
    {"figure 6: each byte is counted once", {{"main;F;G;F;G", SMALL, 1, 10, 0, 0}},
     "main 0/10, calling 1, root 10 > F 10\n"
     "cycle of G F 10/10, cycle 1, called 1, recur 3 < main 10\n"
     "F 0/10, cycle 1, called 1, calling 1, recur 1 < main 10 < G* 10 > G* 10\n"
     "G 10/10, cycle 1, called 1, calling 1, recur 1 < F* 10 > F* 10\n"
     "F > G 10, recur 1\n"},
    {"a cycle has calls from outside and inside",
     {{"main;F;G;F;G", SMALL, 1, 10, 0, 0}, {"main;G;F;out", SMALL, 2, 5, 0, 0}},
     "main 0/15, calling 3, root 15 > F 10 > G 5\n"
     "cycle of G F 10/15, cycle 1, called 3, calling 2, recur 5 < main 15 > out 5\n"
     "F 0/15, cycle 1, called 3, calling 3, recur 1 < G* 15 < main 10 > G* 10 > out 5\n"
     "G 10/15, cycle 1, called 3, calling 3, recur 1 < F* 10 < main 5 > F* 15\n"
     "out 5/5, called 2 < F 5\n"
     "F > G 10, recur 1\n"},
    {"a self arc is recursion and no cycle", {{"main;f;f;f", SMALL, 3, 10, 0, 0}},
     "main 0/10, calling 3, root 10 > f 10\n"
     "f 10/10, called 3, recur 6 < main 10\n"
     "f > f 10, recur 3\n"},
    {"callers come before callees of equal bytes",
     {{"main;z;y;a", SMALL, 1, 7, 0, 0}, {"main;y;a", SMALL, 1, 0, 0, 0}},
     "main 0/7, calling 2, root 7 > z 7 > y 0\n"
     "z 0/7, called 1, calling 1 < main 7 > y 7\n"
     "y 0/7, called 2, calling 2 < z 7 < main 0 > a 7\n"
     "a 7/7, called 2 < y 7\n"},
    {"inlined calls are calls",
     {{"main;parse/skip/grow;leaf", SMALL, 1, 10, 0, 0}, {"main;parse/skip", SMALL, 1, 4, 0, 0}},
     "main 0/14, calling 2, root 14 > parse 14\n"
     "parse 0/14, called 2, calling 2 < main 14 > skip 14\n"
     "skip 4/14, called 2, calling 1 < parse 14 > grow 10\n"
     "grow 0/10, called 1, calling 1 < skip 10 > leaf 10\n"
     "leaf 10/10, called 1 < grow 10\n"},
    {"start-up frames are hidden at the outer end only",
     {{"libc.so.6!clone3;libc.so.6!start_thread;worker", SMALL, 1, 10, 0, 0},
      {"main;libc.so.6!clone3", SMALL, 1, 5, 0, 0}},
     "worker 10/10, root 10\n"
     "main 0/5, calling 1, root 5 > clone3 5\n"
     "clone3 5/5, called 1 < main 5\n"},
    {"a function of the program is no start-up frame", {{"_start;start_thread;worker", SMALL, 1, 10, 0, 0}},
     "start_thread 0/10, calling 1, root 10 > worker 10\n"
     "worker 10/10, called 1 < start_thread 10\n"},
    {"what a start-up frame allocates itself is shown",
     {{"_start;libc.so.6!__libc_start_main", SMALL, 1, 10, 0, 0},
      {"_start;libc.so.6!__libc_start_main;main", SMALL, 1, 3, 0, 0}},
     "__libc_start_main 10/10, root 10\n"
     "main 3/3, root 3\n"},
    {"start-up frames without a name are hidden, too",
     {{"example+0x1234;libc.so.6!__libc_start_main;libc.so.6!libc.so.6+0x2724a;example+0x1500;f",
       SMALL, 1, 10, 0, 0},
      {"ld-linux-x86-64.so.2!ld-linux-x86-64.so.2+0x1;ld-linux-x86-64.so.2!_dl_init;set_up", SMALL, 1, 3, 0, 0}},
     "example+0x1500 0/10, calling 1, root 10 > f 10\n"
     "f 10/10, called 1 < example+0x1500 10\n"
     "_dl_init 0/3, calling 1, root 3 > set_up 3\n"
     "set_up 3/3, called 1 < _dl_init 3\n"},
    {"the mark of a cut chain is its outermost caller", {{"#2;f", SMALL, 1, 10, 0, 0}},
     "<mark 2> 0/10, calling 1, root 10 > f 10\n"
     "f 10/10, called 1 < <mark 2> 10\n"},
    /* In a part of the time a chain may have freed more than it allocated. */
    {"a chain that only freed is in the graph",
     {{"main;a", SMALL, 1, 10, 1, 10}, {"main;b;c", SMALL, 0, 0, 1, 10}},
     "main 0/10, calling 1, root 10 > a 10 > b 0\n"
     "a 10/10, called 1 < main 10\n"
     "b 0/0 < main 0 > c 0\n"
     "c 0/0 < b 0\n"},
    {"nothing", {{0}}, ""},
    {"sums stick at the largest number",
     {{"main;f;f;f", SMALL, UINT64_MAX, UINT64_MAX, 0, 0}, {"main;g", SMALL, UINT64_MAX, UINT64_MAX, 0, 0}},
     "main 0/18446744073709551615, calling 18446744073709551615, root 18446744073709551615 > f "
     "18446744073709551615 > g 18446744073709551615\n"
     "f 18446744073709551615/18446744073709551615, called 18446744073709551615, recur 18446744073709551615 < "
     "main 18446744073709551615\n"
     "g 18446744073709551615/18446744073709551615, called 18446744073709551615 < main 18446744073709551615\n"
     "f > f 18446744073709551615, recur 18446744073709551615\n"},
};

TEST_CASES(graphs, cases)
{
    ck_assert_str_eq(text_of(way_of(pb_done(pb_of(cases[_i].rows)), false)), cases[_i].text);
}

TEST(figure_5)
{
    struct mp_profile *profile = pb_example();
    const struct way *way = way_of(profile, false);

    ck_assert_str_eq(
        text_of(way),
        "main 0/2040000, calling 10000, root 2040000 > make_red_widget 1023876 > make_blue_widget 1016124\n"
        "make_widget 2040000/2040000, called 10000 < make_red_widget 1023876 < make_blue_widget 1016124\n"
        "make_red_widget 0/1023876, called 5019, calling 5019 < main 1023876 > make_widget 1023876\n"
        "make_blue_widget 0/1016124, called 4981, calling 4981 < main 1016124 > make_widget 1016124\n");
    ck_assert_uint_eq(mp_sums_kept(&way->graph->nodes[pb_function(profile, "make_widget")].self), 1023876);
    must_have(text_of(way_of(profile, true)),
              "_start 0/2040000, calling 10000, root 2040000 > __libc_start_main 2040000\n"
              "__libc_start_main 0/2040000, called 10000, calling 10000 < _start 2040000 > "
              "__libc_start_call_main 2040000\n"
              "__libc_start_call_main 0/2040000, called 10000, calling 10000 < __libc_start_main 2040000 > "
              "main 2040000\n");
}

TEST(chains_that_neither_allocated_nor_shrank_are_left_out)
{
    struct mp_profile *profile = PROFILE_OF({"main;a", SMALL, 1, 10, 1, 10}, {"main;b;c", SMALL, 0, 0, 1, 10});

    for (uint32_t i = 0; i < profile->n_cells; i++)
        profile->cells[i].counts.kept = profile->cells[i].counts.kept_blocks = 0;
    ck_assert_str_eq(text_of(way_of(profile, false)), "main 0/10, calling 1, root 10 > a 10\n"
                                                      "a 10/10, called 1 < main 10\n");
}

static const struct mp_node *
node(const struct way *way, const char *name)
{
    return &way->graph->nodes[pb_function(way->profile, name)];
}

static const struct mp_arc *
arc(const struct way *way, const char *caller, const char *callee)
{
    uint32_t from = pb_function(way->profile, caller), to = pb_function(way->profile, callee);

    for (uint32_t i = 0; i < way->graph->n_arcs; i++)
        if (way->graph->arcs[i].caller == from && way->graph->arcs[i].callee == to)
            return &way->graph->arcs[i];
    ck_abort_msg("%s does not call %s", caller, callee);
}

/* A frame of a damaged file may have any number of functions. */
TEST(a_frame_stands_for_256_functions_at_most)
{
    char chain[8 * 301 + 8] = "main;f0";
    size_t length = strlen(chain);
    const struct way *way;

    for (unsigned i = 1; i <= 300; i++)
        length += (size_t)sprintf(chain + length, "/f%u", i);
    way = way_of(PROFILE_OF({chain, SMALL, 1, 10, 0, 0}), false);
    ck_assert_uint_eq(mp_sums_bytes(&node(way, "f300")->self), 10);
    ck_assert_uint_eq(mp_sums_bytes(&node(way, "f45")->inclusive), 10);
    ck_assert_uint_eq(mp_sums_bytes(&node(way, "f44")->inclusive), 0);
    ck_assert_uint_eq(mp_sums_bytes(&arc(way, "main", "f45")->sums), 10);
}

TEST(a_chain_of_a_hundred_thousand_frames)
{
    size_t deep = 100000;
    char *chain = tap_keep(malloc(deep * 2 + 8), free);
    const struct way *way;

    strcpy(chain, "main");
    for (size_t i = 0; i < deep; i++)
        memcpy(chain + 4 + 2 * i, i % 2 ? ";g" : ";f", 3);
    way = way_of(PROFILE_OF({chain, SMALL, 1, 10, 0, 0}), false);
    ck_assert_uint_eq(mp_sums_bytes(&node(way, "f")->inclusive), 10);
    ck_assert_uint_eq(node(way, "f")->recur, deep / 2 - 1);
    ck_assert_uint_eq(arc(way, "g", "f")->recur, deep / 2 - 2);
}
/* SPDX-License-Identifier: MIT */
