/* hooks.h -- the hooks of the malloc family as a table, and how the other files of hooks are opened. */
#ifndef MP_HOOKS_H
#define MP_HOOKS_H

#include <stdbool.h>

/* The functions that an allocator has, and ours; the last one's name is NULL. */
struct mp_hook {
    const char *name;
    void (*function)(void);
};
#define MP_MAX_HOOKS 16u
extern const struct mp_hook mp_hooks[MP_MAX_HOOKS];

/* The constructor: opens all that follows, and begins to record. */
void mp_process_start(void);

/* From a constructor: watch for code that is unloaded.  Before it, nothing is. */
void mp_hooks_open(void);

/* From a constructor: find what limits.c passes on. */
void mp_limits_open(void);

/* From a constructor: lead what another allocator than glibc's exports beside the malloc family to hooks
 * (interfaces.c).  True: its operator new is among that. */
bool mp_interfaces_open(void);

/* From a constructor: what libraries.c passes on; OWN_MALLOC: the malloc that the program calls is not
 * ours. */
void mp_libraries_open(bool own_malloc);

/* From a constructor, when the next allocator is known: find what mappings.c passes on. */
void mp_mappings_open(void);

/* From a constructor: find what seccomp.c passes on. */
void mp_seccomp_open(void);

/* From a constructor: find what descriptor.c passes on. */
void mp_descriptor_open(void);

/* From a constructor: find what signals.c passes on, and handle faults at the monitor's addresses. */
void mp_signals_open(void);

#endif
