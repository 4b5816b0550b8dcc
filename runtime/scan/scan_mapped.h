/* SPDX-License-Identifier: MIT */
/*
 * scan_mapped.h -- who mapped private memory.
 *
 * The contents of memory do not show whether it belongs to an allocator other than glibc's, to libgc or to the program.
 * Therefore mmap(2) is watched. Memory mapped by the allocator's own library belongs to the allocator, memory mapped by
 * libgc to libgc, and all other memory to the program. Unmapped memory remains in the list until something else is
 * mapped at its addresses. That does no harm, because a scan cannot read unmapped memory.
 */
#ifndef MP_SCAN_MAPPED_H
#define MP_SCAN_MAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Notes that SIZE bytes were mapped at ADDRESS by a call with the return address CALLER. Takes no lock. */
void mp_scan_mapped_note(uintptr_t address, size_t size, uintptr_t caller);

/* Sets the allocator's library to the one that contains ADDRESS. */
void mp_scan_mapped_open(uintptr_t address);

/* Returns whether some mappings are missing, because there were too many. Then roots may be missing. */
bool mp_scan_mapped_is_cut(void);

/* Returns the return address of the call that mapped the memory at AT, or 0 if none was noted. Lowers *STOP to the
 * first address where this may change. Used in a copy of the process, as is the next function. */
uintptr_t mp_scan_mapped_caller(uintptr_t at, uintptr_t *stop);

/* Finds the next range from *START on, below END, that the program mapped, and stores it in *START and *STOP.
 * Returns false if no such range follows. */
bool mp_scan_mapped_next(uintptr_t *start, uintptr_t end, uintptr_t *stop);

#endif
