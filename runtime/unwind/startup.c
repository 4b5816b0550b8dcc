#include "startup.h"

#include <link.h>
#include <stdbool.h>

#include "module.h"
#include "rule.h"

/* Returns whether the LENGTH bytes before IP are readable code. */
static bool
is_code(uintptr_t ip, unsigned length)
{
    struct dl_phdr_info object;

    if (!mp_module_info(ip, &object))
        return false;
    for (unsigned i = 0; i < object.dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object.dlpi_phdr[i];
        uintptr_t offset = ip - object.dlpi_addr - segment->p_vaddr;

        if (segment->p_type == PT_LOAD && offset <= segment->p_memsz)
            return offset >= length && (segment->p_flags & (PF_R | PF_X)) == (PF_R | PF_X);
    }
    return false;
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
        if (is_code(ip, at->length) && matches(at, (const uint8_t *)ip - at->length))
            return at->rule;
    return MP_RULE_MISSING;
}
