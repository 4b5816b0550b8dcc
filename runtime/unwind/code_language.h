/*
 * code_language.h -- frames that a language brings: interpreted functions, and threads by their
 * names.
 *
 * Some code runs others' functions (struct mp_interpreter of language.h); a frame of it stands for
 * the function that a word of the frame holds, at a distance from the CFA that is always the same
 * and is found when the first such frame is met.
 */
#ifndef MP_CODE_LANGUAGE_H
#define MP_CODE_LANGUAGE_H

#include "code_table.h"

/* Is the return address IP in an interpreter (MP_RULE_INTERPRETER)? */
bool mp_code_in_interpreter(uintptr_t ip);

/* How far from its CFA a frame of an interpreter with the return address IP has the word that
 * holds its function, bytes; 0: it is not known yet. */
uintptr_t mp_code_word_distance(uintptr_t ip);

/* The key of the function that runs in the interpreter's frame with return address IP, between
 * SP and CFA; 0: not known. */
uint64_t mp_code_interpreted(uintptr_t ip, uintptr_t sp, uintptr_t cfa);

/* An entry for a key that mp_code_interpreted() gave and the table has not.  Gate's lock held. */
const struct mp_code *mp_code_add_interpreted(uint64_t key);

/* Interpreted functions that are not ALIVE: their addresses may come to mean something else.
 * True if there were some.  Lock held. */
bool mp_code_forget_dead(bool (*alive)(const void *object));

/* The same for FUNCTION, which is freed by hand.  Takes the gate's lock if it was met. */
void mp_code_forget_function(uintptr_t function);

/* The frame that stands for threads called NAME; 0: no space.  Takes the gate's lock. */
uint32_t mp_code_of_thread(const char *name);

/* Is FRAME such a one? */
bool mp_code_is_thread(uint32_t frame);

/* A new file begins: it has no frames.  Lock held. */
void mp_code_language_reset(void);

#endif
