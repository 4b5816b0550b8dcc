/* SPDX-License-Identifier: MIT */
/*
 * cfi_value.h -- evaluates DWARF expressions (DWARF 4, section 2.5) with the registers of a frame.
 */
#ifndef MP_CFI_VALUE_H
#define MP_CFI_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "eh_frame.h"

struct mp_cfi_registers {
    uint64_t value[MP_CFI_REGISTERS];
    uint32_t known;             /* bit N is set if register N is known */
    uint64_t frame_end;         /* end of memory that is known to be readable from the stack pointer on; 0 if
                                   unknown */
};

static inline bool
mp_cfi_known(const struct mp_cfi_registers *registers, uint64_t number)
{
    return number < MP_CFI_REGISTERS && (registers->known >> number & 1);
}

static inline void
mp_cfi_set(struct mp_cfi_registers *registers, unsigned number, uint64_t value)
{
    registers->value[number] = value;
    registers->known |= 1u << number;
}

/* Reads the word at ADDRESS into *WORD. Returns false if it cannot be read. */
bool mp_cfi_load(const struct mp_cfi_registers *registers, uint64_t address, uint64_t *word);

/* Computes the value of EXPRESSION, which has SIZE bytes. If FIRST is not NULL, first pushes *FIRST onto the stack
 * of the expression. Returns false if a register is unknown, memory cannot be read, or an operation is not
 * supported because frames do not need it. */
bool mp_cfi_value(const struct mp_cfi_registers *registers, const uint8_t *expression, uint64_t size,
                  const uint64_t *first, uint64_t *value);

#endif
