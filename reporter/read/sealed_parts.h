/* sealed_parts.h -- the parts of reading and writing a sealed file (runtime/format.h). */
#ifndef MP_SEALED_PARTS_H
#define MP_SEALED_PARTS_H

#include "input.h"
#include "reporter/base/buffer.h"
#include "reporter/base/cursor.h"
#include "reporter/base/map.h"
#include "reporter/profile/profile.h"
#include "runtime/format.h"

/* The profile of the sealed file INPUT, which the caller frees; NULL and *ERROR. */
struct mp_profile *mp_read_sealed(struct mp_input *input, struct mp_error *error);

/* Put the content for PROFILE, which is symbolised, into an empty buffer: equal profiles give
 * equal bytes.  False: no memory. */
bool mp_sealed_encode(const struct mp_profile *profile, struct mp_buffer *content,
                      struct mp_error *error);

/* Fill the empty PROFILE from content of VERSION.  NAME is for messages, whose offsets count from
 * BASE: the place of the content in the file, or 0 for inflated content. */
bool mp_sealed_decode(struct mp_profile *profile, uint32_t version, const uint8_t *bytes,
                      size_t size, uint64_t base, const char *name, struct mp_error *error);

/* A profile on its way to the content, and back. */
struct mp_encoder {
    const struct mp_profile *profile;
    struct mp_map strings;      /* string 0, "", is none of them: the ids are one less */
    struct mp_buffer sections[MP_SEC_END];
};
struct mp_decoder {
    struct mp_profile *profile;
    const char **strings;       /* n_strings of them, in the profile's arena; 0 is "" */
    uint32_t n_strings;
    unsigned last_section;      /* of those that a file of its version has */
    unsigned last_known;        /* of those that may follow */
};

/* A reference to a string, in a column whose last one is *PREVIOUS; MP_NO_ID before the first. */
void mp_put_string(struct mp_encoder *encoder, struct mp_buffer *to, uint32_t *previous,
                   const char *text);           /* NULL: none */
const char *mp_take_string(struct mp_decoder *decoder, struct mp_cursor *from, uint32_t *previous);
const char *mp_take_string_or_none(struct mp_decoder *decoder, struct mp_cursor *from,
                                   uint32_t *previous);

/* The section of strings: what was put, when all else is; and before all else. */
void mp_put_strings(struct mp_encoder *encoder);
void mp_take_strings(struct mp_decoder *decoder, struct mp_cursor *from);

/* What is known of a process; and of its collected heap.  *STRING is that of a column of strings. */
void mp_put_meta(struct mp_encoder *encoder, const struct mp_meta *meta, uint32_t *string,
                 struct mp_buffer *to);
void mp_take_meta(struct mp_decoder *decoder, struct mp_meta *meta, uint32_t *string,
                  struct mp_cursor *from);
void mp_put_heap(struct mp_encoder *encoder, const struct mp_meta *meta, uint32_t *string,
                 struct mp_buffer *to);
void mp_take_heap(struct mp_decoder *decoder, struct mp_meta *meta, uint32_t *string,
                  struct mp_cursor *from);

/* The section of processes, if there is anything for it. */
void mp_put_processes(struct mp_encoder *encoder);
void mp_take_processes(struct mp_decoder *decoder, struct mp_cursor *from);

/* The sections of the language's runtime: is there anything for them? */
bool mp_has_runtime(const struct mp_profile *profile);
void mp_put_runtime(struct mp_encoder *encoder);
void mp_take_runtime(struct mp_decoder *decoder, struct mp_cursor *from);
void mp_take_names(struct mp_decoder *decoder, struct mp_cursor *from);
void mp_take_frame_names(struct mp_decoder *decoder, struct mp_cursor *from);
void mp_take_kinds(struct mp_decoder *decoder, struct mp_cursor *from);
void mp_take_forms(struct mp_decoder *decoder, struct mp_cursor *from);

/* The section of the time line, if there is one. */
void mp_sealed_put_time(struct mp_encoder *encoder, struct mp_buffer *to);
void mp_take_time(struct mp_decoder *decoder, struct mp_cursor *from);

/* What of its changes was temporary, if that is known. */
void mp_sealed_put_temporary(const struct mp_profile *profile, struct mp_buffer *to);
void mp_take_temporary(struct mp_decoder *decoder, struct mp_cursor *from);

/* The section of lifetimes, if they were recorded. */
void mp_sealed_put_lifetimes(const struct mp_profile *profile, struct mp_buffer *to);
void mp_take_lifetimes(struct mp_decoder *decoder, struct mp_cursor *from);

/* The section of faulty frees, if there are some. */
void mp_sealed_put_bad_frees(const struct mp_profile *profile, struct mp_buffer *to);
void mp_take_bad_frees(struct mp_decoder *decoder, struct mp_cursor *from);

/* The section of stacks, if there are some. */
void mp_sealed_put_stacks(const struct mp_profile *profile, struct mp_buffer *to);
void mp_take_stacks(struct mp_decoder *decoder, struct mp_cursor *from);

/* The section of collections, if their collector told of them. */
void mp_sealed_put_collections(const struct mp_profile *profile, struct mp_buffer *to);
void mp_take_collections(struct mp_decoder *decoder, struct mp_cursor *from);

/* The section of what malloc had of the system in the end, if it is known. */
void mp_sealed_put_allocator(const struct mp_profile *profile, struct mp_buffer *to);
void mp_take_allocator(struct mp_decoder *decoder, struct mp_cursor *from);

static inline void
mp_take_damaged(struct mp_cursor *from, const char *problem)
{
    mp_cursor_fail(from, MP_ERR_DAMAGED, problem);
}

/* An array of COUNT things of SIZE bytes, the profile's. */
static inline void *
mp_take_array(struct mp_decoder *decoder, uint32_t count, size_t size)
{
    return mp_arena_alloc(decoder->profile->arena, count * size);
}

/* Five of its sections: bins come after types, objects, what crossed threads and what realloc made after
 * cells, and what cells say is to be checked at the end. */
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
