/*
 * ask.h -- what a file tells of an address, by the best source there is.
 *
 * The answer may be known already, from an earlier profile or from the disk; else DWARF gives it,
 * else an ELF symbol that covers the address, else the function's start from the unwind table.  The
 * file's symbols and debug information are loaded when an address has no answer yet.
 */
#ifndef MP_SYMBOLS_ASK_H
#define MP_SYMBOLS_ASK_H

#include "binary.h"

/* What BINARY tells of ADDRESS, with the types that are mentioned there if MENTIONS; loads it if
 * need be.  NULL: it could not be loaded. */
const struct mp_answer *mp_answer_of(struct mp_binary *binary, uint64_t address, bool mentions);

/* An address that will be asked for. */
struct mp_question {
    uint64_t address;
    bool mentions;
    uint32_t unit;              /* not to be filled in */
};
/* Ask the N QUESTIONS that have no answer yet, sorted by compilation unit: dwarf_units.c keeps a
 * few units at a time in memory, and the code of one unit may lie in many places. */
void mp_answers_prepare(struct mp_binary *binary, struct mp_question *questions, uint32_t n);

#endif
