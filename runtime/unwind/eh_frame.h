/* SPDX-License-Identifier: MIT */
/*
 * eh_frame.h -- reads call frame information from the program's own memory, or from a copy of .debug_frame.
 *
 * Finds the row of the unwind table for an address. It searches .eh_frame_hdr's sorted table for the FDE, and runs
 * the instructions of the CIE and the FDE up to the address (DWARF 4, section 6.4; LSB Core, "Exception Frames").
 * It neither allocates nor locks. Unreadable or unknown data is an error, never a guess.
 */
#ifndef MP_EH_FRAME_H
#define MP_EH_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "eh_object.h"
#include "machine.h"

/* How a register of the caller is found. */
enum mp_cfi_how {
    MP_CFI_SAME = 0,            /* unchanged, or no rule is given */
    MP_CFI_OFFSET,              /* saved at CFA + offset */
    MP_CFI_EXPRESSION,          /* saved at the address that an expression computes */
    MP_CFI_UNDEFINED,           /* has no value; for the return address, this is the end of the chain */
    MP_CFI_REGISTER,            /* is in the register with the number `offset` */
    MP_CFI_VALUE_OFFSET,        /* is CFA + offset */
    MP_CFI_VALUE_EXPRESSION     /* is the value of an expression */
};

struct mp_cfi_rule {
    const uint8_t *expression;
    int32_t offset;
    uint16_t expression_size;
    uint8_t how;                /* enum mp_cfi_how */
};

struct mp_cfi_row {
    bool cfa_is_expression;
    bool signal_frame;          /* the CIE has the augmentation 'S' */
    uint64_t cfa_register;      /* DWARF number */
    int64_t cfa_offset;
    const uint8_t *cfa_expression;
    uint64_t cfa_expression_size;
    uintptr_t start;            /* address of the function, or of a separately placed part of it */
    struct mp_cfi_rule rules[MP_CFI_REGISTERS];
};

enum mp_cfi_result {
    MP_CFI_FOUND = 0,
    MP_CFI_NO_FDE,              /* the table does not cover the address */
    MP_CFI_BAD                  /* the table has data that is not understood */
};

/* Finds the row for PC in OBJECT's table. *ROW is valid only if the result is MP_CFI_FOUND. */
enum mp_cfi_result mp_eh_frame_find(const struct mp_eh_object *object, uintptr_t pc,
                                    struct mp_cfi_row *row);

/* Writes an index of the SIZE bytes of .debug_frame at SECTION to INDEX, which is aligned to 4 bytes and has space for
 * MP_DEBUG_INDEX_SIZE(SIZE). It has the form of .eh_frame_hdr. */
#define MP_DEBUG_INDEX_SIZE(size) ((size) / 3 + 12)
void mp_debug_frame_index(const uint8_t *section, uint64_t size, uint8_t *index);

#endif
