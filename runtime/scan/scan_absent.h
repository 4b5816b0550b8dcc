/* SPDX-License-Identifier: MIT */
/*
 * scan_absent.h -- memory that a copy of the process does not have, because the program or a driver has marked it
 * MADV_DONTFORK or MADV_WIPEONFORK.
 *
 * The process reads the touched pages of this memory before the copy is made, and the copy inherits what was read.
 * Memory of devices is left out. The list is guarded by the gate's lock.
 */
#ifndef MP_SCAN_ABSENT_H
#define MP_SCAN_ABSENT_H

#include <stdbool.h>
#include <stdint.h>

#include "scan_maps.h"
#include "scan_memory.h"

/* mp_scan_absent_read() reads the memory that a copy will not have. MEMORY is scratch space. Returns false if a part of
 * the memory could not be read. mp_scan_absent_free() forgets what was read. */
bool mp_scan_absent_read(struct mp_scan_memory *memory);
void mp_scan_absent_free(void);

/* Adds the mappings that are missing in the copy to MAPS, which the copy has read. */
void mp_scan_absent_add(struct mp_scan_maps *maps);

#endif
