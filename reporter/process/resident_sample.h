/* SPDX-License-Identifier: MIT */
/* resident_sample.h -- adds up what the resident memory of a process consists of, while it runs. */
#ifndef MP_RESIDENT_SAMPLE_H
#define MP_RESIDENT_SAMPLE_H

#include <sys/types.h>

#include "live_sample.h"
#include "reporter/profile/resident.h"

/* Fills *ACCOUNT with the memory of process PID, whose live file is sampled by LOOK and had the figures of POINT. The
 * caller frees it with mp_resident_free(). Returns false, and fills in nothing, if the kernel does not state the
 * memory, the process may not be examined, or the list of mappings changed all the time. */
bool mp_resident_take(pid_t pid, const struct mp_look *look, const struct mp_point *point, struct mp_resident *account);

#endif
