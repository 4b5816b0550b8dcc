/*
 * live_image.h -- a copy of a live file, taken so that it hangs together while the file grows.
 *
 * The monitor writes what is referred to before what refers to it.  So kinds are copied in the
 * opposite order, users first (recorders, cells, contexts, frames, modules, strings), and the
 * directory of extents is read again before each: whatever a copied record refers to is in what
 * is copied after it.  A reference that leads nowhere is damage.
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
    uint32_t first, count;      /* ids */
    size_t index;               /* of the first record in the table */
    uint64_t offset;            /* in the file */
};

/* All records of one kind, one after the other: dense indices instead of ids. */
struct mp_image_table {
    uint8_t *records;           /* malloc()ed */
    size_t count;
    uint32_t record_size;
    uint32_t n_extents;
    struct mp_image_extent extents[MP_MAX_EXTENTS];     /* ids and indices ascend */
};

struct mp_image {
    struct mp_input *input;
    struct mp_live_header header;
    bool alive;                 /* the process existed when the copy was taken */
    bool final;                 /* the header was read since the process was gone */
    uint32_t checkpoints;       /* those that the header counted before figures were copied */
    bool mended;                /* the header was overwritten; its list of extents was not */
    struct mp_image_table tables[MP_EXT_KINDS];
};

/* Does INPUT begin with the header of a live file whose beginning is not there any more? */
bool mp_image_is_beheaded(const struct mp_input *input);

/* Take the image of INPUT.  On failure nothing remains to be freed. */
bool mp_image_take(struct mp_image *image, struct mp_input *input, struct mp_error *error);
void mp_image_free(struct mp_image *image);

/* Copy KIND again, as it is now. */
bool mp_image_reload(struct mp_image *image, enum mp_extent_kind kind, struct mp_error *error);

/* The index of the record with ID, or MP_NO_RECORD. */
size_t mp_image_find(const struct mp_image *image, enum mp_extent_kind kind, uint32_t id);

/* The id of the record with INDEX. */
uint32_t mp_image_id(const struct mp_image *image, enum mp_extent_kind kind, size_t index);

/* Where the record with INDEX is in the file. */
uint64_t mp_image_offset(const struct mp_image *image, enum mp_extent_kind kind, size_t index);

/* Where FIELD of the header is in the file. */
#define MP_HEADER_OFFSET(field) offsetof(struct mp_live_header, field)

/* The NUL-terminated bytes of string ID ("" for id 0), or NULL: no such string.  Different
 * strings do not overlap: what begins inside another one is none. */
const char *mp_image_string(const struct mp_image *image, uint32_t id, size_t *length);

#endif
