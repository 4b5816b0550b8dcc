#include "tests/unit/tap.h"

#include <string.h>

#include "tests/unit/made_table.h"
#include "tests/unit/profile_builder.h"

#define TITLE "TABLE 1: ALLOCATION BINS\n\n"

/* Fails the test if the table of PROFILE is not TITLE followed by TEXT. */
static void
must_print(const char *what, struct mp_profile *profile, enum mp_verbosity verbosity,
           const char *text)
{
    const struct mp_print_options options = {.verbosity = verbosity};
    const struct mp_table_request request = {.profile = profile, .options = &options};

    made_table_must_be(what, made_table(mp_table_bins, request), TITLE, text);
}

static void
add(struct pb *pb, uint64_t size, uint64_t allocs, uint64_t frees)
{
    pb_add(pb, "main", MP_KIND_SMALL, allocs, allocs * size, frees, frees * size);
}

static void
set_types(struct mp_profile *profile, unsigned size, const char **names, uint32_t n)
{
    profile->types = names;
    profile->n_types = profile->bins[size].n_types = n;
}

enum { BINS = 4 };              /* maximum number of bins of a case */

/* Blocks of each SIZE, and the table of them. */
static const struct {
    const char *what;
    struct {
        uint64_t size, allocs, frees;
    } bins[BINS];
    enum mp_verbosity verbosity;
    const char *text;
} cases[] = {
    /* The bins have a large share, small shares, and a small share of the bytes but all that is kept. */
    {"verbose shows every bin",
     {{100, 99300, 99300}, {10, 1000, 1000}, {20, 500, 450}, {500, 140, 140}}, MP_VERBOSE,
     "  size: allocs    bytes  (%)  frees kept   (%) types\n"
     "     10   1000    10000        1000    0\n"
     "     20    500    10000         450 1000 (100)\n"
     "    100  99300  9930000 (99)  99300    0\n"
     "    500    140    70000         140    0\n"
     " > 1024      0        0           0    0\n"
     "<TOTAL> 100940 10020000      100890 1000\n"},
    {"normal shows half a percent of bytes or kept",
     {{100, 99300, 99300}, {10, 1000, 1000}, {20, 500, 450}, {500, 140, 140}}, MP_NORMAL,
     "  size: allocs    bytes  (%)  frees kept   (%) types\n"
     "     20    500    10000         450 1000 (100)\n"
     "    100  99300  9930000 (99)  99300    0\n"
     "    500    140    70000         140    0\n"
     " > 1024      0        0           0    0\n"
     "<TOTAL> 100940 10020000      100890 1000\n"
     "1 bin of less than 0.5 % left out: 1,000 allocations, 10,000 bytes, 1,000 frees, "
     "0 bytes kept\n"},
    {"terse shows one percent",
     {{100, 99300, 99300}, {10, 1000, 1000}, {20, 500, 450}, {500, 140, 140}}, MP_TERSE,
     "  size: allocs    bytes  (%)  frees kept   (%) types\n"
     "     20    500    10000         450 1000 (100)\n"
     "    100  99300  9930000 (99)  99300    0\n"
     " > 1024      0        0           0    0\n"
     "<TOTAL> 100940 10020000      100890 1000\n"
     "2 bins of less than 1 % left out: 1,140 allocations, 80,000 bytes, 1,140 frees, "
     "0 bytes kept\n"},
    {"large blocks share a bin", {{1024, 1, 0}, {1025, 1, 0}, {4000, 2, 1}}, MP_NORMAL,
     "  size: allocs bytes  (%) frees kept  (%) types\n"
     "   1024      1  1024 (10)     0 1024 (16)\n"
     " > 1024      3  9025 (89)     1 5025 (83)\n"
     "<TOTAL>      4 10049          1 6049\n"},
    /* Blocks from before mprof_restart() are freed after it. */
    {"more freed than allocated keeps nothing", {{8, 1, 3}, {16, 2, 0}}, MP_VERBOSE,
     "  size: allocs bytes  (%) frees kept   (%) types\n"
     "      8      1     8 (20)     3    0\n"
     "     16      2    32 (80)     0   32 (100)\n"
     " > 1024      0     0          0    0\n"
     "<TOTAL>      3    40          3   32\n"},
    {"bins of no bytes are shown", {{0, 2, 1}}, MP_NORMAL,
     "  size: allocs bytes (%) frees kept (%) types\n"
     "      0      2     0         1    0\n"
     " > 1024      0     0         0    0\n"
     "<TOTAL>      2     0         1    0\n"},
    {"an empty profile has no bins", {{0}}, MP_NORMAL,
     "Nothing was allocated.\n"},
};

TEST_EACH(bins_are_shown, cases)
{
    struct pb *pb = pb_new();

    for (size_t i = 0; i < BINS && cases[_i].bins[i].allocs > 0; i++)
        add(pb, cases[_i].bins[i].size, cases[_i].bins[i].allocs, cases[_i].bins[i].frees);
    must_print(cases[_i].what, pb_done(pb), cases[_i].verbosity, cases[_i].text);
}

TEST(figure_3)
{
    const char *names[] = {"widget"};
    struct mp_profile *profile = pb_example();

    set_types(profile, 204, names, 1);
    must_print("figure 3", profile, MP_NORMAL,
               "  size: allocs   bytes   (%) frees    kept   (%) types\n"
               "    204  10000 2040000 (100)  4981 1023876 (100) widget\n"
               " > 1024      0       0           0       0\n"
               "<TOTAL>  10000 2040000        4981 1023876\n");
}

static struct mp_profile *
block_of_eight(const char **types, uint32_t n)
{
    struct pb *pb = pb_new();
    struct mp_profile *profile;

    add(pb, 8, 1, 0);
    profile = pb_done(pb);
    set_types(profile, 8, types, n);
    return profile;
}

TEST(long_type_lists_are_cut_unless_verbose)
{
    const char *names[] = {"a", "b", "struct c", "d", "e", "f", "g", "h"};

    must_print("types", block_of_eight(names, 8), MP_NORMAL,
               "  size: allocs bytes   (%) frees kept   (%) types\n"
               "      8      1     8 (100)     0    8 (100) a, b, struct c, d, e, f, and 2 more\n"
               " > 1024      0     0           0    0\n"
               "<TOTAL>      1     8           0    8\n");
    must_print("types", block_of_eight(names, 8), MP_VERBOSE,
               "  size: allocs bytes   (%) frees kept   (%) types\n"
               "      8      1     8 (100)     0    8 (100) a, b, struct c, d, e, f, g, h\n"
               " > 1024      0     0           0    0\n"
               "<TOTAL>      1     8           0    8\n");
}
/* SPDX-License-Identifier: MIT */
