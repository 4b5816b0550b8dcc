/* SPDX-License-Identifier: MIT */
/*
 * fault.h -- makes system calls of the monitor fail on demand, in test builds only (MP_FAULTS).
 *
 * With MPROF_FAULT="map:3,open:1" every third mapping and every open fail. With "trim:1" pages of the block table
 * are moved although they are not empty. With "lifetimes:2" every second record of lifetimes cannot be made. With
 * "rows:5" rows have at most 32 times the size of their first extent. The installed library contains none of
 * this.
 */
#ifndef MP_FAULT_H
#define MP_FAULT_H

#include <stdint.h>

enum mp_fault_kind { MP_FAULT_OPEN, MP_FAULT_MAP, MP_FAULT_ALLOCATE, MP_FAULT_PROTECT, MP_FAULT_TRIM,
                     MP_FAULT_FORK, MP_FAULT_LIFETIMES, MP_FAULT_KINDS };

#ifdef MP_FAULTS
/* Reads TEXT, the value of MPROF_FAULT. */
void mp_fault_set(const char *text);

/* Returns -errno if this call of KIND is to fail, and 0 otherwise. */
long mp_fault(enum mp_fault_kind kind);

/* Returns the binary logarithm of a row's maximum number of records: BITS, or less if requested. LEAST is the
 * number of records of the first extent. */
unsigned mp_fault_row_bits(unsigned bits, uint32_t least);
#else
#define mp_fault_set(text)      ((void)(text))
#define mp_fault(kind)          0L
#define mp_fault_row_bits(bits, least) (bits)
#endif

#endif
