/*
 * eh_object.h -- an ELF object and its unwind table in memory.
 */
#ifndef MP_EH_OBJECT_H
#define MP_EH_OBJECT_H

#include <stdint.h>

/* The address range of an object. Nothing outside of it is read, whatever its tables contain. */
struct mp_eh_object {
    const uint8_t *start, *end;
    const uint8_t *eh_frame_hdr;
};

#endif
