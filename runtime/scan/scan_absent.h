/* SPDX-License-Identifier: MIT */
/*
 * scan_absent.h -- memory that a copy of the process does not have: what is marked MADV_DONTFORK or MADV_WIPEONFORK, or
 * belongs to a driver that has marked it so.
 *
 * The process reads it before the copy is made, page by page as far as it was touched, and the copy inherits what was
 * read. Memory of devices is left out. The list is guarded by the gate's lock.
 */
#ifndef MP_SCAN_ABSENT_H
#define MP_SCAN_ABSENT_H

#include <stdbool.h>
#include <stdint.h>

#include "scan_maps.h"
#include "scan_memory.h"

/* Reads such memory. MEMORY is scratch. Returns false if some of it could not be read. */
bool mp_scan_absent_read(struct mp_scan_memory *memory);
void mp_scan_absent_free(void);

/* Adds the mappings that are missing in the copy to MAPS, which the copy has read. */
void mp_scan_absent_add(struct mp_scan_maps *maps);

#endif
