/* SPDX-License-Identifier: MIT */
/*
 * lookup.h -- answers for an address from the best source available.
 *
 * An answer may be known from an earlier profile or from the cache. Otherwise it comes from DWARF, else from an ELF
 * symbol that covers the address, else from the function's start in the unwind table. The file's symbols and debug
 * information are loaded when the first address without an answer is asked for.
 */
#ifndef MP_SYMBOLS_LOOKUP_H
#define MP_SYMBOLS_LOOKUP_H

#include "binary.h"

/* Returns the answer of BINARY for ADDRESS, including the types mentioned there if MENTIONS. Loads BINARY if
 * necessary. Returns NULL if it cannot be loaded. */
const struct mp_answer *mp_answer_of(struct mp_binary *binary, uint64_t address, bool mentions);

/* An address that will be asked for. */
struct mp_question {
    uint64_t address;
    bool mentions;
    uint32_t unit;              /* set by mp_answers_prepare() */
};
/* Answers the N QUESTIONS, except questions that have an answer already. Sorts them by compilation unit first,
 * because dwarf_units.c keeps only a few units in memory, while neighbouring addresses may belong to different
 * units. */
void mp_answers_prepare(struct mp_binary *binary, struct mp_question *questions, uint32_t n);

/* Returns the function whose code is at ADDRESS by DWARF, an index in BINARY's answers, or MP_NO_ID. BINARY must be
 * loaded. */
uint32_t mp_dwarf_function(struct mp_binary *binary, uint64_t address);

/* Returns the start address of FUNCTION's code, or 0 if it is unknown. */
uint64_t mp_dwarf_entry(const struct mp_binary *binary, Dwarf_Die *function);

/* Returns the first function that was inlined in the function at ADDRESS, as mp_dwarf_function() does. */
uint32_t mp_dwarf_inlined(struct mp_binary *binary, uint64_t address);

#endif
