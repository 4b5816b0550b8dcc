/*
 * scan_mapped.h -- private memory that the program itself mapped, where its allocator is not glibc's.
 *
 * Nobody can tell such an allocator's memory from the program's by its contents.  So mmap(2) is watched: what the
 * allocator's own library maps is the allocator's, all else the program's.  What is unmapped stays here until
 * something else is mapped there; it cannot be read.
 */
#ifndef MP_SCAN_MAPPED_H
#define MP_SCAN_MAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* SIZE bytes were mapped at ADDRESS by a call whose return address is CALLER.  Lock-free. */
void mp_scan_mapped_note(uintptr_t address, size_t size, uintptr_t caller);

/* ADDRESS is in the allocator's library. */
void mp_scan_mapped_open(uintptr_t address);

/* Was there no room for all?  Then roots may be missing. */
bool mp_scan_mapped_is_cut(void);

/* In a copy of the process: the next range from *START on, below END, that the program mapped: it is put into *START
 * and *STOP.  False: there is none. */
bool mp_scan_mapped_next(uintptr_t *start, uintptr_t end, uintptr_t *stop);

#endif
