#include "tests/unit/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/html/html.h"
#include "reporter/html/html_model.h"
#include "reporter/html/html_sums.h"
#include "reporter/html/html_tree.h"
#include "reporter/base/json.h"
#include "tests/unit/profile_builder.h"

/* ---------------------------------------------------------------- JSON */

static char *
json_of(void (*write)(struct mp_buffer *out))
{
    struct mp_buffer out = {0};
    char *text;

    write(&out);
    mp_buffer_bytes(&out, "", 1);
    text = strdup((const char *)out.bytes);
    mp_buffer_free(&out);
    return text;
}

static void
write_values(struct mp_buffer *out)
{
    mp_json_open(out, '{');
    mp_json_key(out, "list");
    mp_json_open(out, '[');
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
}

static void
write_hostile(struct mp_buffer *out)
{
    mp_json_text(out, "<b>\"\\\n\x7f& caf\xc3\xa9");
}

TEST(json_has_commas_where_they_belong)
{
    char *text = json_of(write_values);

    ck_assert_str_eq(text, "{\"list\":[0,18446744073709551615,-9223372036854775808,7,[],false],"
                           "\"text\":\"a,[{:\",\"n\":10}");
    free(text);
}

TEST(json_escapes_what_ends_texts)
{
    char *text = json_of(write_hostile);

    ck_assert_str_eq(text,
                     "\"<b>\\\"\\\\\\u000a\\u007f& caf\xc3\xa9\"");
    free(text);
}

/* ---------------------------------------------------------------- the bounded tree */

static struct mp_profile *
many(void)
{
    return PROFILE_OF({"main;a;large", MP_KIND_LARGE, 1, 1000, 0, 0},
                      {"main;a;small", MP_KIND_SMALL, 1, 10, 1, 10},
                      {"main;a;small;deep", MP_KIND_SMALL, 1, 12, 1, 12},
                      {"main;a;small;deep", MP_KIND_MEDIUM, 1, 100, 1, 100},
                      {"main;b", MP_KIND_SMALL, 4, 40, 4, 40});
}

static const char *
name_of(const struct mp_html_tree *t, uint32_t node)
{
    uint32_t from = t->nodes[node].from;

    return from == MP_NO_ID ? "..."
           : from == 0      ? "all"
                            : t->tree->profile->functions[mp_tree_function(t->tree, from)].name;
}

/* "name<parent kind:bytes ..." for each node. */
static char *
text_of(const struct mp_html_tree *t)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    for (uint32_t i = 0; i < t->n_nodes; i++) {
        fprintf(out, "%s<%s", name_of(t, i), name_of(t, t->nodes[i].parent));
        ck_assert(i == 0 || t->nodes[i].parent < i);
        for (uint32_t j = 0; j < t->n_cells; j++)
            if (t->cells[j].node == i)
                fprintf(out, " %u:%u", t->cells[j].kind, (unsigned)t->cells[j].counts.bytes);
        fputc('\n', out);
    }
    fclose(out);
    return text;
}

static void
bounded_must_be(uint32_t most, const char *expected, uint32_t left, uint64_t left_bytes)
{
    struct mp_profile *profile = many();
    struct mp_tree *tree =
        mp_tree_build(profile, &(struct mp_tree_options){.lines = true, .one_cut = true});
    struct mp_html_tree *bounded = mp_html_tree(tree, most, false);
    char *text = text_of(bounded);

    ck_assert_str_eq(text, expected);
    ck_assert_uint_eq(bounded->left, left);
    ck_assert_uint_eq(bounded->left_counts.bytes, left_bytes);
    free(text);
    mp_html_tree_free(bounded);
    mp_tree_free(tree);
}

TEST(with_room_for_all_nothing_is_left_out)
{
    bounded_must_be(
        100,
        "all<all\nmain<all\na<main\nlarge<a 2:1000\nsmall<a 0:10\ndeep<small 0:12 1:100\n"
        "b<main 0:40\n",
        0, 0);
}

TEST(the_smallest_are_summed_up_below_their_callers)
{
    bounded_must_be(5, "all<all\nmain<all\na<main\nlarge<a 2:1000\nb<main 0:40\n...<a 0:22 1:100\n",
                    2, 122);
    bounded_must_be(1, "all<all\n...<all 0:62 1:100 2:1000\n", 6, 1162);
}

TEST(of_equal_shares_the_first_stay)
{
    struct pb *pb = pb_new();
    struct mp_profile *profile;
    struct mp_tree *tree;
    struct mp_html_tree *bounded;
    char *text;

    for (unsigned i = 0; i < 5; i++)
        pb_add(pb, (const char *[]){"main;a", "main;b", "main;c", "main;d", "main;e"}[i],
               MP_KIND_SMALL, 1, 8, 1, 8);
    profile = pb_done(pb);
    tree = mp_tree_build(profile, &(struct mp_tree_options){.lines = true, .one_cut = true});
    bounded = mp_html_tree(tree, 4, false);
    text = text_of(bounded);
    ck_assert_str_eq(text, "all<all\nmain<all\na<main 0:8\nb<main 0:8\n...<main 0:24\n");
    free(text);
    mp_html_tree_free(bounded);
    mp_tree_free(tree);
}

/* What is as before goes first, however much of it there is. */
TEST(of_two_sides_those_stay_that_changed_most)
{
    static const struct {
        const char *chain;
        uint64_t before, after;
    } chains[] = {{"main;same", 1000, 1000}, {"main;grown", 10, 30}, {"main;shrunk", 60, 50}};
    struct pb *pb = pb_new();
    struct mp_profile *profile;
    struct mp_tree *tree;
    struct mp_html_tree *bounded;
    char *text;

    for (unsigned i = 0; i < 3; i++) {
        pb_add(pb, chains[i].chain, MP_KIND_SMALL, 1, chains[i].before, 1, chains[i].before);
        pb_add(pb, chains[i].chain, MP_KIND_SMALL | 1u << MP_HTML_SIDE_SHIFT, 1, chains[i].after, 1,
               chains[i].after);
    }
    profile = pb_done(pb);
    tree = mp_tree_build(profile, &(struct mp_tree_options){.lines = true, .one_cut = true});
    bounded = mp_html_tree(tree, 4, true);
    text = text_of(bounded);
    ck_assert_str_eq(text, "all<all\nmain<all\ngrown<main 0:10 65536:30\nshrunk<main 0:60 65536:50\n"
                           "...<main 0:1000 65536:1000\n");
    free(text);
    mp_html_tree_free(bounded);
    mp_tree_free(tree);
}

/* ---------------------------------------------------------------- threads */

TEST(cells_are_told_apart_by_thread)
{
    struct mp_tree *tree;
    struct mp_html_tree *bounded;
    struct mp_profile *profile = PROFILE_OF({"main;f", MP_KIND_SMALL, 1, 8, 0, 0},
                                            {"worker;f", MP_KIND_SMALL, 2, 16, 0, 0},
                                            {"worker;g", MP_KIND_SMALL, 3, 24, 0, 0});

    tree = mp_tree_build(profile, &(struct mp_tree_options){.lines = true, .one_cut = true});
    bounded = mp_html_tree(tree, 1, false);     /* all in one node */
    ck_assert_uint_eq(bounded->threads.n, 2);
    ck_assert_str_eq(bounded->threads.names[0], "main");
    ck_assert_str_eq(bounded->threads.names[1], "worker");
    ck_assert_uint_eq(bounded->n_cells, 2);
    for (uint32_t i = 0; i < 2; i++) {
        ck_assert_uint_eq(bounded->cells[i].thread, i);
        ck_assert_uint_eq(bounded->cells[i].counts.bytes, i == 0 ? 8 : 40);
    }
    mp_html_tree_free(bounded);
    mp_tree_free(tree);
}

/* The model of a profile with CHAINS, as text. */
static char *
model_of(const char *first, const char *second)
{
    struct mp_tree *tree;
    struct mp_buffer out = {0};
    struct mp_html_model model = {0};
    struct mp_html_tree *bounded;
    struct mp_profile *profile = PROFILE_OF({first, MP_KIND_SMALL, 1, 8, 0, 0},
                                            {second, MP_KIND_SMALL, 2, 16, 0, 0});

    tree = mp_tree_build(profile, &(struct mp_tree_options){.lines = true, .one_cut = true});
    bounded = mp_html_tree(tree, 10, false);
    model.profile = profile;
    model.tree = bounded;
    mp_html_model_write(&model, &out);
    mp_buffer_bytes(&out, "", 1);
    mp_html_tree_free(bounded);
    mp_tree_free(tree);
    return (char *)out.bytes;
}

TEST(of_one_thread_nothing_is_written)
{
    char *one = model_of("main;f", "main;g"), *two = model_of("main;f", "worker;f");

    ck_assert_ptr_null(strstr(one, "\"thread"));
    ck_assert_ptr_nonnull(strstr(two, "\"threads\":[\"main\",\"worker\"]"));
    ck_assert_ptr_nonnull(strstr(two, "\"thread\":[0,1]"));
    free(one);
    free(two);
}

/* ---------------------------------------------------------------- sums */

static char *
sums_of(const struct mp_tree *tree, enum mp_html_detail detail)
{
    struct mp_buffer out = {0};

    mp_html_sums_write(tree, false, detail, &out);
    mp_buffer_bytes(&out, "", 1);
    return (char *)out.bytes;
}

/* main is 2, f 3, g 4, worker 5; keys are differences. */
TEST(sums_credit_each_chain_once)
{
    struct mp_tree *tree;
    char *by_none, *by_kind;
    struct mp_profile *profile = PROFILE_OF({"main;f;g;f", MP_KIND_SMALL, 1, 8, 0, 0},
                                            {"main;g", MP_KIND_MEDIUM, 2, 200, 0, 0},
                                            {"worker;g", MP_KIND_SMALL, 5, 50, 0, 0});

    tree = mp_tree_build(profile, &(struct mp_tree_options){.lines = true, .one_cut = true});
    by_none = sums_of(tree, MP_HTML_BY_NONE);
    by_kind = sums_of(tree, MP_HTML_BY_KIND);
    ck_assert_ptr_nonnull(strstr(by_none, "\"arcs\":[[2,3],[3,4],[4,3],[2,4],[5,4]]"));
    ck_assert_ptr_nonnull(strstr(by_none, "\"self\":{\"key\":[3,1],\"allocs\":[1,7],\"bytes\":[8,250],"));
    ck_assert_ptr_nonnull(strstr(by_none, "\"total\":{\"key\":[2,1,1,1],\"allocs\":[3,1,8,5],"
                                          "\"bytes\":[208,8,258,50],"));
    ck_assert_ptr_nonnull(strstr(by_none, "\"root\":{\"key\":[2,3],\"allocs\":[3,5],\"bytes\":[208,50],"));
    ck_assert_ptr_nonnull(strstr(by_none, "\"recur\":{\"key\":[3],\"allocs\":[1],\"bytes\":[8],"));
    ck_assert_ptr_nonnull(strstr(by_none, "\"calling\":{\"key\":[2,1,1,1],\"allocs\":[3,1,1,5],"));
    ck_assert_ptr_nonnull(strstr(by_none, "\"called\":{\"key\":[3,1],\"allocs\":[1,8],"));
    ck_assert_ptr_nonnull(strstr(by_kind, "\"self\":{\"key\":[3,1,0],\"kind\":[0,1,0],\"thread\":[0,0,1],"
                                          "\"allocs\":[1,2,5],\"bytes\":[8,200,50],"));
    free(by_none);
    free(by_kind);
    mp_tree_free(tree);
}

/* ---------------------------------------------------------------- the page */

static char *
page_of(const struct mp_profile *profile, size_t most)
{
    const struct mp_html_options options = {.view = {.short_names = true}, .most = most};
    struct mp_error error;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    ck_assert(mp_html_write(profile, &options, out, &error));
    fclose(out);
    ck_assert_uint_eq(strlen(text), size);
    return text;
}

/* How often PART is in TEXT. */
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
    struct pb *pb = pb_new();
    struct mp_profile *profile;
    char *plain, *hostile;

    pb_add(pb, "main;f", MP_KIND_SMALL, 1, 8, 0, 0);
    profile = pb_done(pb);
    plain = page_of(profile, 0);
    pb = pb_new();
    pb_add(pb, "main;</pre><script>alert(1)</script><img src=x onerror=alert(1)>", MP_KIND_SMALL, 1,
           8, 0, 0);
    profile = pb_done(pb);
    hostile = page_of(profile, 0);
    ck_assert_uint_eq(count(hostile, "<script"), count(plain, "<script"));
    ck_assert_uint_eq(count(hostile, "</script"), count(plain, "</script"));
    ck_assert_uint_eq(count(hostile, "<img"), 0);
    ck_assert_ptr_nonnull(strstr(hostile, "&lt;img src=x"));
    free(plain);
    free(hostile);
}

TEST(the_model_has_the_size_that_is_allowed)
{
    struct pb *pb = pb_new();
    struct mp_profile *profile;
    char *whole, *small, chain[64];
    const char *model = "id=\"model\">";

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
    free(whole);
    free(small);
}
