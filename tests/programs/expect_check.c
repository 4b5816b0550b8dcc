/* expect_check.c -- expectations in tests of the framework Check: two tests pass, two fail. */
#include <check.h>

#include "program.h"
#include "runtime/mprof.h"

static FRAME void *
get(size_t size)
{
    void *volatile block = malloc(size);

    return block;
}

START_TEST(allocates_one)
{
    MPROF_EXPECT_MAX_ALLOCS(1)
        free(get(10));
}
END_TEST

START_TEST(allocates_two)
{
    MPROF_EXPECT_MAX_ALLOCS(1) {
        free(get(10));
        free(get(10));
    }
}
END_TEST

START_TEST(frees)
{
    free(get(10));
}
END_TEST

START_TEST(keeps)
{
    KEEP(get(10));
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("expectations");
    TCase *by_macro = tcase_create("macros"), *by_fixture = tcase_create("fixture");
    SRunner *runner;
    int failed;

    tcase_add_test(by_macro, allocates_one);
    tcase_add_test(by_macro, allocates_two);
    tcase_add_checked_fixture(by_fixture, mprof_no_leaks_setup, mprof_no_leaks_teardown);
    tcase_add_test(by_fixture, frees);
    tcase_add_test(by_fixture, keeps);
    suite_add_tcase(suite, by_macro);
    suite_add_tcase(suite, by_fixture);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 2 ? 0 : failed + 10;
}
/* SPDX-License-Identifier: MIT */
