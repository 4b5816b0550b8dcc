/* dwarf_answer.h -- functions, inlined calls and source lines at an address, from DWARF. */
#ifndef MP_SYMBOLS_DWARF_ANSWER_H
#define MP_SYMBOLS_DWARF_ANSWER_H

#include "binary.h"

/* Add the function at ADDRESS, after those inlined there, to the places of the answer being made;
 * false: none is known. */
bool mp_dwarf_answer(struct mp_binary *binary, uint64_t address);

/* The function whose code is at ADDRESS, among BINARY's answers, or MP_NO_ID. */
uint32_t mp_dwarf_function(struct mp_binary *binary, uint64_t address);

/* Source line of ADDRESS, for what ELF named: the compiler leaves functions out of DWARF that it
 * found to be twins of others, and assemblers write lines only. */
void mp_dwarf_line(struct mp_binary *binary, uint64_t address, const char **file, uint32_t *line);

#endif
