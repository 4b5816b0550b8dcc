/*
 * fuzz.h -- functions that the fuzz targets share.
 *
 * A target is a file with LLVMFuzzerTestOneInput(), the function that libFuzzer calls. It is linked with libFuzzer,
 * or with driver.c where libFuzzer is missing. A target calls abort() if a check fails.
 */
#ifndef MP_TEST_FUZZ_H
#define MP_TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "reporter/profile/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Returns a copy of the SIZE bytes whose end is the end of its block, so that reading beyond it is an error. The
 * caller frees it. */
uint8_t *fuzz_copy(const uint8_t *data, size_t size);

/* Writes reports of PROFILE in all forms, or in the first MOST_REPORTS forms, and frees PROFILE. Aborts if a line
 * contains a control character, or if the profile changes when it is sealed and read again. */
void fuzz_show(struct mp_profile *profile, size_t most_reports);
#define FUZZ_ALL SIZE_MAX

/* Aborts unless the SIZE bytes of TEXT are lines of printable text. */
void fuzz_must_be_clean(const char *text, size_t size);

#endif
/* SPDX-License-Identifier: MIT */
