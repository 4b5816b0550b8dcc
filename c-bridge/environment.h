/* SPDX-License-Identifier: MIT */
/*
 * environment.h -- maintains LD_PRELOAD and MPROF_* in the environment of the program and of the programs that it
 * starts.
 */
#ifndef MP_ENVIRONMENT_H
#define MP_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/session/session.h"

/* Adapts environ. Called once, by a constructor. If started programs are not to be profiled, removes our entries from
 * environ, in place. Then the program has the environment that it would have without us, and starts programs without us
 * by whatever call. There is one difference: if the number of our entries is odd, the variable _ is added, or occurs
 * twice. If started programs are to be profiled, the entries stay and are marked for a started program. If only
 * programs that this process executes are to be profiled, copies of the entries are kept for them. */
void mp_environment_open(void);

/*
 * Returns whether any program started with ENVIRONMENT can be profiled, or why not. The program is not profiled if
 * ENVIRONMENT preloads a sanitizer, which must be the first library. It is not profiled either if it could not load our
 * library or write its data (another root directory, user, limit), because it would print an error about that.
 */
enum mp_reach mp_environment_reach(char *const *environment);

/*
 * mp_environment_fit() returns ENVIRONMENT, adapted for a program to be started. It changes nothing if started
 * programs are not to be profiled. Otherwise, it adds our entries for a program that is FOLLOWED if they are
 * missing (because ENVIRONMENT was cleared), with ENVIRONMENT's own LD_PRELOAD behind this library. It removes our
 * entries for a program that is not followed, because this library would break it. The result is ENVIRONMENT or is
 * stored in ROOM, which is aligned and has as many bytes as mp_environment_room() returns. Neither function uses
 * malloc, because they may run in the child of a vfork.
 */
size_t mp_environment_room(char *const *environment, bool followed);
char *const *mp_environment_fit(char *const *environment, bool followed, void *room);

#endif
