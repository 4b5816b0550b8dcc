/* SPDX-License-Identifier: MIT */
/*
 * store_rows.h -- the rows of addresses, one for each kind of record, into which store.c maps the extents of the
 * file. Their addresses are chosen once in the life of the process, and forked children inherit them.
 *
 * The addresses of a row are not reserved; only extents of a file are mapped there. Records 0 to least - 1 of each kind
 * belong to no file. Those of the kinds that every recording has are memory, so that record 0 can be read and written,
 * also if somebody overwrites the ids in the file.
 */
#ifndef MP_STORE_ROWS_H
#define MP_STORE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/compiler.h"
#include "runtime/format.h"

/* Sizes of one kind of record: `size` is in bytes, `least` and `most` are numbers of records. A row grows by as many
 * records as it has, but by at least `least`. When it has more than `most` records, it grows by `most` or by half as
 * many records as it has, whichever is more. So the header's table of extents suffices for full rows. least * size and
 * least * beside are multiples of 4096, so every extent consists of whole pages. */
struct mp_kind_size {
    uint32_t size, least, most;
    uint32_t row_bits;          /* log2 of the maximum number of records in the row */
    uint32_t beside;            /* bytes of private memory for each record */
    bool again;                 /* later files reuse ids, because nobody uses an id after the end of its file */
    bool rare;                  /* many recordings have no records of this kind, and nobody uses record 0 */
};

extern const struct mp_kind_size mp_kinds[MP_EXT_KINDS];

struct mp_id_row {
    char *base, *beside;
    uint32_t records;           /* all ids are below this */
    uint32_t first;             /* first id of the present file */
    uint32_t end;               /* end of the ids that the present file may have; another file's ids may follow */
    uint32_t next;              /* id of the next record to be taken */
    uint32_t mapped;            /* ids from `first` to here are mapped to the file */
    uint32_t growing;           /* number of records that are being mapped */
};

extern MP_HIDDEN struct mp_id_row mp_rows[MP_EXT_KINDS];

/* Chooses the addresses of the rows on the first call. Returns 0 or -errno. */
int mp_rows_open(void);

/* Returns the number of records in the smallest extent of KIND. */
uint32_t mp_rows_least(enum mp_extent_kind kind);

/* Returns how many records the next extent of KIND should have, at least NEEDED, or 0 if the row is full. */
uint32_t mp_rows_next_count(enum mp_extent_kind kind, uint32_t needed);

/* Maps COUNT records of KIND, from the row's `mapped` on, to FD at OFFSET, and maps the memory beside them.
 * Returns 0, or -errno with nothing mapped. */
long mp_rows_map(enum mp_extent_kind kind, uint32_t count, int fd, uint64_t offset);

/* Makes the pages of COUNT records of KIND from FIRST on present by one system call. Called when the records will be
 * written soon, because otherwise the first write to each page would cause a page fault. Has no effect on a single
 * page, or before Linux 5.14. */
void mp_rows_populate(enum mp_extent_kind kind, uint32_t first, uint32_t count);

/* Unmaps COUNT records of KIND from FIRST on, which no thread uses any more. */
void mp_rows_unmap(enum mp_extent_kind kind, size_t first, size_t count);

/* Reserves some address space for later if the process limits its address space to BYTES (RLIMIT_AS) and much of
 * it is left. Lock held. */
void mp_rows_limit(uint64_t bytes);

/* Releases the reserve when addresses are exhausted. Returns false if nothing is reserved. Lock held. */
bool mp_rows_yield(void);

#endif
