/*
 * golden.h -- compare what a table prints with the text in tests/golden.
 *
 * With MPROF_UPDATE_GOLDEN set, the text becomes the golden file (look at the diff).
 */
#ifndef MP_TEST_GOLDEN_H
#define MP_TEST_GOLDEN_H

#include <stdio.h>

/* A stream into *TEXT, which is complete after fclose() or golden_close(). */
FILE *golden_stream(char **text);

/* Closes STREAM and returns *TEXT, which is freed when the test ends. */
char *golden_close(FILE *stream, char **text);

/* Fail the test, and print TEXT, if TEXT is not what tests/golden/NAME holds. */
void golden_check(const char *text, const char *name);

#endif
