/* sealed_parts.h -- the parts of reading and writing a sealed file (runtime/format.h). */
#ifndef MP_SEALED_PARTS_H
#define MP_SEALED_PARTS_H

#include "reporter/base/buffer.h"
#include "reporter/base/cursor.h"
#include "reporter/profile/profile.h"
#include "source.h"

/* The profile of the sealed file SOURCE, which the caller frees; NULL and *ERROR. */
struct mp_profile *mp_read_sealed(struct mp_source *source, struct mp_error *error);

/* Put the content for PROFILE, which is symbolised, into an empty buffer: equal profiles give
 * equal bytes.  False: no memory. */
bool mp_sealed_encode(const struct mp_profile *profile, struct mp_buffer *content,
                      struct mp_error *error);

/* Fill the empty PROFILE from content of VERSION.  NAME is for messages, whose offsets count from BASE: the
 * place of the content in the file, or 0 for inflated content. */
bool mp_sealed_decode(struct mp_profile *profile, uint32_t version, const uint8_t *bytes,
                      size_t size, uint64_t base, const char *name, struct mp_error *error);

/* Three of its sections: bins come after types, objects after cells, and what cells say is to be
 * checked at the end. */
void mp_sealed_put_cells(const struct mp_profile *profile, struct mp_buffer *to);
void mp_sealed_put_bins(const struct mp_profile *profile, struct mp_buffer *to);
void mp_sealed_put_objects(const struct mp_profile *profile, struct mp_buffer *to);
void mp_sealed_take_cells(struct mp_profile *profile, struct mp_cursor *from);
void mp_sealed_take_bins(struct mp_profile *profile, struct mp_cursor *from);
void mp_sealed_take_objects(struct mp_profile *profile, struct mp_cursor *from);

#endif
