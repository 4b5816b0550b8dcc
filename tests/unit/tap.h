/* tap.h -- run Check suites and print TAP on stdout: one main for every unit test. */
#ifndef MP_TEST_TAP_H
#define MP_TEST_TAP_H

#include <check.h>
#include <stdlib.h>

static inline int
tap_run(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    int failed;

    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
