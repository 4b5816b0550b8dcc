/* SPDX-License-Identifier: MIT */
/*
 * live_image.h -- a consistent copy of a live file, taken while the file may still grow.
 *
 * The monitor writes a record before any record that refers to it. The tables are therefore copied in the opposite
 * order, referring records first (recorders, cells, contexts, frames, modules, strings). The directory of extents
 * is read again before each table, so the target of every copied reference is in a table that is copied later. A
 * reference without a target means that the file is damaged.
 */
#ifndef MP_LIVE_IMAGE_H
#define MP_LIVE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input.h"
#include "runtime/format.h"

#define MP_NO_RECORD SIZE_MAX

struct mp_image_extent {
    uint32_t first, count;      /* first id, and number of ids */
    size_t index;               /* index of the first record in the table */
    uint64_t offset;            /* offset of the first record in the file */
};

/* All records of one kind in one array. Records are addressed by dense indices, not by ids. */
struct mp_image_table {
    uint8_t *records;           /* malloc()ed */
    size_t count;
    uint32_t record_size;
    uint32_t n_extents;
    struct mp_image_extent extents[MP_MAX_EXTENTS];     /* sorted, ascending in ids and in indices */
};

struct mp_image {
    struct mp_input *input;
    struct mp_live_header header;
    bool alive;                 /* the process existed when the copy was taken */
    bool final;                 /* the header was read after the process had ended */
    uint32_t checkpoints;       /* number of checkpoints in the header before the figures were copied */
    bool mended;                /* the program overwrote the header's fields; they are reconstructed from the intact
                                   list of extents */
    struct mp_image_table tables[MP_EXT_KINDS];
};

/* Returns whether INPUT is a live file whose magic was overwritten but whose list of extents is intact. */
bool mp_image_is_beheaded(const struct mp_input *input);

/* Copies the live file INPUT to *IMAGE. On failure returns false and sets *ERROR; nothing needs to be freed then. */
bool mp_image_take(struct mp_image *image, struct mp_input *input, struct mp_error *error);
void mp_image_free(struct mp_image *image);

/* Replaces the table of KIND by a new copy from the file. */
bool mp_image_reload(struct mp_image *image, enum mp_extent_kind kind, struct mp_error *error);

/* Returns the index of the record with ID, or MP_NO_RECORD. */
size_t mp_image_find(const struct mp_image *image, enum mp_extent_kind kind, uint32_t id);

/* Returns the id of the record at INDEX. */
uint32_t mp_image_id(const struct mp_image *image, enum mp_extent_kind kind, size_t index);

/* Returns the file offset of the record at INDEX. */
uint64_t mp_image_offset(const struct mp_image *image, enum mp_extent_kind kind, size_t index);

/* The offset of FIELD of the header in the file. */
#define MP_HEADER_OFFSET(field) offsetof(struct mp_live_header, field)

/* Returns the NUL-terminated string ID, "" for id 0, and sets *LENGTH. Returns NULL if there is no such string. An
 * id inside another string is invalid, because strings do not overlap. */
const char *mp_image_string(const struct mp_image *image, uint32_t id, size_t *length);

#endif
