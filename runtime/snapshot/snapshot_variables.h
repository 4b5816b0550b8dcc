/*
 * snapshot_variables.h -- where the variables of a program or library end: what the kernel maps behind them may be one
 * mapping with their zeroed ones.
 */
#ifndef MP_SNAPSHOT_VARIABLES_H
#define MP_SNAPSHOT_VARIABLES_H

#include <stdint.h>

/* The end of the last page of those of the program or library that is mapped at ADDRESS; 0: none is.  Takes no lock. */
uintptr_t mp_snapshot_variables_end(uintptr_t address);

#endif
