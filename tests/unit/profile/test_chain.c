/* Random profiles: contexts have one number exactly if their whole chains are one, which is what is
 * shown. */
#include "tests/unit/tap.h"

#include <stdio.h>
#include <string.h>

#include "reporter/profile/chain.h"
#include "tests/unit/profile_builder.h"

#define PROFILES 200
#define CHAINS 40
#define LONGEST 6

/* A frame of one function or two, at one of two places. */
static size_t
add_frame(char *text, unsigned short seed[3])
{
    static const char *const places[] = {"", "+8", "+12", "@3", "@4"};
    int outer = 'a' + (int)(nrand48(seed) % 3), inner = 'a' + (int)(nrand48(seed) % 3);
    const char *place = places[nrand48(seed) % 5];

    if (nrand48(seed) % 3 > 0)
        return (size_t)sprintf(text, "%c%s", outer, place);
    return (size_t)sprintf(text, "%c/%c%s", outer, inner, place);
}

static struct mp_profile *
random_profile(int number)
{
    unsigned short seed[3] = {1988, 2, (unsigned short)number};
    struct pb *pb = pb_new();

    for (int c = 0; c < CHAINS; c++) {
        char text[16 * LONGEST] = "";
        size_t length = nrand48(seed) % 4 ? 0 : (size_t)sprintf(text, "#2;");

        for (long left = 1 + nrand48(seed) % LONGEST; left > 0; left--) {
            length += add_frame(text + length, seed);
            if (left > 1)
                length += (size_t)sprintf(text + length, ";");
        }
        pb_add(pb, text, MP_KIND_SMALL, 1, 8, 0, 0);
    }
    return pb_done(pb);
}

static void
compare_all(const struct mp_profile *profile, const struct mp_chain_options *options)
{
    struct mp_arena *arena = mp_arena_new();
    const uint32_t *numbers = mp_chain_numbers(profile, options, arena);
    char **texts = mp_arena_alloc(arena, profile->n_contexts * sizeof *texts);

    for (uint32_t a = 0; a < profile->n_contexts; a++) {
        texts[a] = mp_chain_text(profile, options, a);
        for (uint32_t b = 0; b < a; b++) {
            bool same = numbers[a] == numbers[b];

            ck_assert_int_eq(mp_chain_equal(profile, options, a, b), same);
            ck_assert_int_eq(strcmp(texts[a], texts[b]) == 0, same);
        }
    }
    for (uint32_t a = 0; a < profile->n_contexts; a++)
        free(texts[a]);
    mp_arena_free(arena);
}

START_TEST(one_number_is_one_chain)
{
    unsigned short seed[3] = {2, 16, (unsigned short)_i};
    struct mp_profile *profile = random_profile(_i);
    bool *hidden = calloc(profile->n_contexts, sizeof *hidden);
    struct mp_chain_options options = {
        .offsets = _i & 1, .lines = _i & 2, .bare = _i & 4, .inside_out = _i & 8,
        .hidden = _i & 16 ? hidden : NULL};

    for (uint32_t i = 1; i < profile->n_contexts; i++)
        hidden[i] = nrand48(seed) % 8 == 0;
    compare_all(profile, &options);
    free(hidden);
    mp_profile_free(profile);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("chain");
    TCase *tests = tcase_create("chain");

    tcase_add_loop_test(tests, one_number_is_one_chain, 0, PROFILES);
    suite_add_tcase(suite, tests);
    return tap_run(suite);
}
