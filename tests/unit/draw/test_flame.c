/* The boxes of a flame graph, their positions, and the limits of their number. */
#include "reporter/draw/flame.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/profile_builder.h"
#include "tests/unit/tap.h"

static struct mp_profile *profile;
static struct mp_tree *tree;
static struct mp_flame *flame;

static void
draw(struct pb *pb, const struct mp_flame_options *options)
{
    profile = pb_done(pb);
    tree = mp_tree_build(profile, &(struct mp_tree_options){.all_frames = true});
    flame = mp_flame_new(tree, options);
}

static void
tear_down(void)
{
    mp_flame_free(flame);
    mp_tree_free(tree);
}

FIXTURE(NULL, tear_down)

/* Returns the boxes as "level name at+value=self". A box that merges N boxes is called "...N". */
static const char *
drawn(void)
{
    static char text[4096] = "";
    size_t at = 0;

    for (uint32_t i = 1; i < flame->n_boxes; i++) {
        const struct mp_flame_box *box = &flame->boxes[i];
        char several[16];

        snprintf(several, sizeof several, "...%u", (unsigned)box->n);
        at += (size_t)snprintf(
            text + at, sizeof text - at, "%s%u %s %u+%u=%u", i > 1 ? ", " : "", (unsigned)box->level,
            box->node == MP_NO_ID ? several
                                  : profile->functions[mp_tree_function(tree, box->node)].text,
            (unsigned)box->at, (unsigned)box->value, (unsigned)box->self);
        ck_assert_uint_lt(at, sizeof text);
    }
    return text;
}

#define MEDIUM MP_KIND_MEDIUM
#define SMALL                                                                                      \
    {{"main;a;get", MEDIUM, 1, 60, 0, 0}, {"main;b;get", MEDIUM, 2, 30, 2, 30}, {"main;b", MEDIUM, 1, 10, 0, 0}}

static const struct {
    const char *name;
    struct pb_row rows[7];
    struct mp_flame_options options;
    uint32_t n_boxes, levels, n_merged;
    uint64_t value, merged;
    const char *boxes;
} cases[] = {
    {"inwards", SMALL, {.width = 100}, 6, 4, 0, 100, 0,
     "1 main 0+100=0, 2 a 0+60=0, 2 b 60+40=10, 3 get 0+60=60, 3 get 60+30=30"},
    {"reverse", SMALL, {.width = 100, .reverse = true}, 8, 4, 0, 100, 0,
     "1 get 0+90=0, 1 b 90+10=0, 2 a 0+60=0, 2 b 60+30=0, 2 main 90+10=10, 3 main 0+60=60, 3 main 60+30=30"},
    {"costs", SMALL, {.width = 100, .cost = MP_SORT_KEPT}, 5, 4, 0, 70, 0,
     "1 main 0+70=0, 2 a 0+60=0, 2 b 60+10=10, 3 get 0+60=60"},
    {"nothing", {{"main", MEDIUM, 1, 10, 1, 10}}, {.width = 100, .cost = MP_SORT_KEPT}, 1, 1, 0, 0, 0, ""},
    /* If 1000 bytes are 50 pixels wide, half a pixel is ten bytes. */
    {"too narrow",
     {{"main;a", MEDIUM, 1, 969, 0, 0}, {"main;ten", MEDIUM, 1, 10, 0, 0}, {"main;x", MEDIUM, 1, 4, 0, 0},
      {"main;y", MEDIUM, 1, 5, 0, 0}, {"main;z", MEDIUM, 1, 3, 0, 0}, {"main;ten;p", MEDIUM, 1, 9, 0, 0}},
     {.width = 50}, 5, 3, 4, 1000, 21, "1 main 0+1000=0, 2 a 0+969=969, 2 ten 969+19=10, 2 ...3 988+12=0"},
};

TEST_CASES(boxes, cases)
{
    draw(pb_of(cases[_i].rows), &cases[_i].options);
    ck_assert_str_eq(drawn(), cases[_i].boxes);
    ck_assert_uint_eq(flame->n_boxes, cases[_i].n_boxes);
    ck_assert_uint_eq(flame->levels, cases[_i].levels);
    ck_assert_uint_eq(flame->boxes[0].value, cases[_i].value);
    ck_assert_uint_eq(flame->n_merged, cases[_i].n_merged);
    ck_assert_uint_eq(flame->merged, cases[_i].merged);
}

/* Returns COUNT chains in which main calls a function of the chain's own, which calls another that allocates 10 to 16
 * bytes. */
static struct pb *
many(unsigned count)
{
    struct pb *pb = pb_new();
    char chain[64];

    for (unsigned i = 0; i < count; i++) {
        snprintf(chain, sizeof chain, "main;f%u;g%u", i, i);
        pb_add(pb, chain, MP_KIND_MEDIUM, 1, 10 + i % 7, 0, 0);
    }
    return pb;
}

TEST(too_many)
{
    draw(many(75), &(struct mp_flame_options){.width = 75, .most = 100});
    ck_assert_uint_le(flame->n_boxes, 100);
    ck_assert_uint_gt(flame->n_merged, 0);
    for (uint32_t i = 0; i < flame->n_boxes; i++)
        ck_assert_uint_ge(flame->boxes[i].value, flame->least);
}

TEST(too_deep)
{
    struct pb *pb = pb_new();
    static char chain[8 * (MP_FLAME_LEVELS + 2)];
    size_t at = 0;

    for (unsigned i = 0; i < MP_FLAME_LEVELS; i++)
        at += (size_t)sprintf(chain + at, "%sf%u", i > 0 ? ";" : "", i);
    pb_add(pb, chain, MP_KIND_MEDIUM, 1, 7, 0, 0);
    strcpy(chain + at, ";last;beyond");
    pb_add(pb, chain, MP_KIND_MEDIUM, 1, 5, 0, 0);
    draw(pb, &(struct mp_flame_options){.width = 100});
    ck_assert_uint_eq(flame->n_boxes, MP_FLAME_LEVELS + 1);
    ck_assert_uint_eq(flame->boxes[MP_FLAME_LEVELS].self, 7);
    ck_assert_uint_eq(flame->cut, 5);
}
/* SPDX-License-Identifier: MIT */
