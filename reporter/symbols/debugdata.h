/* SPDX-License-Identifier: MIT */
/*
 * debugdata.h -- decides whether libdwfl may unpack .gnu_debugdata, an ELF file with symbols that is compressed by xz.
 *
 * libdwfl unpacks it to memory without a limit. It is therefore unpacked here first, within the budget.
 */
#ifndef MP_SYMBOLS_DEBUGDATA_H
#define MP_SYMBOLS_DEBUGDATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Charges what it takes to unpack the SIZE bytes at OFFSET of the file FD and to keep the result in memory. Returns
 * false if that is too much, or if the result would itself have to be unpacked. */
bool mp_debugdata_take(int fd, uint64_t offset, uint64_t size);

#endif
