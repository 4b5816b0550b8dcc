/* SPDX-License-Identifier: MIT */
/* verdict_output.h -- writes a verdict as text and in the formats of test and CI systems. */
#ifndef MP_LIMITS_VERDICT_OUTPUT_H
#define MP_LIMITS_VERDICT_OUTPUT_H

#include <stdio.h>

#include "verdict.h"

/* Prints exceeded and uncertain limits with their chains. Unless QUIET, also prints limits that are kept and
 * suppressions that were used. */
void mp_verdict_text(const struct mp_verdict *verdict, bool quiet, FILE *out);

/* Prints the chains of CHECKED, a limit of VERDICT, one a line, and how many were left out. */
void mp_verdict_offenders(const struct mp_verdict *verdict, const struct mp_checked *checked, FILE *out);

/* Writes JUnit XML: a test suite for each of N verdicts, and a test case for each limit. */
void mp_verdict_junit(const struct mp_verdict *const *verdicts, size_t n, FILE *out);

/* Writes GitHub workflow commands: an error for the line of each chain above its limit, or a warning if it is
 * uncertain. Paths in FOLDER, which contains the sources, are written relative to it. */
void mp_verdict_github(const struct mp_verdict *verdict, const char *folder, FILE *out);

/* Writes a GitLab code quality report of N verdicts. FOLDER is used as in mp_verdict_github(). */
void mp_verdict_gitlab(const struct mp_verdict *const *verdicts, size_t n, const char *folder,
                       FILE *out);

#endif
