/* SPDX-License-Identifier: MIT */
#include "machine.h"

#include <cpuid.h>
#include <sys/prctl.h>

#include "rule.h"
#include "runtime/system/sys.h"
#include "startup.h"

#define CALLS_IN_A_TICK 2u      /* minimum of the bound; see chain_deep.h */

static bool
has_clock(void)
{
    const unsigned rdtscp = 1u << 27;
    unsigned a, b, c, d;
    int mode = 0;

    return __get_cpuid(0x80000001, &a, &b, &c, &d) && d & rdtscp &&
           mp_sys_counter_mode(&mode) == 0 && mode == PR_TSC_ENABLE;
}

/* Computes the bound from the base clock and the highest clock in MHz, which Intel processors report. The counter
 * is not slower than the base clock. The bound assumes one call in each cycle of the highest clock, although a call
 * takes two. */
unsigned
mp_machine_calls_in_a_tick(void)
{
    unsigned base, highest, c, d, calls;

    if (!has_clock())
        return 0;
    if (!__get_cpuid(0x16, &base, &highest, &c, &d) || base == 0)
        return CALLS_IN_A_TICK;
    calls = (highest + base - 1) / base;
    return calls > CALLS_IN_A_TICK ? calls : CALLS_IN_A_TICK;
}

#define ANY     MP_STARTUP_ANY
#define ADDRESS ANY, ANY, ANY, ANY

/* The rules of functions with and without a frame pointer. Of the latter, CFA = sp + 16. */
#define BY_FP (MP_RULE_FP | MP_RULE_FRAME_POINTER)
#define BY_SP (MP_RULE_SP | 2u << 3)

const struct mp_startup_pattern mp_machine_startup[] = {
    /* __do_global_dtors_aux: push rbp; test whether __cxa_finalize exists; mov rbp, rsp; skip the call if not; load
     * __dso_handle; call __cxa_finalize */
    { 26,
      { 0x55, 0x48, 0x83, 0x3d, ADDRESS, 0, 0x48, 0x89, 0xe5, 0x74, 0x0c, 0x48, 0x8b, 0x3d, ADDRESS,
        0xe8, ADDRESS },
      BY_FP },
    /* __do_global_dtors_aux of older compilers, which exchange the first two instructions */
    { 26,
      { 0x48, 0x83, 0x3d, ADDRESS, 0, 0x55, 0x48, 0x89, 0xe5, 0x74, 0x0c, 0x48, 0x8b, 0x3d, ADDRESS,
        0xe8, ADDRESS },
      BY_FP },
    /* _init: sub rsp, 8; load __gmon_start__, by an instruction of the linker's choice; test whether it exists;
     * skip the call if not; call it */
    { 18,
      { 0x48, 0x83, 0xec, 8, 0x48, ANY, ANY, ADDRESS, 0x48, 0x85, 0xc0, 0x74, 2, 0xff, 0xd0 },
      BY_SP },
    { 0 },
};

/* Returns whether a call of what a register or memory contains ends at IP. */
static bool
follows_indirect_call(const uint8_t *ip)
{
    static const uint8_t lengths[] = { 2, 3, 4, 6, MP_LONGEST_CALL };

    for (unsigned i = 0; i < sizeof lengths; i++)
        if (ip[-lengths[i]] == 0xff && (ip[1 - lengths[i]] >> 3 & 7) == 2)
            return true;
    return false;
}

bool
mp_machine_follows_call(const uint8_t *ip)
{
    return ip[-5] == 0xe8 || follows_indirect_call(ip);
}

bool
mp_machine_is_context_start(const uint8_t *code)
{
    /* mov rsp, rbx; mov rdi, [rsp] */
    static const uint8_t start[MP_CONTEXT_START] = { 0x48, 0x89, 0xdc, 0x48, 0x8b, 0x3c, 0x24 };

    return __builtin_memcmp(code, start, sizeof start) == 0;
}
