/*
 * fuzz.h -- what the fuzz targets share.
 *
 * A target is a file with LLVMFuzzerTestOneInput(), libFuzzer's entry point.  It is linked with
 * libFuzzer, or with driver.c where there is none.  What must not happen ends in abort().
 */
#ifndef MP_TEST_FUZZ_H
#define MP_TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "reporter/profile/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A copy of SIZE bytes that ends where its memory ends; the caller frees it. */
uint8_t *fuzz_copy(const uint8_t *data, size_t size);

/* Write reports of PROFILE, which is freed: all sorts, or the first MOST_REPORTS.  Abort if a line
 * has a character that does something to a terminal, or if the profile does not survive being
 * sealed. */
void fuzz_show(struct mp_profile *profile, size_t most_reports);
#define FUZZ_ALL SIZE_MAX

/* Abort unless the SIZE bytes of TEXT are lines of text that is fit to be printed. */
void fuzz_must_be_clean(const char *text, size_t size);

#endif
