/*
 * cfi_value.h -- registers, and the value of a DWARF expression (DWARF 4, section 2.5) over them.
 */
#ifndef MP_CFI_VALUE_H
#define MP_CFI_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "eh_frame.h"

struct mp_cfi_registers {
    uint64_t value[MP_CFI_REGISTERS];
    uint32_t known;             /* bit N: register N is */
    uint64_t frame_end;         /* from the stack pointer up to here memory is there; 0: not known */
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

/* The word at ADDRESS: false if it cannot be read. */
bool mp_cfi_load(const struct mp_cfi_registers *registers, uint64_t address, uint64_t *word);

/* The value of EXPRESSION, SIZE bytes; FIRST lies on its stack if that is not NULL.  False: a
 * register that is not known, memory that cannot be read, an operation that frames do not need. */
bool mp_cfi_value(const struct mp_cfi_registers *registers, const uint8_t *expression, uint64_t size,
                  const uint64_t *first, uint64_t *value);

#endif
