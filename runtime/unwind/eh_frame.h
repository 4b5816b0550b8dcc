/*
 * eh_frame.h -- call frame information, read from the program's own memory.
 *
 * Finds the row of the unwind table that holds at an address: by .eh_frame_hdr's sorted table, the
 * FDE and its CIE, whose instructions are run up to the address (DWARF 4, section 6.4; LSB Core,
 * "Exception Frames").  Nothing is allocated, nothing is locked.  What cannot be read
 * or understood is an error, never a guess.
 */
#ifndef MP_EH_FRAME_H
#define MP_EH_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "eh_object.h"
#include "machine.h"

/* How a register of the caller is found. */
enum mp_cfi_how {
    MP_CFI_SAME = 0,            /* not changed (also: no rule given) */
    MP_CFI_OFFSET,              /* saved at CFA + offset */
    MP_CFI_EXPRESSION,          /* saved at the address that an expression gives */
    MP_CFI_UNDEFINED,           /* there is none: for the return address, the end of the chain */
    MP_CFI_REGISTER,            /* in the register `offset` */
    MP_CFI_VALUE_OFFSET,        /* it is CFA + offset */
    MP_CFI_VALUE_EXPRESSION     /* it is what an expression gives */
};

struct mp_cfi_rule {
    const uint8_t *expression;
    int32_t offset;
    uint16_t expression_size;
    uint8_t how;                /* enum mp_cfi_how */
};

struct mp_cfi_row {
    bool cfa_is_expression;
    bool signal_frame;          /* the CIE says so: augmentation 'S' */
    uint64_t cfa_register;      /* DWARF number */
    int64_t cfa_offset;
    const uint8_t *cfa_expression;
    uint64_t cfa_expression_size;
    uintptr_t start;            /* address of the function, or of a part of it laid elsewhere */
    struct mp_cfi_rule rules[MP_CFI_REGISTERS];
};

enum mp_cfi_result {
    MP_CFI_FOUND = 0,
    MP_CFI_NO_FDE,              /* the table does not cover the address */
    MP_CFI_BAD                  /* the table has something that is not understood */
};

/* Find the row for PC in OBJECT's table. */
enum mp_cfi_result mp_eh_frame_find(const struct mp_eh_object *object, uintptr_t pc,
                                    struct mp_cfi_row *row);

#endif
