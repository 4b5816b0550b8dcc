/* hooks.h -- what process.c tells hooks.c and limits.c. */
#ifndef MP_HOOKS_H
#define MP_HOOKS_H

/* From a constructor: watch for code that is unloaded.  Before it, nothing is. */
void mp_hooks_open(void);

/* From a constructor: find what limits.c passes on. */
void mp_limits_open(void);

#endif
