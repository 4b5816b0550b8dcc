/* SPDX-License-Identifier: MIT */
#include "fault.h"

#ifdef MP_FAULTS
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int error;
} kinds[MP_FAULT_KINDS] = {
    [MP_FAULT_OPEN] = {"open:", EMFILE},
    [MP_FAULT_MAP] = {"map:", ENOMEM},
    [MP_FAULT_ALLOCATE] = {"allocate:", ENOSPC},
    [MP_FAULT_PROTECT] = {"protect:", ENOMEM},
    [MP_FAULT_TRIM] = {"trim:", EBUSY},
    [MP_FAULT_FORK] = {"fork:", EAGAIN},
    [MP_FAULT_LIFETIMES] = {"lifetimes:", ENOSPC},
};

static struct {
    uint32_t every, calls;      /* one in `every` calls fails; 0 if none does */
} faults[MP_FAULT_KINDS];

static unsigned row_bits = 32;          /* maximum of log2 of a row's size in units of its first extent */

void
mp_fault_set(const char *text)
{
    const char *rows = strstr(text, "rows:");

    if (rows)
        row_bits = (unsigned)strtoul(rows + 5, NULL, 10);
    for (int kind = 0; kind < MP_FAULT_KINDS; kind++) {
        const char *at = strstr(text, kinds[kind].name);

        if (at)
            faults[kind].every = (uint32_t)strtoul(at + strlen(kinds[kind].name), NULL, 10);
    }
}

long
mp_fault(enum mp_fault_kind kind)
{
    uint32_t calls;

    if (faults[kind].every == 0)
        return 0;
    calls = __atomic_add_fetch(&faults[kind].calls, 1, __ATOMIC_RELAXED);
    return calls % faults[kind].every == 0 ? -kinds[kind].error : 0;
}

unsigned
mp_fault_row_bits(unsigned bits, uint32_t least)
{
    unsigned few = row_bits + (unsigned)__builtin_ctz(least);

    return bits < few ? bits : few;
}
#else
typedef int mp_no_faults;       /* a translation unit must not be empty */
#endif
