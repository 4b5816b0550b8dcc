/* SPDX-License-Identifier: MIT */
#include "startup.h"

#include <link.h>

#include "module.h"
#include "rule.h"
#include "stack_word.h"

/* Finds the segment of readable code that contains IP or ends there. Returns its start, and sets *END. Returns NULL if
 * there is none. */
static const uint8_t *
find_code(uintptr_t ip, const uint8_t **end)
{
    struct dl_phdr_info object;

    if (!mp_module_info(ip, &object))
        return NULL;
    for (unsigned i = 0; i < object.dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object.dlpi_phdr[i];
        const uint8_t *start = (const uint8_t *)(object.dlpi_addr + segment->p_vaddr);

        if (segment->p_type == PT_LOAD && ip - (uintptr_t)start <= segment->p_filesz) {
            *end = start + segment->p_filesz;
            return (segment->p_flags & (PF_R | PF_X)) == (PF_R | PF_X) ? start : NULL;
        }
    }
    return NULL;
}

bool
mp_startup_is_code(uintptr_t ip, unsigned before, unsigned after)
{
    const uint8_t *end, *start = find_code(ip, &end);

    return start && ip - (uintptr_t)start >= before && (uintptr_t)end - ip >= after;
}

static bool
matches(const struct mp_startup_pattern *pattern, const uint8_t *code)
{
    unsigned i = 0;

    while (i < pattern->length &&
           (pattern->code[i] == MP_STARTUP_ANY || pattern->code[i] == code[i]))
        i++;
    return i == pattern->length;
}

uint32_t
mp_startup_rule(uintptr_t ip)
{
    for (const struct mp_startup_pattern *at = mp_machine_startup; at->length; at++)
        if (mp_startup_is_code(ip, at->length, 0) && matches(at, (const uint8_t *)ip - at->length))
            return at->rule;
    return MP_RULE_MISSING;
}

uint32_t
mp_startup_guess(uintptr_t pc)
{
    const uint8_t *end, *code = find_code(pc, &end);

    if (!code)
        return MP_RULE_MISSING;
    end = (const uint8_t *)mp_stack_page_end((uintptr_t)end);
    return mp_machine_sets_fp(code, (const uint8_t *)pc, end) ? MP_RULE_FP_UNPROVED | MP_RULE_FRAME_POINTER
                                                              : MP_RULE_MISSING;
}

bool
mp_startup_is_first(uintptr_t ip, bool static_libc)
{
    return static_libc ? mp_startup_is_code(ip, 0, MP_CONTEXT_START) && mp_machine_is_context_start((const uint8_t *)ip)
                       : mp_startup_is_code(ip, 0, 1);
}

#define LARGEST_START 64u       /* maximum number of bytes that _start pushes */

/* Defined by the loader: initial stack pointer. */
extern const void *__libc_stack_end;

bool
mp_startup_is_main(uint64_t sp, const uint64_t keys[3])
{
    static uintptr_t start, size;       /* of libc; every thread writes the same */

    if (MP_UNLIKELY(!size)) {
        uintptr_t end;

        mp_module_libc(&start, &end);
        size = end - start;
    }
    return (uintptr_t)__libc_stack_end - sp <= LARGEST_START && keys[0] - start < size && keys[1] - start < size &&
           keys[2] - start >= size;
}
