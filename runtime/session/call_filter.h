/* SPDX-License-Identifier: MIT */
/*
 * call_filter.h -- evaluates seccomp filters.
 */
#ifndef MP_CALL_FILTER_H
#define MP_CALL_FILTER_H

#include <stdbool.h>
#include <stdint.h>

/* Returns whether FILTER, a struct sock_fprog of the program, certainly allows the system call NUMBER with any
 * arguments. FILTER need not be readable. */
bool mp_filter_allows(const void *filter, uint32_t number);

#endif
