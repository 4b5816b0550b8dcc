/*
 * golden.h -- printed text: collects it in memory and compares it with the files in tests/golden.
 *
 * If MPROF_UPDATE_GOLDEN is set, golden_check() writes the files instead. Read their diff afterwards.
 */
#ifndef MP_TEST_GOLDEN_H
#define MP_TEST_GOLDEN_H

#include <stdio.h>

/* Opens a stream that writes to memory. golden_close() or fclose() completes *TEXT, which is malloc()ed. */
FILE *golden_stream(char **text);

/* Closes STREAM and returns *TEXT. It is freed when the test ends. */
char *golden_close(FILE *stream, char **text);

/* Fails the test and prints TEXT if the file tests/golden/NAME has other content. */
void golden_check(const char *text, const char *name);

/* Fail the test and print TEXT if it lacks PART, or has it. */
void must_have(const char *text, const char *part);
void must_lack(const char *text, const char *part);

#endif
/* SPDX-License-Identifier: MIT */
