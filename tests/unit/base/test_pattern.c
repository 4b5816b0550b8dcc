#include "tests/unit/tap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "reporter/base/pattern.h"

static bool
matches(const char *expression, const char *text)
{
    struct mp_pattern pattern;
    char reason[MP_PATTERN_REASON];
    bool found;

    ck_assert_msg(mp_pattern_compile(&pattern, expression, reason), "%s: %s", expression, reason);
    found = mp_pattern_matches(&pattern, text);
    mp_pattern_free(&pattern);
    return found;
}

/* Returns the reason why EXPRESSION is refused. */
static const char *
refused(const char *expression)
{
    static char reason[MP_PATTERN_REASON];
    struct mp_pattern pattern;

    ck_assert_msg(!mp_pattern_compile(&pattern, expression, reason), "%s", expression);
    return reason;
}

TEST(usual_expressions_are_compiled)
{
    ck_assert(matches("^std::vector<[^<>]*>::(push|emplace)_back$", "std::vector<int>::push_back"));
    ck_assert(matches("a{2,3}b{4}", "aabbbb"));
    ck_assert(!matches("^a{2,3}$", "aaaa"));
    ck_assert(matches("^(ab){20}$", "abababababababababababababababababababab"));
    ck_assert(matches("[]\\1(){9}]", "\\"));
    ck_assert(matches("[[:digit:]]{255}|x", "x"));
    ck_assert(matches("\\(\\{\\[", "({["));
    ck_assert(matches("((((((((((a*)*)*)*)*)*)*)*)*)*)*", ""));
}

TEST(what_is_wrong_is_said)
{
    ck_assert_str_eq(refused("("), "Unmatched ( or \\(");
    refused("[");
    ck_assert_str_eq(refused(""), "Invalid regular expression");
    refused("a\\");
    refused("a{3,2}");
    refused("[[:x:]]");
}

TEST(what_becomes_large_is_refused)
{
    static const char many[] = "too large: what is repeated is repeated again";
    char text[5000];

    ck_assert_str_eq(refused("((a{255}){255}){255}"), many);
    ck_assert_str_eq(refused("((a?){255}b?){255}"), many);
    ck_assert_str_eq(refused("a{30}{30}"), many);
    ck_assert_str_eq(refused("a++++++++++"), many);
    ck_assert_str_eq(refused("([^]a]{200}[[:alpha:]]{200}){2}"), many);
    ck_assert_str_eq(refused("(a*)*b\\1"), "back-references are not supported");
    memset(text, 'a', 4097);
    text[4097] = '\0';
    ck_assert_str_eq(refused(text), "too long");
    memset(text, '(', 100);
    memset(text + 100, ')', 100);
    text[200] = '\0';
    ck_assert_str_eq(refused(text), "too many groups within groups");
}

/* Each text makes regexec() create new states, which it keeps in memory. */
TEST(matching_takes_bounded_memory)
{
    struct mp_pattern pattern;
    struct rusage usage;
    char reason[MP_PATTERN_REASON], text[101] = "";
    uint32_t random = 1;

    ck_assert(mp_pattern_compile(&pattern, ".*a.{90}c", reason));
    for (int i = 0; i < 8; i++) {
        for (int j = 0; j < 100; j++) {
            random = random * 1664525 + 1013904223;
            text[j] = random >> 31 ? 'a' : 'b';
        }
        ck_assert(!mp_pattern_matches(&pattern, text));
    }
    mp_pattern_free(&pattern);
    ck_assert_int_eq(getrusage(RUSAGE_SELF, &usage), 0);
    ck_assert_int_le(usage.ru_maxrss, 256 << 10);
}
/* SPDX-License-Identifier: MIT */
