/*
 * fault.h -- test builds only (MP_FAULTS): system calls of the monitor's that fail on demand.
 *
 * MPROF_FAULT="map:3,open:1" has every third mapping and every open fail; "trim:1" has pages of the object
 * table moved that are not empty.  The library that is installed knows nothing of this.
 */
#ifndef MP_FAULT_H
#define MP_FAULT_H

enum mp_fault_kind { MP_FAULT_OPEN, MP_FAULT_MAP, MP_FAULT_ALLOCATE, MP_FAULT_PROTECT, MP_FAULT_TRIM,
                     MP_FAULT_KINDS };

#ifdef MP_FAULTS
/* Take over what TEXT, the value of MPROF_FAULT, asks for. */
void mp_fault_set(const char *text);

/* Is the next call of KIND to fail?  Then -errno, else 0. */
long mp_fault(enum mp_fault_kind kind);
#else
#define mp_fault_set(text)      ((void)(text))
#define mp_fault(kind)          0L
#endif

#endif
