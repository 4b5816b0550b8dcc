/* SPDX-License-Identifier: MIT */
/* machine_code.h -- reads instructions from the file of a module. */
#ifndef MP_SYMBOLS_MACHINE_CODE_H
#define MP_SYMBOLS_MACHINE_CODE_H

#include "binary.h"
#include "instruction.h"

/* Decodes the instruction at ADDRESS of BINARY, which must be loaded. Returns false if its opcode is unknown, if the
 * file has no code there, or if the machine is unsupported. */
bool mp_machine_code(struct mp_binary *binary, uint64_t address, struct mp_instruction *code);

#endif
