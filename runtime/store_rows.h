/*
 * store_rows.h -- the addresses that store.c fills with pieces of the file: one row for each kind of
 * record, reserved once in the life of the process (a forked child inherits them).
 */
#ifndef MP_STORE_ROWS_H
#define MP_STORE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "format.h"

/* How each kind grows: extents of `least` records, doubling up to `most`; at most 1 << `row_bits`
 * records.  Rows are address space only, for 16,000 files one after the other at least.
 * least * size is a multiple of 4096, so that every extent is whole pages in file and memory. */
struct mp_kind_size {
    uint32_t size, least, most;
    uint32_t row_bits;
};

extern const struct mp_kind_size mp_kinds[MP_EXT_KINDS];

struct mp_row {
    char *base;
    uint32_t records;           /* size of the reservation */
    uint32_t retired, first;    /* ids below are of files before the last one; of the present file */
    uint32_t next;              /* id to hand out */
    uint32_t mapped;            /* ids below are backed by a file */
    uint32_t last_count;        /* size of the last extent, 0: none in this file */
};

extern struct mp_row mp_rows[MP_EXT_KINDS];

/* Reserve them, if that was not done: 0 or -ENOMEM. */
int mp_rows_reserve(void);

/* The process is to have BYTES of addresses (RLIMIT_AS) from now on: give back what is not in use, so
 * that an eighth of them suffices here.  Lock held. */
void mp_rows_limit(uint64_t bytes);

/* Addresses have run out under RLIMIT_AS: what is needed now comes before what may be needed later.
 * Give back half of what is not in use; false: there is nothing more to give, or no limit.  Lock
 * held. */
bool mp_rows_yield(void);

#endif
