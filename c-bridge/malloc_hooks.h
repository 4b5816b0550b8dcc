/* SPDX-License-Identifier: MIT */
/*
 * malloc_hooks.h -- declares the table of the malloc family's hooks, and the functions that open the files with hooks.
 *
 * This directory owns the hooks: the functions that the profiled program calls in place of the allocator's and of
 * libc's. A hook calls the function that it replaces (next.h) and the monitor (runtime/monitor.h,
 * runtime/session/session.h). Only the program and the dynamic linker call into this directory.
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

/* The constructor. It calls all functions below and begins to record. */
void mp_process_start(void);

/* Begins to watch for code that is unloaded. */
void mp_hooks_open(void);

/* mp_NAME_open() finds the functions to which the hooks in NAME.c pass calls on. OWN_MALLOC means that
 * the malloc that the program calls is not ours. mp_mappings_open() requires that the next allocator is
 * known. mp_signals_open() also begins to handle faults at the monitor's addresses. */
void mp_descriptor_open(void);
void mp_libraries_open(bool own_malloc);
void mp_limits_open(void);
void mp_mappings_open(void);
void mp_seccomp_open(void);
void mp_signals_open(void);

/* mp_interfaces_open() redirects the functions that another allocator than glibc's exports beside the malloc family to
 * hooks (interfaces.c). It returns true if the allocator's operator new is among them. mp_interfaces_left_out() returns
 * whether such functions exist and were not redirected. */
bool mp_interfaces_open(void);

/* Redirects operator new and delete of the shared C++ library, if sentinels are used (operator_hooks.c). */
void mp_operators_open(void);
bool mp_interfaces_left_out(void);

#endif
