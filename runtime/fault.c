#include "fault.h"

#ifdef MP_FAULTS
#include <errno.h>
#include <stdint.h>
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
};

static struct {
    uint32_t every, calls;      /* fails at each EVERY-th of the calls; 0: never */
} faults[MP_FAULT_KINDS];

void
mp_fault_set(const char *text)
{
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
#else
typedef int mp_no_faults;       /* a file that is not empty */
#endif
