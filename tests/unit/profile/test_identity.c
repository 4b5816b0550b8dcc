/* Functions have the shortest texts that distinguish them, and names may contain any character. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/profile/profile.h"
#include "tests/unit/profile_builder.h"
#include "tests/unit/tap.h"

static struct mp_module modules[] = {{.name = "a!b"}, {.name = "libx.so"}};

/* Makes a profile of the N FUNCTIONS, which is freed when the test ends. */
static struct mp_profile *
profile_of(const struct mp_function *functions, uint32_t n)
{
    struct mp_profile *profile = keep_profile(mp_profile_new());

    profile->modules = modules;
    profile->n_modules = 2;
    profile->functions = mp_arena_alloc(profile->arena, n * sizeof *functions);
    if (n > 0)
        memcpy(profile->functions, functions, n * sizeof *functions);
    profile->n_functions = n;
    mp_identity_texts(profile);
    return profile;
}

TEST(texts_are_the_shortest_that_distinguish)
{
    static const struct mp_function functions[] = {
        {.plain = "main", .parameters = "(int)", .file = "/s/main.cc"},
        {.plain = "add", .parameters = "(int)"},
        {.plain = "add", .parameters = "(long)"},
        {.plain = "get", .parameters = "() const", .module = 0},
        {.plain = "get", .parameters = "() const", .module = 1},
        {.plain = "fill", .file = "/s/a/util.c", .line = 3},
        {.plain = "fill", .file = "/s/b/util.c", .line = 3},
        {.plain = "init", .unit = "x@y.c", .start = 16},
        {.plain = "init", .unit = "z#1.c", .start = 32},
        {.plain = "run", .start = 16},
        {.plain = "run", .start = 32},
        {.plain = "std.map!(int)", .parameters = "(int)"},
        {.plain = "f [clone .part.0]", .parameters = "(int)", .clone = 16, .kind = MP_FUNCTION_CLONE},
        {.plain = "f [clone .part.0]", .parameters = "(long)", .clone = 16, .kind = MP_FUNCTION_CLONE},
        {.kind = MP_FUNCTION_PLACE, .module = 1, .start = 0x1234},
        {.kind = MP_FUNCTION_PLACE, .module = MP_NO_ID, .start = 0x7f00},
        {.plain = "odd", .module = MP_NO_ID}, {.plain = "odd", .module = MP_NO_ID},
        {.plain = "a!b!get"},           /* as another function is called */
        {.plain = "foo.part.0", .clone = 7, .kind = MP_FUNCTION_CLONE},
    };
    static const char *const texts[] = {
        "main", "add(int)", "add(long)", "a!b!get", "libx.so!get", "fill@a/util.c", "fill@b/util.c", "init@x@y.c",
        "init@z#1.c", "run@0x10", "run@0x20", "std.map!(int)", "f(int) [clone .part.0]", "f(long) [clone .part.0]",
        "libx.so+0x1234", "0x7f00", "odd", "odd#2", "a!b!get#2", "foo.part.0"};
    const struct mp_profile *profile = profile_of(functions, sizeof functions / sizeof *functions);

    for (uint32_t i = 0; i < profile->n_functions; i++)
        ck_assert_str_eq(profile->functions[i].text, texts[i]);
    ck_assert(mp_function_is_called(&profile->functions[3], "get"));
    ck_assert(mp_function_is_called(&profile->functions[3], "a!b!get"));
    ck_assert(!mp_function_is_called(&profile->functions[11], "(int)"));
    ck_assert(!mp_function_is_called(&profile->functions[18], "get"));
    ck_assert(mp_function_is_nameless(profile, &profile->functions[14]));
    ck_assert(!mp_function_is_nameless(profile, &profile->functions[15]));
    ck_assert_str_eq(mp_function_bare_name(&profile->functions[19], profile->arena), "foo");
}

/* Older sealed files have only texts, names and files. */
TEST(identities_come_from_older_texts)
{
    static const struct {
        const char *text, *name, *plain, *parameters, *runtime_name;
        uint32_t module, clone;
        enum mp_function_kind kind;
    } old[] = {
        {"main", "main", "main", NULL, NULL, 0, 0, MP_FUNCTION_ORDINARY},
        {"a!b!f(int) const@x.cc", "f", "f", "(int) const", NULL, 0, 0, MP_FUNCTION_ORDINARY},
        {"f(char (*)[2])#2", "f", "f", "(char (*)[2])", NULL, 0, 0, MP_FUNCTION_ORDINARY},
        {"f(int) [clone .part.0]@x.cc", "f [clone .part.0]", "f [clone .part.0]", "(int)", NULL, 0, 16,
         MP_FUNCTION_CLONE},
        {"std.map!(int)", "std.map!(int)", "std.map!(int)", NULL, NULL, 1, 0, MP_FUNCTION_ORDINARY},
        {"L1go", "APP::|a!b#2|", "L1go", NULL, "APP::|a!b#2|", 1, 0, MP_FUNCTION_ORDINARY},
        {"libx.so+0x12", NULL, NULL, NULL, NULL, 1, 0, MP_FUNCTION_PLACE},
        {"a!b+0x12", NULL, NULL, NULL, NULL, 0, 0, MP_FUNCTION_PLACE},
        {"0x12", NULL, NULL, NULL, NULL, MP_NO_ID, 0, MP_FUNCTION_PLACE},
        {"worker#2", NULL, "worker#2", NULL, NULL, MP_NO_ID, 0, MP_FUNCTION_ORDINARY},
    };
    struct mp_profile *profile = profile_of(NULL, 0);

    for (size_t i = 0; i < sizeof old / sizeof *old; i++) {
        struct mp_function f = {.text = old[i].text, .runtime_name = old[i].name, .module = old[i].module};

        mp_identity_of_text(profile, &f);
        ck_assert_pstr_eq(f.plain, old[i].plain);
        ck_assert_pstr_eq(f.parameters, old[i].parameters);
        ck_assert_pstr_eq(f.runtime_name, old[i].runtime_name);
        ck_assert_uint_eq(f.clone, old[i].clone);
        ck_assert_uint_eq(f.kind, old[i].kind);
        ck_assert_uint_eq(f.start, old[i].kind == MP_FUNCTION_PLACE ? 0x12 : 0);
    }
}

TEST(names_of_clones_and_parameters_are_split)
{
    static const struct {
        const char *name;
        size_t clone;
    } names[] = {{"foo", 0}, {"foo.part.0", 7}, {"foo.isra.0.cold", 12}, {"f(int) [clone .part.0]", 16},
                 {"main.main.func1", 0}, {"foo.lto_priv.0", 11}, {"foo.12", 0}, {".cold", 0}, {"", 0}};
    char *parameters = mp_identity_parameters("ns::f(int) const [clone .isra.0]", "ns::f [clone .isra.0]", 16);

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ck_assert_uint_eq(mp_identity_clone(names[i].name), names[i].clone);
    ck_assert_ptr_nonnull(parameters);
    ck_assert_str_eq(parameters, "(int) const");
    free(parameters);
    ck_assert_ptr_null(mp_identity_parameters("foo::bar", "foo", 0));
    ck_assert_ptr_null(mp_identity_parameters(NULL, "foo", 0));
}

TEST(symbols_of_lisp_may_contain_any_words)
{
    static const struct {
        const char *name, *outermost, *package;
        bool ambiguous;
    } names[] = {
        {"APP::READ", "APP::READ", "APP", false},
        {"LAMBDA #2 in APP::READ", "APP::READ", "APP", false},
        {"FLET in G in (SETF |a:b|::X)", "(SETF |a:b|::X)", "|a:b|", false},
        {"APP::|a in b or c|", "APP::|a in b or c|", "APP", false},
        {"APP::|a\\| in b|", "APP::|a\\| in b|", "APP", false},
        {"APP::A\\| in APP2::B", "APP2::B", "APP2", false},
        {"APP::A or APP::B", "APP::A or APP::B", "APP", true},
        {"CAR", "CAR", NULL, false}, {"|", "|", NULL, false}, {"", "", NULL, false}, {"\\", "\\", NULL, false},
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length;
        const char *package = mp_lisp_package(names[i].name, &length);

        ck_assert_str_eq(mp_lisp_outermost(names[i].name), names[i].outermost);
        ck_assert_int_eq(mp_lisp_is_ambiguous(names[i].name), names[i].ambiguous);
        ck_assert_int_eq(package != NULL, names[i].package != NULL);
        if (package)
            ck_assert(length == strlen(names[i].package) && memcmp(package, names[i].package, length) == 0);
    }
    ck_assert(mp_lisp_text_is("READ (a.lisp:3)", "READ", NULL));
    ck_assert(!mp_lisp_text_is("READER", "READ", NULL));
    ck_assert(mp_lisp_text_is("(METHOD F (T)) (a.lisp:3)", NULL, "a.lisp"));
}
/* SPDX-License-Identifier: MIT */
