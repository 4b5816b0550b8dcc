/* tap.h -- run Check suites and print TAP on stdout: one main for every unit test. */
#ifndef MP_TEST_TAP_H
#define MP_TEST_TAP_H

#include <check.h>
#include <stdlib.h>

/* Check writes the place of each assertion that holds to a file, to say after which one a test crashed.
 * That takes most of the time of a loop of millions, so each place is written a thousand times at most. */
#define _mark_point(file, line)                                                                    \
    __extension__({                                                                                \
        static unsigned mp_marks;                                                                  \
        if (mp_marks < 1000) {                                                                     \
            mp_marks++;                                                                            \
            _mark_point(file, line);                                                               \
        }                                                                                          \
    })

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
