/*
 * tap.h -- unit tests with Check.
 *
 * TEST() defines a test and registers it; the program prints its results as TAP on stdout.  All
 * tests of a program form one case of Check, each in a process of its own.
 */
#ifndef MP_TEST_TAP_H
#define MP_TEST_TAP_H

#include <check.h>
#include <stdlib.h>

/* Check writes the line of each assertion that holds to a file, to report the last one if a test crashes.
 * In a loop of millions this takes most of the time, so each line is written at most a thousand times. */
#define _mark_point(file, line)                                                                    \
    __extension__({                                                                                \
        static unsigned mp_marks;                                                                  \
        if (mp_marks < 1000) {                                                                     \
            mp_marks++;                                                                            \
            _mark_point(file, line);                                                               \
        }                                                                                          \
    })

/* Executes CALL, which registers something, before main() begins. */
#define TAP_BEFORE_MAIN(name, call)                                                                \
    static void __attribute__((constructor)) name(void)                                            \
    {                                                                                              \
        call;                                                                                      \
    }

/* Defines a test.  The function body follows. */
#define TEST(name) TEST_LOOP(name, 0, 1)

/* Defines a test that runs with each _i from FROM to TO - 1. */
#define TEST_LOOP(name, from, to)                                                                  \
    static const TTest *name;                                                                      \
    TAP_BEFORE_MAIN(name##_register, tap_add(name, from, to))              \
    START_TEST(name)

/* Defines a test that runs for each element of CASES, with _i as its index. */
#define TEST_EACH(name, cases) TEST_LOOP(name, 0, (int)(sizeof cases / sizeof *cases))

/* Does what TEST_EACH() does, and prints the member `name` of the case if the test fails. */
#define TEST_CASES(test, cases)                                                                    \
    static void test##_case(int _i);                                                               \
    TEST_EACH(test, cases)                                                                         \
    {                                                                                              \
        tap_name(cases[_i].name);                                                                  \
        test##_case(_i);                                                                           \
    }                                                                                              \
    static void test##_case(int _i)

/* Calls SET_UP before each test of the file and TEAR_DOWN after it.  Either may be NULL. */
#define FIXTURE(set_up, tear_down)                                                                 \
    TAP_BEFORE_MAIN(tap_fixture, tcase_add_checked_fixture(tap_case(), set_up, tear_down))

/* Lets each test of the file run for SECONDS instead of 60. */
#define TIMEOUT(seconds) TAP_BEFORE_MAIN(tap_timeout, tcase_set_timeout(tap_case(), seconds))

/* From now on, a failure of the test prints NAME, such as that of the case that the test has reached. */
void tap_name(const char *name);

/* Returns POINTER, and calls RELEASE(POINTER) when the test ends. The last one is released first. */
void *tap_keep(void *pointer, void (*release)(void *pointer));

/* Releases POINTER, which was given to tap_keep(), at once. A test does this to show that nothing refers to it. */
void tap_release(void *pointer);

/* Adds TEST, which runs with each _i from FROM to TO - 1. Ends the program if that range is empty. */
void tap_add(const TTest *test, int from, int to);

/* Returns the case of Check that has all tests of the program. */
TCase *tap_case(void);

/* Runs all tests and prints TAP. Returns the exit status of the program, which is not 0 if there is no test. Programs
 * without a main() have that of main.c. */
int tap_run(void);

#endif
/* SPDX-License-Identifier: MIT */
