#include "tests/unit/tap.h"

#include <string.h>

#include "tests/unit/made_table.h"
#include "tests/unit/profile_builder.h"

#define TITLE "TABLE 1: ALLOCATION BINS\n\n"

/* The table of PROFILE, which is freed, is TITLE and TEXT. */
static void
must_print(struct mp_profile *profile, enum mp_verbosity verbosity, const char *text)
{
    const struct mp_print_options options = {.verbosity = verbosity};
    const struct mp_table_request request = {.profile = profile, .options = &options};

    made_table_must_be(made_table(mp_table_bins, request), TITLE, text);
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

/* One bin of each kind: large, small share, small share of bytes but all that is kept. */
static struct mp_profile *
three_bins(void)
{
    struct pb *pb = pb_new();

    add(pb, 100, 99300, 99300);
    add(pb, 10, 1000, 1000);
    add(pb, 20, 500, 450);
    add(pb, 500, 140, 140);
    return pb_done(pb);
}

TEST(figure_3)
{
    const char *names[] = {"widget"};
    struct mp_profile *profile = pb_example();

    set_types(profile, 204, names, 1);
    must_print(profile, MP_NORMAL,
               "  size: allocs   bytes   (%) frees    kept   (%) types\n"
               "    204  10000 2040000 (100)  4981 1023876 (100) widget\n"
               " > 1024      0       0           0       0\n"
               "<TOTAL>  10000 2040000        4981 1023876\n");
}

TEST(verbose_shows_every_bin)
{
    must_print(three_bins(), MP_VERBOSE,
               "  size: allocs    bytes  (%)  frees kept   (%) types\n"
               "     10   1000    10000        1000    0\n"
               "     20    500    10000         450 1000 (100)\n"
               "    100  99300  9930000 (99)  99300    0\n"
               "    500    140    70000         140    0\n"
               " > 1024      0        0           0    0\n"
               "<TOTAL> 100940 10020000      100890 1000\n");
}

TEST(normal_shows_half_a_percent_of_bytes_or_kept)
{
    must_print(three_bins(), MP_NORMAL,
               "  size: allocs    bytes  (%)  frees kept   (%) types\n"
               "     20    500    10000         450 1000 (100)\n"
               "    100  99300  9930000 (99)  99300    0\n"
               "    500    140    70000         140    0\n"
               " > 1024      0        0           0    0\n"
               "<TOTAL> 100940 10020000      100890 1000\n"
               "1 bin of less than 0.5 % left out: 1,000 allocations, 10,000 bytes, 1,000 frees, "
               "0 bytes kept\n");
}

TEST(terse_shows_one_percent)
{
    must_print(three_bins(), MP_TERSE,
               "  size: allocs    bytes  (%)  frees kept   (%) types\n"
               "     20    500    10000         450 1000 (100)\n"
               "    100  99300  9930000 (99)  99300    0\n"
               " > 1024      0        0           0    0\n"
               "<TOTAL> 100940 10020000      100890 1000\n"
               "2 bins of less than 1 % left out: 1,140 allocations, 80,000 bytes, 1,140 frees, "
               "0 bytes kept\n");
}

TEST(large_blocks_share_a_bin)
{
    struct pb *pb = pb_new();

    add(pb, 1024, 1, 0);
    add(pb, 1025, 1, 0);
    add(pb, 4000, 2, 1);
    must_print(pb_done(pb), MP_NORMAL,
               "  size: allocs bytes  (%) frees kept  (%) types\n"
               "   1024      1  1024 (10)     0 1024 (16)\n"
               " > 1024      3  9025 (89)     1 5025 (83)\n"
               "<TOTAL>      4 10049          1 6049\n");
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

    must_print(block_of_eight(names, 8), MP_NORMAL,
               "  size: allocs bytes   (%) frees kept   (%) types\n"
               "      8      1     8 (100)     0    8 (100) a, b, struct c, d, e, f, and 2 more\n"
               " > 1024      0     0           0    0\n"
               "<TOTAL>      1     8           0    8\n");
    must_print(block_of_eight(names, 8), MP_VERBOSE,
               "  size: allocs bytes   (%) frees kept   (%) types\n"
               "      8      1     8 (100)     0    8 (100) a, b, struct c, d, e, f, g, h\n"
               " > 1024      0     0           0    0\n"
               "<TOTAL>      1     8           0    8\n");
}

/* Blocks from before mprof_restart() are freed after it. */
TEST(more_freed_than_allocated_keeps_nothing)
{
    struct pb *pb = pb_new();

    add(pb, 8, 1, 3);
    add(pb, 16, 2, 0);
    must_print(pb_done(pb), MP_VERBOSE,
               "  size: allocs bytes  (%) frees kept   (%) types\n"
               "      8      1     8 (20)     3    0\n"
               "     16      2    32 (80)     0   32 (100)\n"
               " > 1024      0     0          0    0\n"
               "<TOTAL>      3    40          3   32\n");
}

TEST(bins_of_no_bytes_are_shown)
{
    struct pb *pb = pb_new();

    add(pb, 0, 2, 1);
    must_print(pb_done(pb), MP_NORMAL,
               "  size: allocs bytes (%) frees kept (%) types\n"
               "      0      2     0         1    0\n"
               " > 1024      0     0         0    0\n"
               "<TOTAL>      2     0         1    0\n");
}

TEST(an_empty_profile_has_no_bins)
{
    must_print(pb_done(pb_new()), MP_NORMAL, "Nothing was allocated.\n");
}
