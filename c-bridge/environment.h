/*
 * environment.h -- LD_PRELOAD and MPROF_* in the environment of the program and of what it starts.
 */
#ifndef MP_ENVIRONMENT_H
#define MP_ENVIRONMENT_H

#include <stddef.h>

/* Once, from a constructor.  Not following: our own names are taken out of environ, in place, so
 * that the program sees the environment that it would have without us, and what it starts runs
 * without us, however it is started.  Following: they stay, marked for a started program. */
void mp_environment_open(void);

/* How many pointers mp_environment_complete() needs for ENVIRONMENT, the NULL and text included. */
size_t mp_environment_room(char *const *environment);

/* Following, and ENVIRONMENT lacks ours (a cleared environment): put it with ours added into ROOM, its
 * own LD_PRELOAD behind this library, and return that.  Else ENVIRONMENT.  No malloc: it may run in the
 * child of a vfork. */
char *const *mp_environment_complete(char *const *environment, char **room);

#endif
