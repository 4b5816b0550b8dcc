#include "startup.h"

#include <link.h>
#include <stdbool.h>

#include "module.h"
#include "rule.h"

#define ANY     (-1)
#define ADDRESS ANY, ANY, ANY, ANY
#define MOST    26

/* What stands before the return address. */
struct pattern {
    unsigned length;
    int16_t code[MOST];
    uint32_t rule;
};

/* CFA = fp + 16, fp saved at CFA - 16; CFA = sp + 16. */
#define BY_FP (MP_RULE_FP | 2u << 3 | 2u << 19)
#define BY_SP (MP_RULE_SP | 2u << 3)

static const struct pattern patterns[] = {
    /* __do_global_dtors_aux: push rbp; is __cxa_finalize there?; mov rbp, rsp; if not, go on; load
     * __dso_handle; call __cxa_finalize */
    { 26,
      { 0x55, 0x48, 0x83, 0x3d, ADDRESS, 0, 0x48, 0x89, 0xe5, 0x74, 0x0c, 0x48, 0x8b, 0x3d, ADDRESS,
        0xe8, ADDRESS },
      BY_FP },
    /* ... of older compilers: the first two are the other way round */
    { 26,
      { 0x48, 0x83, 0x3d, ADDRESS, 0, 0x55, 0x48, 0x89, 0xe5, 0x74, 0x0c, 0x48, 0x8b, 0x3d, ADDRESS,
        0xe8, ADDRESS },
      BY_FP },
    /* _init: sub rsp, 8; load __gmon_start__, by an instruction of the linker's choice; is it there?;
     * if not, go on; call it */
    { 18,
      { 0x48, 0x83, 0xec, 8, 0x48, ANY, ANY, ADDRESS, 0x48, 0x85, 0xc0, 0x74, 2, 0xff, 0xd0 },
      BY_SP },
};

/* Are the LENGTH bytes before IP code that can be read? */
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
matches(const struct pattern *pattern, const uint8_t *code)
{
    unsigned i = 0;

    while (i < pattern->length && (pattern->code[i] == ANY || pattern->code[i] == code[i]))
        i++;
    return i == pattern->length;
}

uint32_t
mp_startup_rule(uintptr_t ip)
{
    for (unsigned i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (is_code(ip, patterns[i].length) &&
            matches(&patterns[i], (const uint8_t *)ip - patterns[i].length))
            return patterns[i].rule;
    return MP_RULE_MISSING;
}
