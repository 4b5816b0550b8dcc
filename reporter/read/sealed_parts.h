/* sealed_parts.h -- encoding and decoding of the sections of a sealed file (runtime/format.h). */
#ifndef MP_SEALED_PARTS_H
#define MP_SEALED_PARTS_H

#include "input.h"
#include "reporter/base/buffer.h"
#include "reporter/base/cursor.h"
#include "reporter/base/map.h"
#include "reporter/profile/profile.h"
#include "runtime/format.h"

/* Returns the profile of the sealed file INPUT, which the caller frees, or NULL with *ERROR set. */
struct mp_profile *mp_read_sealed(struct mp_input *input, struct mp_error *error);

/* Encodes PROFILE, which must be symbolised, to the empty buffer CONTENT. Equal profiles give equal bytes. Returns
 * false if memory is exhausted. */
bool mp_sealed_encode(const struct mp_profile *profile, struct mp_buffer *content,
                      struct mp_error *error);

/* Decodes content into the empty PROFILE. NAME is used in messages. Offsets in messages start at BASE,
 * which is the content's offset in the file, or 0 for inflated content. */
bool mp_sealed_decode(struct mp_profile *profile, const uint8_t *bytes, size_t size, uint64_t base,
                      const char *name, struct mp_error *error);

/* Returns the name of the section with TAG, which is less than MP_SEC_END. */
const char *mp_sealed_section_name(unsigned tag);

/* State of encoding and of decoding. */
struct mp_encoder {
    const struct mp_profile *profile;
    struct mp_map strings;      /* all strings except ""; their ids in the file are one more than here */
    struct mp_buffer sections[MP_SEC_END];
};
struct mp_decoder {
    struct mp_profile *profile;
    const char **strings;       /* n_strings strings in the profile's arena; string 0 is "" */
    uint32_t n_strings;
};

/* A reference to a string, stored as the difference to *PREVIOUS, the last reference in the same column. *PREVIOUS
 * is MP_NO_ID at the beginning of a column. mp_take_string_or_none() may return NULL. */
void mp_put_string(struct mp_encoder *encoder, struct mp_buffer *to, uint32_t *previous,
                   const char *text);           /* NULL = no string */
const char *mp_take_string(struct mp_decoder *decoder, struct mp_cursor *from, uint32_t *previous);
const char *mp_take_string_or_none(struct mp_decoder *decoder, struct mp_cursor *from,
                                   uint32_t *previous);

/* The section of strings. It is encoded after all others and decoded before all others. */
void mp_put_strings(struct mp_encoder *encoder);
void mp_take_strings(struct mp_decoder *decoder, struct mp_cursor *from);

/* The metadata of a process, and of its collected heap. *STRING is the last reference in the column of strings. */
void mp_put_meta(struct mp_encoder *encoder, const struct mp_meta *meta, uint32_t *string,
                 struct mp_buffer *to);
void mp_take_meta(struct mp_decoder *decoder, struct mp_meta *meta, uint32_t *string,
                  struct mp_cursor *from);
void mp_put_heap(struct mp_encoder *encoder, const struct mp_meta *meta, uint32_t *string,
                 struct mp_buffer *to);
void mp_take_heap(struct mp_decoder *decoder, struct mp_meta *meta, uint32_t *string,
                  struct mp_cursor *from);

/* The section of processes of a merged profile, and of the host name. Omitted if it would be empty. */
void mp_put_processes(struct mp_encoder *encoder);
void mp_take_processes(struct mp_decoder *decoder, struct mp_cursor *from);

/* The sections of the language's runtime. mp_has_runtime() returns whether PROFILE has data for them. */
bool mp_has_runtime(const struct mp_profile *profile);
void mp_put_runtime(struct mp_encoder *encoder);
void mp_take_runtime(struct mp_decoder *decoder, struct mp_cursor *from);
void mp_take_names(struct mp_decoder *decoder, struct mp_cursor *from);
void mp_take_frame_names(struct mp_decoder *decoder, struct mp_cursor *from);
void mp_take_kinds(struct mp_decoder *decoder, struct mp_cursor *from);
void mp_take_forms(struct mp_decoder *decoder, struct mp_cursor *from);

/* The section of the time line. Omitted if there is no time line. */
void mp_sealed_put_time(struct mp_encoder *encoder, struct mp_buffer *to);
void mp_take_time(struct mp_decoder *decoder, struct mp_cursor *from);

/* The temporary blocks among the time line's changes. Omitted if they are unknown. */
void mp_sealed_put_temporary(const struct mp_profile *profile, struct mp_buffer *to);
void mp_take_temporary(struct mp_decoder *decoder, struct mp_cursor *from);

/* The section of lifetimes. Omitted if they were not recorded. */
void mp_sealed_put_lifetimes(const struct mp_profile *profile, struct mp_buffer *to);
void mp_take_lifetimes(struct mp_decoder *decoder, struct mp_cursor *from);

/* The section of faulty frees. Omitted if it would be empty. */
void mp_sealed_put_bad_frees(const struct mp_profile *profile, struct mp_buffer *to);
void mp_take_bad_frees(struct mp_decoder *decoder, struct mp_cursor *from);

/* The section of stack depths. Omitted if it would be empty. */
void mp_sealed_put_stacks(const struct mp_profile *profile, struct mp_buffer *to);
void mp_take_stacks(struct mp_decoder *decoder, struct mp_cursor *from);

/* The section of garbage collections. Omitted if it would be empty. */
void mp_sealed_put_collections(const struct mp_profile *profile, struct mp_buffer *to);
void mp_take_collections(struct mp_decoder *decoder, struct mp_cursor *from);

/* The section of the memory that malloc got from the system, as of the end. Omitted if it is unknown. */
void mp_sealed_put_allocator(const struct mp_profile *profile, struct mp_buffer *to);
void mp_take_allocator(struct mp_decoder *decoder, struct mp_cursor *from);

static inline void
mp_take_damaged(struct mp_cursor *from, const char *problem)
{
    mp_cursor_fail(from, MP_ERR_DAMAGED, problem);
}

/* Returns an array of COUNT elements of SIZE bytes, owned by the profile. */
static inline void *
mp_take_array(struct mp_decoder *decoder, uint32_t count, size_t size)
{
    return mp_arena_alloc(decoder->profile->arena, count * size);
}

/* The section of contexts, which is decoded after frames. */
void mp_sealed_put_contexts(const struct mp_profile *profile, struct mp_buffer *to);
void mp_sealed_take_contexts(struct mp_profile *profile, struct mp_cursor *from);

/* Five sections of counters. Bins must be decoded after types; objects, crossed and resized blocks after cells. The
 * consistency of cells is checked after all sections, by mp_sealed_decode(). */
void mp_sealed_put_cells(const struct mp_profile *profile, struct mp_buffer *to);
void mp_sealed_put_bins(const struct mp_profile *profile, struct mp_buffer *to);
void mp_sealed_put_objects(const struct mp_profile *profile, struct mp_buffer *to);
void mp_sealed_put_crossed(const struct mp_profile *profile, struct mp_buffer *to);
void mp_sealed_put_resized(const struct mp_profile *profile, struct mp_buffer *to);
void mp_sealed_take_cells(struct mp_profile *profile, struct mp_cursor *from);
void mp_sealed_take_bins(struct mp_profile *profile, struct mp_cursor *from);
void mp_sealed_take_objects(struct mp_profile *profile, struct mp_cursor *from);
void mp_sealed_take_crossed(struct mp_profile *profile, struct mp_cursor *from);
void mp_sealed_take_resized(struct mp_profile *profile, struct mp_cursor *from);

#endif
