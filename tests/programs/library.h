/*
 * library.h -- the address range of libmprof.so, for programs whose signal handlers jump out of the library.
 */
#ifndef MP_PROGRAMS_LIBRARY_H
#define MP_PROGRAMS_LIBRARY_H

#include <link.h>
#include <stdbool.h>
#include <ucontext.h>

#include "program.h"

static uintptr_t library_start, library_end;

static int
library_look(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    if (!strstr(info->dlpi_name, "libmprof"))
        return 0;
    library_start = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD)
            library_end = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
    return 1;
}

/* Finds the library. Returns false if it is not loaded. */
static bool
find_library(void)
{
    return dl_iterate_phdr(library_look, NULL) == 1;
}

/* Returns whether the instruction that a handler's CONTEXT interrupted is in the library. */
static bool
in_library(const void *context)
{
    const ucontext_t *at = context;
#ifdef __x86_64__
    uintptr_t pc = (uintptr_t)at->uc_mcontext.gregs[REG_RIP];
#elif defined __aarch64__
    uintptr_t pc = at->uc_mcontext.pc;
#else
    uintptr_t pc = 0;

    (void)at;
#endif
    return pc >= library_start && pc < library_end;
}

#endif
/* SPDX-License-Identifier: MIT */
