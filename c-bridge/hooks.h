/*
 * hooks.h -- declares the table of the malloc family's hooks, and the functions that open the files with hooks.
 *
 * This directory owns the functions that the profiled program calls in place of the allocator's and of libc's. They
 * call these (next.h) and the monitor (runtime/monitor.h, runtime/session/session.h). Only the program and the
 * dynamic linker call into this directory.
 */
#ifndef MP_HOOKS_H
#define MP_HOOKS_H

#include <stdbool.h>

/* The functions of the malloc family and our hooks for them. The last name is NULL. */
struct mp_hook {
    const char *name;
    void (*function)(void);
};
#define MP_MAX_HOOKS 16u
extern const struct mp_hook mp_hooks[MP_MAX_HOOKS];

/* The constructor. It opens all files below and begins to record. */
void mp_process_start(void);

/* Begins to watch for code that is unloaded. Called by a constructor. */
void mp_hooks_open(void);

/* Finds the functions to which the hooks in limits.c pass calls on. Called by a constructor. */
void mp_limits_open(void);

/* Redirects the functions that another allocator than glibc's exports beside the malloc family to hooks
 * (interfaces.c). Returns true if its operator new is among them. Called by a constructor. */
bool mp_interfaces_open(void);

/* Returns whether such functions exist and were not redirected. */
bool mp_interfaces_left_out(void);

/* Finds the functions to which the hooks in libraries.c pass calls on. OWN_MALLOC means that the malloc that the
 * program calls is not ours. Called by a constructor. */
void mp_libraries_open(bool own_malloc);

/* Finds the functions to which the hooks in mappings.c pass calls on. Called by a constructor when the next
 * allocator is known. */
void mp_mappings_open(void);

/* Finds the functions to which the hooks in seccomp.c pass calls on. Called by a constructor. */
void mp_seccomp_open(void);

/* Finds the functions to which the hooks in descriptor.c pass calls on. Called by a constructor. */
void mp_descriptor_open(void);

/* Finds the functions to which the hooks in signals.c pass calls on, and begins to handle faults at the monitor's
 * addresses. Called by a constructor. */
void mp_signals_open(void);

#endif
