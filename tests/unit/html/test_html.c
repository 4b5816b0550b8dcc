#include "tests/unit/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/html/html.h"
#include "reporter/html/html_model.h"
#include "reporter/html/html_sums.h"
#include "reporter/html/html_tree.h"
#include "reporter/base/json.h"
#include "tests/unit/golden.h"
#include "tests/unit/profile_builder.h"

/* ---------------------------------------------------------------- JSON */

/* Returns what was written to OUT. It is freed when the test ends. */
static const char *
written(struct mp_buffer *out)
{
    mp_buffer_bytes(out, "", 1);
    return tap_keep(out->bytes, free);
}

TEST(json_has_commas_where_they_belong)
{
    struct mp_buffer buffer = {0}, *out = &buffer;

    mp_json_open(out, '{');
    mp_json_key_open(out, "list", '[');
    mp_json_number(out, 0);
    mp_json_number(out, UINT64_MAX);
    mp_json_signed(out, INT64_MIN);
    mp_json_signed(out, 7);
    mp_json_open(out, '[');
    mp_json_close(out, ']');
    mp_json_bool(out, false);
    mp_json_close(out, ']');
    mp_json_key_text(out, "text", "a,[{:");
    mp_json_key_number(out, "n", 10);
    mp_json_close(out, '}');
    ck_assert_str_eq(written(out), "{\"list\":[0,18446744073709551615,-9223372036854775808,7,[],false],"
                           "\"text\":\"a,[{:\",\"n\":10}");
}

TEST(json_escapes_what_ends_texts)
{
    struct mp_buffer out = {0};

    mp_json_text(&out, "<b>\"\\\n\x7f& caf\xc3\xa9");
    ck_assert_str_eq(written(&out),
                     "\"<b>\\\"\\\\\\u000a\\u007f& caf\xc3\xa9\"");
}

/* ---------------------------------------------------------------- the bounded tree */

static const char *
name_of(const struct mp_html_tree *t, uint32_t node)
{
    uint32_t from = t->nodes[node].from;

    return from == MP_NO_ID ? "..."
           : from == 0      ? "all"
                            : t->tree->profile->functions[mp_tree_function(t->tree, from)].text;
}

/* Returns a line "name<parent kind:bytes ..." for each node. */
static const char *
text_of(const struct mp_html_tree *t)
{
    char *text;
    FILE *out = golden_stream(&text);

    for (uint32_t i = 0; i < t->n_nodes; i++) {
        fprintf(out, "%s<%s", name_of(t, i), name_of(t, t->nodes[i].parent));
        ck_assert(i == 0 || t->nodes[i].parent < i);
        for (uint32_t j = 0; j < t->n_cells; j++)
            if (t->cells[j].node == i)
                fprintf(out, " %u:%u", t->cells[j].kind, (unsigned)t->cells[j].figures[1]);
        fputc('\n', out);
    }
    return golden_close(out, &text);
}

static const struct mp_tree *
tree_of(struct mp_profile *profile)
{
    return keep_tree(profile, &(struct mp_view_options){.all_frames = true},
                     &(struct mp_tree_options){.lines = true, .one_cut = true, .all_frames = true});
}

static void
release_bounded(void *tree)
{
    mp_html_tree_free(tree);
}

static struct mp_html_tree *
bounded_of(struct mp_profile *profile, uint32_t most, bool sides)
{
    return tap_keep(mp_html_tree(tree_of(profile), most, sides), release_bounded);
}

#define SMALL MP_KIND_SMALL
#define AFTER (MP_KIND_SMALL | 1u << MP_HTML_SIDE_SHIFT)
#define MANY                                                                                       \
    {{"main;a;large", MP_KIND_LARGE, 1, 1000, 0, 0}, {"main;a;small", SMALL, 1, 10, 1, 10},        \
     {"main;a;small;deep", SMALL, 1, 12, 1, 12}, {"main;a;small;deep", MP_KIND_MEDIUM, 1, 100, 1, 100}, \
     {"main;b", SMALL, 4, 40, 4, 40}}

static const struct {
    const char *name;
    struct pb_row rows[7];
    uint32_t most;
    bool sides;
    const char *text;
    uint32_t left;
    uint64_t left_bytes;
} cases[] = {
    {"with space for all nothing is left out", MANY, 100, false,
     "all<all\nmain<all\na<main\nlarge<a 2:1000\nsmall<a 0:10\ndeep<small 0:12 1:100\nb<main 0:40\n", 0, 0},
    {"the smallest are summed up below their callers", MANY, 5, false,
     "all<all\nmain<all\na<main\nlarge<a 2:1000\nb<main 0:40\n...<a 0:22 1:100\n", 2, 122},
    {"one node", MANY, 1, false, "all<all\n...<all 0:62 1:100 2:1000\n", 6, 1162},
    {"of equal shares the first stay",
     {{"main;a", SMALL, 1, 8, 1, 8}, {"main;b", SMALL, 1, 8, 1, 8}, {"main;c", SMALL, 1, 8, 1, 8},
      {"main;d", SMALL, 1, 8, 1, 8}, {"main;e", SMALL, 1, 8, 1, 8}}, 4, false,
     "all<all\nmain<all\na<main 0:8\nb<main 0:8\n...<main 0:24\n", 3, 24},
    /* Of the nodes of two sides, those that did not change are left out first, even the largest. */
    {"of two sides those stay that changed most",
     {{"main;same", SMALL, 1, 1000, 1, 1000}, {"main;same", AFTER, 1, 1000, 1, 1000},
      {"main;grown", SMALL, 1, 10, 1, 10}, {"main;grown", AFTER, 1, 30, 1, 30},
      {"main;shrunk", SMALL, 1, 60, 1, 60}, {"main;shrunk", AFTER, 1, 50, 1, 50}}, 4, true,
     "all<all\nmain<all\ngrown<main 0:10 65536:30\nshrunk<main 0:60 65536:50\n...<main 0:1000 65536:1000\n", 1, 2000},
};

TEST_CASES(the_tree_is_bounded, cases)
{
    const struct mp_html_tree *bounded =
        bounded_of(pb_done(pb_of(cases[_i].rows)), cases[_i].most, cases[_i].sides);

    ck_assert_str_eq(text_of(bounded), cases[_i].text);
    ck_assert_uint_eq(bounded->left, cases[_i].left);
    ck_assert_uint_eq(bounded->left_counts.bytes, cases[_i].left_bytes);
}

/* ---------------------------------------------------------------- threads */

TEST(cells_are_told_apart_by_thread)
{
    const struct mp_html_tree *bounded = bounded_of(
        PROFILE_OF({"main;f", SMALL, 1, 8, 0, 0}, {"worker;f", SMALL, 2, 16, 0, 0}, {"worker;g", SMALL, 3, 24, 0, 0}),
        1, false);              /* all cells are in one node */

    ck_assert_uint_eq(bounded->threads.n, 2);
    ck_assert_str_eq(bounded->threads.names[0], "main");
    ck_assert_str_eq(bounded->threads.names[1], "worker");
    ck_assert_uint_eq(bounded->n_cells, 2);
    for (uint32_t i = 0; i < 2; i++) {
        ck_assert_uint_eq(bounded->cells[i].thread, i);
        ck_assert_int_eq(bounded->cells[i].figures[1], i == 0 ? 8 : 40);
    }
}

/* Returns the model of a profile with the chains FIRST and SECOND. */
static const char *
model_of(const char *first, const char *second)
{
    struct mp_profile *profile = PROFILE_OF({first, SMALL, 1, 8, 0, 0}, {second, SMALL, 2, 16, 0, 0});
    const struct mp_html_model model = {.profile = profile, .tree = bounded_of(profile, 10, false)};
    struct mp_buffer out = {0};

    mp_html_model_write(&model, &out);
    return written(&out);
}

TEST(of_one_thread_nothing_is_written)
{
    const char *two = model_of("main;f", "worker;f");

    must_lack(model_of("main;f", "main;g"), "\"thread");
    must_have(two, "\"threads\":[\"main\",\"worker\"]");
    must_have(two, "\"thread\":[0,1]");
}

/* ---------------------------------------------------------------- sums */

static const char *
sums_of(const struct mp_tree *tree, enum mp_html_detail detail)
{
    struct mp_buffer out = {0};

    mp_html_sums_write(tree, false, detail, &out);
    return written(&out);
}

/* The numbers of the functions are 2 for main, 3 for f, 4 for g, and 5 for worker. Keys are written as differences. */
TEST(sums_credit_each_chain_once)
{
    const struct mp_tree *tree = tree_of(PROFILE_OF(
        {"main;f;g;f", SMALL, 1, 8, 0, 0}, {"main;g", MP_KIND_MEDIUM, 2, 200, 0, 0}, {"worker;g", SMALL, 5, 50, 0, 0}));
    const char *by_none = sums_of(tree, MP_HTML_BY_NONE);

    must_have(by_none, "\"arcs\":[[2,3],[3,4],[4,3],[2,4],[5,4]]");
    must_have(by_none, "\"self\":{\"key\":[3,1],\"allocs\":[1,7],\"bytes\":[8,250],");
    must_have(by_none, "\"total\":{\"key\":[2,1,1,1],\"allocs\":[3,1,8,5],"
                                          "\"bytes\":[208,8,258,50],");
    must_have(by_none, "\"root\":{\"key\":[2,3],\"allocs\":[3,5],\"bytes\":[208,50],");
    must_have(by_none, "\"recur\":{\"key\":[3],\"allocs\":[1],\"bytes\":[8],");
    must_have(by_none, "\"calling\":{\"key\":[2,1,1,1],\"allocs\":[3,1,1,5],");
    must_have(by_none, "\"called\":{\"key\":[3,1],\"allocs\":[1,8],");
    must_have(sums_of(tree, MP_HTML_BY_KIND), "\"self\":{\"key\":[3,1,0],\"kind\":[0,1,0],\"thread\":[0,0,1],"
                                              "\"allocs\":[1,2,5],\"bytes\":[8,200,50],");
}

/* ---------------------------------------------------------------- the page */

static const char *
page_of(const struct mp_profile *profile, size_t most)
{
    const struct mp_html_options options = {.view = {.short_names = true}, .most = most};
    struct mp_error error;
    char *text;
    FILE *out = golden_stream(&text);
    long size;

    ck_assert(mp_html_write(profile, &options, out, &error));
    size = ftell(out);
    golden_close(out, &text);
    ck_assert_uint_eq(strlen(text), (size_t)size);
    return text;
}

/* Returns how often PART occurs in TEXT. */
static unsigned
count(const char *text, const char *part)
{
    unsigned n = 0;

    for (; (text = strstr(text, part)); text += strlen(part))
        n++;
    return n;
}

TEST(names_do_not_become_elements)
{
    const char *plain = page_of(PROFILE_OF({"main;f", SMALL, 1, 8, 0, 0}), 0);
    const char *hostile = page_of(PROFILE_OF(
        {"main;</pre><script>alert(1)</script><img src=x onerror=alert(1)>", SMALL, 1, 8, 0, 0}), 0);

    ck_assert_uint_eq(count(hostile, "<script"), count(plain, "<script"));
    ck_assert_uint_eq(count(hostile, "</script"), count(plain, "</script"));
    ck_assert_uint_eq(count(hostile, "<img"), 0);
    must_have(hostile, "&lt;img src=x");
}

TEST(the_model_has_the_size_that_is_allowed)
{
    struct pb *pb = pb_new();
    struct mp_profile *profile;
    const char *whole, *small, *model = "id=\"model\">";
    char chain[64];

    for (unsigned i = 0; i < 3000; i++) {
        snprintf(chain, sizeof chain, "main;f%u;g%u", i % 60, i * 2654435761u);
        pb_add(pb, chain, MP_KIND_LARGE, i + 1, (i * 7919u) % 100003 + 300, 0, 0);
    }
    profile = pb_done(pb);
    whole = page_of(profile, 0);
    small = page_of(profile, 8000);
    ck_assert_uint_gt(strcspn(strstr(whole, model), "<"), 8000);
    ck_assert_uint_le(strcspn(strstr(small, model) + strlen(model), "<"), 8000);
    ck_assert_uint_gt(strcspn(strstr(small, model) + strlen(model), "<"), 2000);
}
/* SPDX-License-Identifier: MIT */
