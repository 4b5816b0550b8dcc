#include "tests/unit/tap.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "reporter/base/globs.h"
#include "tests/unit/profile_builder.h"

static const struct {
    const char *pattern, *text;
    bool matches;
} cases[] = {
    {"", "", true}, {"", "a", false}, {"*", "", true}, {"?", "", false}, {"a*", "a", true}, {"*a", "ab", false},
    {"a*b*c", "a-b-b-c", true}, {"a*b*c", "a-c-b", false}, {"*ab", "aab", true}, {"f[a]", "fa", false},
    {"f[a]", "f[a]", true}, {"a\\*", "a\\b", true}, {"*/b", "/a/b", true}, {"*", ".a", true},
    {"?", "\303\274", true}, {"??", "\303\274", false}, {"*?x", "\303\274x", true}, {"?", "\374", true},
};

TEST_EACH(a_pattern_is_compared, cases)
{
    ck_assert_msg(mp_glob_matches(cases[_i].pattern, cases[_i].text, strlen(cases[_i].text)) == cases[_i].matches,
                  "%s and %s", cases[_i].pattern, cases[_i].text);
}

/* Writes up to 8 random characters of ALPHABET to TEXT. */
static void
make_text(char text[static 9], const char *alphabet)
{
    int n = rand() % 9;

    for (int i = 0; i < n; i++)
        text[i] = alphabet[(size_t)rand() % strlen(alphabet)];
    text[n] = '\0';
}

/* Matches many patterns at once, some of which are equal or parts of others, and compares the result with
 * fnmatch(3). */
TEST_LOOP(all_patterns_are_found_at_once, 0, 50)
{
    char patterns[150][9], text[9];
    struct mp_globs *globs = mp_globs_new(keep_arena());
    unsigned found_any = 0;

    srand((unsigned)_i);
    for (uint32_t i = 0; i < 150; i++) {
        make_text(patterns[i], _i % 2 ? "ab*?" : "abc*");
        mp_globs_add(globs, patterns[i], i);
    }
    for (int i = 0; i < 100; i++) {
        uint64_t found[3] = {0};

        make_text(text, "abc");
        mp_globs_match(globs, text, strlen(text), found);
        for (uint32_t j = 0; j < 150; j++) {
            const bool is_found = found[j / 64] >> j % 64 & 1;

            ck_assert_msg(is_found == (fnmatch(patterns[j], text, 0) == 0), "%s and %s", patterns[j], text);
            found_any += is_found;
        }
    }
    ck_assert_uint_gt(found_any, 100);
}
/* SPDX-License-Identifier: MIT */
