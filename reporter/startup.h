/* startup.h -- which functions the C library puts above main and above a thread's function. */
#ifndef MP_STARTUP_H
#define MP_STARTUP_H

#include "profile.h"

/* One flag for each function of PROFILE, in ARENA. */
bool *mp_startup_functions(const struct mp_profile *profile, struct mp_arena *arena);

#endif
