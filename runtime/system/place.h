/*
 * place.h -- where in the address space the monitor's memory stands.
 *
 * Nothing is reserved.  The kernel gives out addresses from both ends: below the stack downwards, or
 * from a third of the space (a quarter on aarch64) upwards.  The monitor takes its own from the second
 * eighth, at a distance that differs from process to process, with unmapped addresses around each
 * mapping.  So the program's mappings lie where they would lie without us, count against its limits as
 * they would, and a write beyond one of them meets a fault as it would, and never our data.
 */
#ifndef MP_PLACE_H
#define MP_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How large the rows (store_rows.h) may be together, bytes, and where they begin. */
uint64_t mp_place_rows_size(void);
char *mp_place_rows(void);

/* Another place for a mapping of SIZE bytes.  The monitor has nothing there, nor has the program unless it
 * asked for just such addresses: to be mapped with MAP_FIXED_NOREPLACE.  Any thread, without a lock. */
void *mp_place_next(size_t size);

/* Is ADDRESS where mappings of ours stand? */
bool mp_place_is_ours(uintptr_t address);

#endif
