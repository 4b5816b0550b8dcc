/* Is the ECL that is installed one that the bridge knows, and are its objects as the bridge thinks? */
#include "tests/unit/tap.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "ecl_layout.h"

static const struct version {
    const char *library, *name;
    size_t setf_definitions;
} versions[] = {
#define VERSION(library, version, weak_pointer_maker, setf_definitions) \
    { library, version, setf_definitions },
#include "lisp-bridge/versions.def"
#undef VERSION
};

START_TEST(is_a_known_version)
{
    char name[32], library[32];
    bool known = false;

    snprintf(name, sizeof name, "%d.%d.%d", layout_version / 10000, layout_version / 100 % 100,
             layout_version % 100);
    snprintf(library, sizeof library, "libecl.so.%d.%d", layout_version / 10000,
             layout_version / 100 % 100);
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        known |= strcmp(versions[i].name, name) == 0 &&
                 strcmp(versions[i].library, library) == 0 &&
                 versions[i].setf_definitions == layout_setf_definitions;
    ck_assert_msg(known, "ECL %s is not in lisp-bridge/versions.def", name);
}
END_TEST

START_TEST(is_laid_out_so)
{
    ck_assert_uint_eq(layout_n_ours, layout_n_theirs);
    for (size_t i = 0; i < layout_n_ours; i++)
        ck_assert_msg(layout_ours[i].value == layout_theirs[i].value,
                      "%s is %lld in objects.h, %lld in ECL", layout_ours[i].what,
                      (long long)layout_ours[i].value, (long long)layout_theirs[i].value);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("ecl_layout");
    TCase *tests = tcase_create("ecl_layout");

    tcase_add_test(tests, is_a_known_version);
    tcase_add_test(tests, is_laid_out_so);
    suite_add_tcase(suite, tests);
    return tap_run(suite);
}
