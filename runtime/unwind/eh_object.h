/* SPDX-License-Identifier: MIT */
/*
 * eh_object.h -- an ELF object and its unwind table in memory.
 */
#ifndef MP_EH_OBJECT_H
#define MP_EH_OBJECT_H

#include <stdint.h>

/* The address range of an object, or of a copy of its .debug_frame. Nothing outside of it is read, whatever its tables
 * contain. */
struct mp_eh_object {
    const uint8_t *start, *end;
    const uint8_t *eh_frame_hdr;
    const uint8_t *debug_frame; /* start of the copy of .debug_frame, of which eh_frame_hdr is an index; else NULL */
    uint64_t bias;              /* difference of the addresses in memory and those in .debug_frame */
};

#endif
