/* dwarf_answer.h -- functions, inlined calls and source lines of an address, from DWARF. */
#ifndef MP_SYMBOLS_DWARF_ANSWER_H
#define MP_SYMBOLS_DWARF_ANSWER_H

#include "binary.h"

/* Adds the function at ADDRESS, preceded by the calls inlined there, to the places of the answer being made.
 * Returns false if no function is known. */
bool mp_dwarf_answer(struct mp_binary *binary, uint64_t address);

/* Returns the function whose code is at ADDRESS, an index in BINARY's answers, or MP_NO_ID. */
uint32_t mp_dwarf_function(struct mp_binary *binary, uint64_t address);

/* Sets the source line of ADDRESS, for functions named by ELF symbols. DWARF has no functions there if the compiler
 * folded identical code or if an assembler wrote only lines. */
void mp_dwarf_line(struct mp_binary *binary, uint64_t address, const char **file, uint32_t *line);

#endif
