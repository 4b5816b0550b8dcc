/* SPDX-License-Identifier: MIT */
/*
 * stack_word.h -- reads words of stacks, which need not be readable.
 *
 * A frame pointer may hold anything, a stack may end anywhere, and another thread may unmap memory at any time. So all
 * unwinders, and all comparisons with remembered words, read stacks through this file only. Each read is one
 * instruction in a table (section mp_stack_fixups). If the instruction faults, the monitor's handler of SIGSEGV and
 * SIGBUS (session/faults.h) continues the thread at the place in the table, where the read has failed. The Linux kernel
 * reads the memory of programs in the same way (extable).
 *
 * A debugger stops at such a fault, and a program may have replaced our handler without libc. So a walk that leaves the
 * memory that walks have read before asks the kernel first (struct mp_stack_read). Memory that was read may have been
 * unmapped since. Then the read faults and fails.
 */
#ifndef MP_STACK_WORD_H
#define MP_STACK_WORD_H

#include <stdbool.h>
#include <stdint.h>

#include "machine.h"
#include "runtime/compiler.h"
#include "runtime/record/recorder.h"
#include "runtime/system/sys.h"

/* Adds the instruction at label 1 to the table, and the asm label AFTER, where a thread continues after its fault.
 * Linkers would remove the table as unused without the flag R. */
#define MP_STACK_FIXUP(after) "\n\t.pushsection mp_stack_fixups, \"aR\", @progbits\n\t.balign 4\n\t" \
                              ".long 1b - .\n\t.long " after " - .\n\t.popsection\n"

/* Returns the word at ADDRESS, or 0 if it cannot be read. A fault leads to code after the function, which sets 0. There
 * is no asm goto with outputs here, because gcc 12.2 compiles it wrongly. */
MP_INLINE uint64_t
mp_stack_load(uint64_t address)
{
    uint64_t word = 0;

#ifdef MP_MACHINE_LOAD
    __asm__ volatile("1:\t" MP_MACHINE_LOAD "\n2:\t"
                     ".subsection 1\n3:\t" MP_MACHINE_ZERO "\n\t.previous" MP_STACK_FIXUP("3b")
                     : "=&r"(word) : MP_MACHINE_MEMORY(*(const uint64_t *)address));
#else
    mp_sys_peek(address, &word, sizeof word);
#endif
    return word;
}

/* Returns whether the word at ADDRESS can be read and equals VALUE. */
MP_INLINE bool
mp_stack_equals(const uint64_t *address, uint64_t value)
{
#ifdef MP_MACHINE_LOAD
    __asm__ goto("1:\t" MP_MACHINE_COMPARE MP_STACK_FIXUP("%l[different]")
                 : : MP_MACHINE_MEMORY(*address), "r"(value) : MP_MACHINE_COMPARE_CLOBBERS : different);
    return true;
different:
    return false;
#else
    uint64_t word;

    return mp_sys_peek((uint64_t)address, &word, sizeof word) == 0 && word == value;
#endif
}

/* If the monitor's own read of a stack caused the fault with CONTEXT, a ucontext_t, changes CONTEXT so that the thread
 * continues without the word, and returns true. Called by the handler of SIGSEGV and SIGBUS. */
bool mp_stack_recover(void *context);

/* Makes mp_sys_peek_directly available, because the handler is installed now. */
void mp_stack_guarded(void);

/* ------------------------------------------------------------------ what is asked first */

#define MP_STACK_PAGE 4096u     /* the minimum size of pages */

/* Returns the end of the page of the byte below ADDRESS. */
MP_INLINE uint64_t
mp_stack_page_end(uint64_t address)
{
    return ((address - 1) | (MP_STACK_PAGE - 1)) + 1;
}

/* Returns whether the word at ADDRESS can be read (mp_sys_peek()). */
bool mp_stack_is_readable(uint64_t address);

/* Makes *READ the memory of a walk that begins at SP, a stack pointer above words that were read. */
void mp_stack_begin_anew(struct mp_stack_read *read, uint64_t sp);

/* Returns the end of the memory that a walk from SP on can read without asking. It is above SP - 1. */
MP_INLINE uint64_t
mp_stack_begin(struct mp_stack_read *read, uint64_t sp)
{
    if (MP_UNLIKELY(sp - 1 - read->low >= read->high - read->low))
        mp_stack_begin_anew(read, sp);
    return read->high;
}

#endif
