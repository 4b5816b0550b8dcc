/*
 * verdict_output.h -- a verdict for people, and for what runs tests.
 */
#ifndef MP_LIMITS_VERDICT_OUTPUT_H
#define MP_LIMITS_VERDICT_OUTPUT_H

#include <stdio.h>

#include "verdict.h"

/* What is over its limit, with its chains, then the rest; QUIET: not the rest. */
void mp_verdict_text(const struct mp_verdict *verdict, bool quiet, FILE *out);

/* JUnit's XML: a test suite for each of N verdicts, a test case for each limit. */
void mp_verdict_junit(const struct mp_verdict *const *verdicts, size_t n, FILE *out);

/* Workflow commands of GitHub's: an error for each line that a chain over its limit allocates in.  Files of
 * FOLDER, where the sources are, are told by their place in it. */
void mp_verdict_github(const struct mp_verdict *verdict, const char *folder, FILE *out);

/* A report of GitLab's on code quality, the same of N verdicts. */
void mp_verdict_gitlab(const struct mp_verdict *const *verdicts, size_t n, const char *folder,
                       FILE *out);

/* "32,010,767 bytes are kept, 4,096 are allowed"; in the arena of VERDICT. */
const char *mp_checked_text(const struct mp_verdict *verdict, const struct mp_checked *checked);

/* "1,024 bytes in 3 blocks". */
const char *mp_offender_text(const struct mp_verdict *verdict, const struct mp_checked *checked,
                             const struct mp_offender *offender);

#endif
