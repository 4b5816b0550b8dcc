/* SPDX-License-Identifier: MIT */
/*
 * chain_check.h -- implements the two checking modes (MPROF_CHECK), which are for tests.
 *
 * With MPROF_CHECK=1, each captured chain is compared with a walk by libunwind made at once, one step at a time.
 * This is slow.
 *
 * At exit, one line is appended to MPROF_CHECK_FILE, or written to stderr if that is not set:
 *
 *     checked CHAINS mismatches CHAINS frames FRAMES objects OBJECTS
 *
 * Details of the first few mismatches precede it. OBJECTS is the number of objects of a collected heap for which
 * the sweep's result was compared with the collector's answer for the object alone. A difference is a mismatch,
 * too.
 *
 * With MPROF_CHECK=2, nothing is checked. The line shows how many frames of the deep chains (chain_deep.h) were
 * compared with the stack:
 *
 *     deep CHAINS compared FRAMES
 */
#ifndef MP_UNWIND_CHECK_H
#define MP_UNWIND_CHECK_H

#include <stdbool.h>
#include <stdint.h>

/* Compares the chain of CONTEXT, just captured from HOOK_FRAME, with libunwind's. The thread holds no lock. errno
 * is preserved. */
void mp_check_chain(uint32_t context, const void *hook_frame);

/* Compares ALIVE, the sweep's result for the object at BLOCK, with IS_ALIVE, the collector's answer when asked
 * about this object alone. */
void mp_check_object(const void *block, bool alive, bool is_alive);

/* Counts that at most FRAMES frames of a deep chain are about to be compared with the stack. */
void mp_check_deep(uint64_t frames);

/* Writes the line. Called at exit. */
void mp_check_report(void);

#endif
