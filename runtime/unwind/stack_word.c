/* SPDX-License-Identifier: MIT */
#include "stack_word.h"

#include <errno.h>
#include <ucontext.h>

#include "unwind.h"

#define NEAR (16 * MP_STACK_PAGE)       /* maximum distance of two parts of a stack that are united */

/* ------------------------------------------------------------------ faults */

#ifdef MP_MACHINE_LOAD

/* An instruction that may fault, and the place where the thread then continues. Both are relative to the member. */
struct fixup {
    int32_t instruction, target;
};

extern MP_HIDDEN const struct fixup __start_mp_stack_fixups[], __stop_mp_stack_fixups[];

static uintptr_t
absolute(const int32_t *distance)
{
    return (uintptr_t)distance + (uintptr_t)(intptr_t)*distance;
}

bool
mp_stack_recover(void *context)
{
    const uintptr_t ip = mp_machine_interrupted(context);

    for (const struct fixup *at = __start_mp_stack_fixups; at < __stop_mp_stack_fixups; at++)
        if (absolute(&at->instruction) == ip) {
            mp_machine_continue(context, absolute(&at->target));
            return true;
        }
    return mp_unwind_recover(context, ip);
}

/* Copies SIZE bytes at ADDRESS to BUFFER. Returns 0, or -EFAULT if they cannot be read. Loads whole words, of which no
 * part can be on another page. */
static long
copy(uintptr_t address, void *buffer, size_t size)
{
    char *to = buffer;

    while (size > 0) {
        const uintptr_t at = address & ~(uintptr_t)7, skipped = address - at;
        const size_t n = size < 8 - skipped ? size : 8 - skipped;
        const uint64_t word = mp_stack_load(at);

        if (word == 0 && !mp_stack_equals((const uint64_t *)at, 0))
            return -EFAULT;
        __builtin_memcpy(to, (const char *)&word + skipped, n);
        address += n;
        to += n;
        size -= n;
    }
    return 0;
}

void
mp_stack_guarded(void)
{
    mp_sys_peek_directly = copy;
}

#else

bool
mp_stack_recover(void *context)
{
    (void)context;
    return false;
}

void
mp_stack_guarded(void)
{
}

#endif

/* ------------------------------------------------------------------ what is asked first */

bool
mp_stack_is_readable(uint64_t address)
{
    uint64_t word;

    return mp_sys_peek(address, &word, sizeof word) == 0;
}

static bool
all_readable(uint64_t page, uint64_t end)
{
    while (page < end && mp_stack_is_readable(page))
        page += MP_STACK_PAGE;
    return page >= end;
}

MP_COLD void
mp_stack_begin_anew(struct mp_stack_read *read, uint64_t sp)
{
    const uint64_t end = mp_stack_page_end(sp);

    if (read->low - end > NEAR || !all_readable(end, read->low))
        read->high = end;
    read->low = end - MP_STACK_PAGE;
}
