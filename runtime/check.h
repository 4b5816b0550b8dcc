/*
 * check.h -- the checking mode, MPROF_CHECK=1: each captured chain is compared with a walk of
 * libunwind made on the spot, one step at a time.  For tests: it is slow.
 *
 * At exit one line is appended to MPROF_CHECK_FILE (stderr without it):
 *     checked CHAINS mismatches CHAINS frames FRAMES
 * before it, details of the first few mismatches.
 */
#ifndef MP_CHECK_H
#define MP_CHECK_H

#include <stdint.h>

void mp_check_chain(uint32_t context, const void *hook_frame);
void mp_check_report(void);

#endif
