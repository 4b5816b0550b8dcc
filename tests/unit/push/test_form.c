#include "tests/unit/tap.h"

#include <stdio.h>
#include <string.h>

#include "reporter/push/form.h"

static const struct mp_label labels[] = {{"env", "a b"}, {"zone", "\xc3\xa4&=%"}};
static struct mp_buffer url, body;

static void
tear_down(void)
{
    mp_buffer_free(&url);
    mp_buffer_free(&body);
    url = body = (struct mp_buffer){0};
}

static void
wrap(const char *form, const char *base, unsigned n_labels, const char *bytes)
{
    const struct mp_push_about about = {"app", labels, n_labels};
    const struct mp_push_profile profile = {bytes, strlen(bytes), UINT64_C(5999999999), UINT64_C(7000000001)};

    tear_down();
    mp_push_wrap(mp_push_form_named(form), base, &about, &profile, &url, &body);
}

FIXTURE(NULL, tear_down)

TEST(pprof_leaves_all_as_it_is)
{
    wrap("pprof", "http://h/", 0, "bytes");
    ck_assert_str_eq((char *)url.bytes, "http://h/");
    ck_assert_uint_eq(body.size, 5);
    ck_assert_mem_eq(body.bytes, "bytes", 5);
    wrap("pprof", "http://h/x", 2, "");
    ck_assert_str_eq((char *)url.bytes, "http://h/x?env=a%20b&zone=%C3%A4%26%3D%25");
    wrap("pprof", "http://h/x?y=1", 1, "");
    ck_assert_str_eq((char *)url.bytes, "http://h/x?y=1&env=a%20b");
}

TEST(pyroscope_has_name_and_times)
{
    wrap("pyroscope", "http://h:4040///", 0, "bytes");
    ck_assert_str_eq((char *)url.bytes,
                     "http://h:4040/ingest?name=app&from=5&until=8&format=pprof&spyName=mprof");
    ck_assert_mem_eq(body.bytes, "bytes", 5);
    wrap("pyroscope", "http://h/base/ingest", 2, "");
    ck_assert_str_eq((char *)url.bytes, "http://h/base/ingest?name=app%7Benv%3Da%20b%2Czone%3D%C3%A4%26%3D%25%7D"
                                        "&from=5&until=8&format=pprof&spyName=mprof");
}

TEST(parca_has_json_with_base64)
{
    static const char *const coded[][2] = {
        {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"\xfb\xff\xbf", "+/+/"}};
    char wanted[256];

    for (unsigned i = 0; i < sizeof coded / sizeof *coded; i++) {
        wrap("parca", "http://h/", 1, coded[i][0]);
        snprintf(wanted, sizeof wanted,
                 "{\"series\":[{\"labels\":{\"labels\":[{\"name\":\"__name__\",\"value\":\"memory\"},"
                 "{\"name\":\"job\",\"value\":\"app\"},{\"name\":\"env\",\"value\":\"a b\"}]},"
                 "\"samples\":[{\"raw_profile\":\"%s\"}]}]}", coded[i][1]);
        ck_assert_uint_eq(body.size, strlen(wanted));
        ck_assert_mem_eq(body.bytes, wanted, body.size);
    }
    ck_assert_str_eq((char *)url.bytes, "http://h/api/profiles/writeraw");
}

static bool
is_fit(const char *form, const char *name, const char *value)
{
    const struct mp_label label = {name, value};
    struct mp_error error;

    return mp_push_label_check(mp_push_form_named(form), &label, &error);
}

TEST(labels_that_a_form_has_no_place_for)
{
    ck_assert(is_fit("pprof", "a", "b,{}"));
    ck_assert(is_fit("pyroscope", "_a.b9", "b c=d\"\\"));
    ck_assert(!is_fit("pyroscope", "a", "b,c"));
    ck_assert(!is_fit("pyroscope", "a", "b}"));
    ck_assert(!is_fit("pprof", "", "b"));
    ck_assert(!is_fit("pprof", "9a", "b"));
    ck_assert(!is_fit("pprof", "a-b", "b"));
    ck_assert(!is_fit("pprof", "__a", "b"));
    ck_assert(!is_fit("pprof", "a", ""));
    ck_assert(!is_fit("pprof", "a", "b\nc"));
    ck_assert(!is_fit("pprof", "a", "b\x7f"));
}

TEST(names_of_programs)
{
    char *name = mp_push_name_of("c++ filt-9.x");

    ck_assert_str_eq(name, "c___filt-9.x");
    ck_assert(mp_push_name_is_fit(name));
    ck_assert(!mp_push_name_is_fit(""));
    ck_assert(!mp_push_name_is_fit("a{b}"));
    free(name);
    ck_assert_ptr_null(mp_push_form_named("otlp"));
}
