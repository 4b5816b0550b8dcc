/*
 * code.h -- what one instruction does with a pointer: is it copied, stored, loaded, or lost?
 *
 * As much of an instruction set as it takes to follow a value from the call that returned it.  What is
 * not known is said to change every register.  Registers have DWARF's numbers.
 */
#ifndef MP_SYMBOLS_CODE_H
#define MP_SYMBOLS_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MP_CODE_REGISTERS 16
#define MP_CODE_NONE      (-1)
#define MP_CODE_MAX       15u       /* bytes of an instruction */

enum mp_code_kind {
    MP_CODE_OTHER,              /* changes `written` only */
    MP_CODE_COPY,               /* from -> to */
    MP_CODE_LOAD,               /* memory -> to */
    MP_CODE_STORE,              /* from -> memory */
    MP_CODE_IS_NULL,            /* compares register `from` with 0, or, if that is MP_CODE_NONE, memory */
    MP_CODE_CALL,               /* `written`: what a function may change */
    MP_CODE_JUMP,               /* to target; 0: not known */
    MP_CODE_BRANCH,             /* to target or on */
    MP_CODE_RETURN,
    MP_CODE_END                 /* nothing goes on here */
};

struct mp_code {
    enum mp_code_kind kind;
    unsigned size;              /* bytes */
    int from, to;               /* registers */
    int base, index;            /* of memory; MP_CODE_NONE */
    int64_t offset;             /* of memory */
    bool absolute;              /* it is an address, and there is no base */
    unsigned overwrites;        /* MP_CODE_OTHER: bytes of memory that become something else: 16, or 1 for all that are
                                   fewer; 0: none */
    bool takes_address;         /* MP_CODE_OTHER: of memory, which others may change from then on */
    uint64_t target;
    bool if_null, if_not_null;  /* the branch is taken then */
    uint32_t written;           /* registers, a bit each */
};

/* The instruction in the SIZE bytes that stand at ADDRESS; false: it is not known. */
bool mp_code_x86_64(const uint8_t *bytes, size_t size, uint64_t address, struct mp_code *code);

#endif
