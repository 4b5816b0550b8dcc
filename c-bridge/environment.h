/*
 * environment.h -- LD_PRELOAD and MPROF_* in the environment of the program and of what it starts.
 */
#ifndef MP_ENVIRONMENT_H
#define MP_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

/* Once, from a constructor.  Not following: our own names are taken out of environ, in place, so
 * that the program sees the environment that it would have without us, and what it starts runs
 * without us, however it is started.  Following: they stay, marked for a started program. */
void mp_environment_open(void);

/*
 * Can a program be profiled that is started with ENVIRONMENT, whatever program it is?  Not if that
 * preloads a library that must be the first; nor where the program could not load our library or write its
 * data (another root directory, user, limit), and would say so on its standard error output.
 */
bool mp_environment_takes_us(char *const *environment);

/*
 * Following, ENVIRONMENT is made fit for a program to be started: if it is FOLLOWED and ENVIRONMENT
 * lacks ours (it was cleared), ours is added, its own LD_PRELOAD behind this library; if it is not
 * followed (this library would break it), ours is taken out.  The result is ENVIRONMENT, or stands in
 * ROOM, aligned, of as many bytes as mp_environment_room() says.  No malloc: it may run in the child
 * of a vfork.
 */
size_t mp_environment_room(char *const *environment, bool followed);
char *const *mp_environment_fit(char *const *environment, bool followed, void *room);

#endif
