/*
 * store_rows.h -- the addresses that store.c fills with pieces of the file: one row for each kind of
 * record, whose place is chosen once in the life of the process (a forked child inherits it).
 *
 * A row is not reserved: only what a file has is mapped.  Records 0 to least - 1 of each kind are no
 * file's, but memory, so that record 0 can be looked at.
 */
#ifndef MP_STORE_ROWS_H
#define MP_STORE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/format.h"

/* How each kind grows: by extents of `least` records, as many as there are, up to `most`, then half as
 * many as there are.  The directory has room for all extents of full rows.  least * size, and least *
 * what is kept beside a record, are multiples of 4096, so that every extent is whole pages. */
struct mp_kind_size {
    uint32_t size, least, most;
    uint32_t row_bits;          /* the row holds at most 1 << row_bits records */
    uint32_t beside;            /* bytes of private memory for each record */
    bool again;                 /* ids are used again by later files: none outlives its file */
};

extern const struct mp_kind_size mp_kinds[MP_EXT_KINDS];

struct mp_row {
    char *base, *beside;
    uint32_t records;           /* the largest id is below this */
    uint32_t first;             /* ids of the present file from here on; */
    uint32_t end;               /* and below this: there another file's begin */
    uint32_t next;              /* id to hand out */
    uint32_t mapped;            /* ids from `first` to here are backed by the file */
    uint32_t growing;           /* so many more are being mapped */
};

extern struct mp_row mp_rows[MP_EXT_KINDS];

/* Choose their places, if that was not done: 0 or -errno. */
int mp_rows_open(void);

/* The least extent of KIND, records. */
uint32_t mp_rows_least(enum mp_extent_kind kind);

/* How many records the next extent of KIND is to have, of which NEEDED at least; 0: the row is full. */
uint32_t mp_rows_next_count(enum mp_extent_kind kind, uint32_t needed);

/* Map COUNT records of KIND from its row's `mapped` on to OFFSET of FD, with what is kept beside them:
 * 0, or -errno and nothing is mapped. */
long mp_rows_map(enum mp_extent_kind kind, uint32_t count, int fd, uint64_t offset);

/* COUNT records of KIND from FIRST on will be written soon: have their pages now, all by one call instead
 * of a fault for each.  Not so if there are few, or the kernel is older than Linux 5.14. */
void mp_rows_populate(enum mp_extent_kind kind, uint32_t first, uint32_t count);

/* Unmap COUNT records of KIND from FIRST on, which no thread uses any more. */
void mp_rows_unmap(enum mp_extent_kind kind, size_t first, size_t count);

/* The process is to have BYTES of addresses (RLIMIT_AS) from now on: if there are many left, some are set
 * aside, for when they run out.  Lock held. */
void mp_rows_limit(uint64_t bytes);

/* Addresses have run out: use those that were set aside.  False: there are none.  Lock held. */
bool mp_rows_yield(void);

#endif
