#include "tests/unit/tap.h"

#include <stdio.h>

struct kept {
    struct kept *next;
    void *pointer;
    void (*release)(void *pointer);
};

static struct kept *all_kept;

void *
tap_keep(void *pointer, void (*release)(void *pointer))
{
    struct kept *kept = malloc(sizeof *kept);

    if (!kept)
        abort();
    *kept = (struct kept){all_kept, pointer, release};
    all_kept = kept;
    return pointer;
}

/* Releases what *PLACE refers to and takes it out of the list. */
static void
release_at(struct kept **place)
{
    struct kept *kept = *place;

    *place = kept->next;
    kept->release(kept->pointer);
    free(kept);
}

void
tap_release(void *pointer)
{
    struct kept **place = &all_kept;

    while (*place && (*place)->pointer != pointer)
        place = &(*place)->next;
    ck_assert_msg(*place != NULL, "it was not kept");
    release_at(place);
}

static void
release_all(void)
{
    while (all_kept)
        release_at(&all_kept);
}

static const char *running;     /* name of the case that runs */

static void
print_name(int status, void *unused)
{
    (void)unused;
    if (status != EXIT_SUCCESS)
        fprintf(stderr, "# case: %s\n", running);
}

void
tap_name(const char *name)
{
    if (!running)
        on_exit(print_name, NULL);
    running = name;
}

TCase *
tap_case(void)
{
    static TCase *all;

    if (!all) {
        all = tcase_create("unit");
        tcase_set_timeout(all, 60);            /* the default of 4 s is too short on a loaded machine */
        tcase_add_checked_fixture(all, NULL, release_all);     /* the last one to be called */
    }
    return all;
}

void
tap_add(const TTest *test, int from, int to)
{
    if (from >= to) {
        fprintf(stderr, "Bail out! %s has no case\n", test->name);
        exit(99);
    }
    tcase_add_loop_test(tap_case(), test, from, to);
}

int
tap_run(void)
{
    Suite *suite = suite_create("unit");
    SRunner *runner;
    int failed;

    suite_add_tcase(suite, tap_case());
    runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    failed = srunner_ntests_failed(runner) > 0 || srunner_ntests_run(runner) == 0;
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
/* SPDX-License-Identifier: MIT */
