/*
 * check.h -- the checking modes, for tests.
 *
 * MPROF_CHECK=1: each captured chain is compared with a walk of libunwind made on the spot, one
 * step at a time.  It is slow.
 *
 * At exit one line is appended to MPROF_CHECK_FILE (stderr without it):
 *     checked CHAINS mismatches CHAINS frames FRAMES objects OBJECTS
 * before it, details of the first few mismatches.  OBJECTS of a collected heap were each compared with
 * what the collector says of it alone; those that differ are mismatches, too.
 *
 * MPROF_CHECK=2: nothing is checked; the line says how much of the deep chains (chain_deep.h) was
 * compared with the stack:
 *     deep CHAINS compared FRAMES
 */
#ifndef MP_CHECK_H
#define MP_CHECK_H

#include <stdbool.h>
#include <stdint.h>

/* Compare the chain of CONTEXT, just captured from HOOK_FRAME, with libunwind's.  The thread
 * holds no lock; errno stays. */
void mp_check_chain(uint32_t context, const void *hook_frame);

/* The sweep takes the object at BLOCK to be ALIVE or not, and the collector, asked for it alone, says
 * IS_ALIVE. */
void mp_check_object(const void *block, bool alive, bool is_alive);

/* At most FRAMES of the frames of a deep chain are about to be compared with the stack. */
void mp_check_deep(uint64_t frames);

/* Append the line. */
void mp_check_report(void);

#endif
