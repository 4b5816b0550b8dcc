/*
 * snapshot_variables.h -- finds where the variables of a program or library end. The kernel may merge what is
 * mapped behind them with the mapping of their zeroed part.
 */
#ifndef MP_SNAPSHOT_VARIABLES_H
#define MP_SNAPSHOT_VARIABLES_H

#include <stdint.h>

/* Returns the end of the last page of the program or library that is mapped at ADDRESS, or 0 if ADDRESS is in
 * none. Takes no lock. */
uintptr_t mp_snapshot_variables_end(uintptr_t address);

#endif
