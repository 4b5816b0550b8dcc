/* SPDX-License-Identifier: MIT */
/*
 * instruction.h -- describes what one instruction does with a pointer, which it may copy, store, load, or overwrite.
 *
 * Decodes only as much of an instruction set as is needed to follow a value from the call that returned it.
 * Registers have DWARF's numbers.
 */
#ifndef MP_SYMBOLS_INSTRUCTION_H
#define MP_SYMBOLS_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MP_CODE_REGISTERS 16
#define MP_CODE_NONE      (-1)
#define MP_CODE_MAX       15u       /* maximum bytes of an instruction */

enum mp_code_kind {
    MP_CODE_OTHER,              /* changes only the registers in `written` */
    MP_CODE_COPY,               /* copies `from` to `to` */
    MP_CODE_LOAD,               /* loads `to` from memory */
    MP_CODE_STORE,              /* stores `from` to memory */
    MP_CODE_IS_NULL,            /* compares register `from` with 0, or memory if `from` is MP_CODE_NONE */
    MP_CODE_CALL,               /* calls a function; `written` are the registers that it may change */
    MP_CODE_JUMP,               /* jumps to target; 0 = unknown */
    MP_CODE_BRANCH,             /* jumps to target or continues */
    MP_CODE_RETURN,
    MP_CODE_END                 /* never continues with the next instruction */
};

struct mp_instruction {
    enum mp_code_kind kind;
    unsigned size;              /* in bytes */
    int from, to;               /* registers */
    int base, index;            /* registers of the memory operand, or MP_CODE_NONE */
    int64_t offset;             /* of the memory operand */
    bool absolute;              /* `offset` is an address; there is no base */
    unsigned overwrites;        /* number of memory bytes that MP_CODE_OTHER overwrites: 16, or 1 for any number from
                                   1 to 15, or 0 */
    bool takes_address;         /* MP_CODE_OTHER computes the memory operand's address, so other code may change the
                                   memory later */
    uint64_t target;
    bool if_null, if_not_null;  /* whether the branch is taken if the preceding comparison found 0, or not 0 */
    uint32_t written;           /* registers changed, one bit each */
};

/* Decodes one instruction from the SIZE bytes at ADDRESS. Returns false if the opcode is unknown. */
bool mp_code_x86_64(const uint8_t *bytes, size_t size, uint64_t address, struct mp_instruction *code);

#endif
