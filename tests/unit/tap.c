#include "tests/unit/tap.h"

TCase *
tap_case(void)
{
    static TCase *all;

    if (!all)
        all = tcase_create("unit");
    return all;
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
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
