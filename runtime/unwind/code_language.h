/* SPDX-License-Identifier: MIT */
/*
 * code_language.h -- makes frames for interpreted functions of a language and for the names of its threads.
 *
 * A frame of an interpreter (struct mp_interpreter of language.h) represents the function that it runs. A word of
 * the frame holds that function. Its distance from the CFA is always the same, and is found when the first such
 * frame is met.
 */
#ifndef MP_CODE_LANGUAGE_H
#define MP_CODE_LANGUAGE_H

#include "code_table.h"

/* Returns whether the return address IP is in an interpreter (MP_RULE_INTERPRETER). */
bool mp_code_in_interpreter(uintptr_t ip);

/* Returns the distance in bytes from the CFA to the word that holds the function, for an interpreter's frame with
 * the return address IP. Returns 0 if it is not yet known. */
uintptr_t mp_code_word_distance(uintptr_t ip);

/* Returns the key of the function that runs in the interpreter's frame with return address IP, between SP and CFA.
 * Returns 0 if the function is unknown. */
uint64_t mp_code_interpreted(uintptr_t ip, uintptr_t sp, uintptr_t cfa);

/* Makes an entry for a key that mp_code_interpreted() returned and that is not in the table. Gate's lock held. */
const struct mp_code *mp_code_add_interpreted(uint64_t key);

/* Forgets interpreted functions that are not ALIVE, because their addresses may be used again. Returns whether
 * there were any. Lock held. */
bool mp_code_forget_dead(bool (*alive)(const void *object));

/* Forgets the interpreted FUNCTION, which is freed explicitly. Takes the gate's lock if the table has an entry for
 * FUNCTION. */
void mp_code_forget_function(uintptr_t function);

/* Returns the frame for threads called NAME, or 0 if there is no space. Takes the gate's lock. */
uint32_t mp_code_of_thread(const char *name);

/* Returns whether FRAME is a frame for threads. */
bool mp_code_is_thread(uint32_t frame);

/* Forgets the frames, because a new file begins. Lock held. */
void mp_code_language_reset(void);

#endif
