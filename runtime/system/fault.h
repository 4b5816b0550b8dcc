/*
 * fault.h -- test builds only (MP_FAULTS): system calls of the monitor's that fail on demand.
 *
 * MPROF_FAULT="map:3,open:1" has every third mapping and every open fail; "trim:1" has pages of the object
 * table moved that are not empty; "lifetimes:2" has no room for every second record of lifetimes; "rows:5" is
 * no failure, but has rows of 32 times the least extent at most.
 * The library that is installed knows nothing of this.
 */
#ifndef MP_FAULT_H
#define MP_FAULT_H

#include <stdint.h>

enum mp_fault_kind { MP_FAULT_OPEN, MP_FAULT_MAP, MP_FAULT_ALLOCATE, MP_FAULT_PROTECT, MP_FAULT_TRIM,
                     MP_FAULT_FORK, MP_FAULT_LIFETIMES, MP_FAULT_KINDS };

#ifdef MP_FAULTS
/* Take over what TEXT, the value of MPROF_FAULT, asks for. */
void mp_fault_set(const char *text);

/* Is the next call of KIND to fail?  Then -errno, else 0. */
long mp_fault(enum mp_fault_kind kind);

/* The power of two of a row's records: BITS, or less if few are asked for; LEAST: of the first extent. */
unsigned mp_fault_row_bits(unsigned bits, uint32_t least);
#else
#define mp_fault_set(text)      ((void)(text))
#define mp_fault(kind)          0L
#define mp_fault_row_bits(bits, least) (bits)
#endif

#endif
