/* SPDX-License-Identifier: MIT */
/* sealed_parts.h -- encoding and decoding of the sections of a sealed file (runtime/format.h). */
#ifndef MP_SEALED_PARTS_H
#define MP_SEALED_PARTS_H

#include "codec.h"
#include "input.h"
#include "reporter/profile/profile.h"
#include "runtime/format.h"

/* Returns the profile of the sealed file INPUT, which the caller frees, or NULL with *ERROR set. */
struct mp_profile *mp_read_sealed(struct mp_input *input, struct mp_error *error);

/* Encodes PROFILE, which must be symbolised, to the empty buffer CONTENT. Equal profiles give equal bytes. */
void mp_sealed_encode(const struct mp_profile *profile, struct mp_buffer *content);

/* Decodes content into the empty PROFILE. NAME is used in messages. Offsets in messages start at BASE,
 * which is the content's offset in the file, or 0 for inflated content. */
bool mp_sealed_decode(struct mp_profile *profile, const uint8_t *bytes, size_t size, uint64_t base,
                      const char *name, struct mp_error *error);

/* Returns the name of the section with TAG, which is less than MP_SEC_END. */
const char *mp_sealed_section_name(unsigned tag);

/* Returns whether PROFILE has data for the sections from MP_SEC_RUNTIME to MP_SEC_FORMS. */
bool mp_has_runtime(const struct mp_profile *profile);

/* Code one section each, in the order of the file. A section may refer to those before it. The functions from
 * mp_code_forms() on encode nothing if the profile has no data for their section. The consistency of cells is checked
 * after all sections, by mp_sealed_decode(). */
void mp_code_meta(struct mp_codec *codec);
void mp_code_modules(struct mp_codec *codec);
void mp_code_functions(struct mp_codec *codec);
void mp_code_locations(struct mp_codec *codec);
void mp_code_frames(struct mp_codec *codec);
void mp_code_unproved(struct mp_codec *codec);
void mp_code_tail(struct mp_codec *codec);
void mp_code_contexts(struct mp_codec *codec);
void mp_code_cells(struct mp_codec *codec);
void mp_code_types(struct mp_codec *codec);
void mp_code_bins(struct mp_codec *codec);
void mp_code_runtime(struct mp_codec *codec);
void mp_code_names(struct mp_codec *codec);
void mp_code_frame_names(struct mp_codec *codec);
void mp_code_kinds(struct mp_codec *codec);
void mp_code_objects(struct mp_codec *codec);
void mp_code_forms(struct mp_codec *codec);
void mp_code_time(struct mp_codec *codec);
void mp_code_crossed(struct mp_codec *codec);
void mp_code_order(struct mp_codec *codec);
void mp_code_resized(struct mp_codec *codec);
void mp_code_processes(struct mp_codec *codec);
void mp_code_labels(struct mp_codec *codec);
void mp_code_lifetimes(struct mp_codec *codec);
void mp_code_collections(struct mp_codec *codec);
void mp_code_temporary(struct mp_codec *codec);
void mp_code_bad_frees(struct mp_codec *codec);
void mp_code_unrecorded(struct mp_codec *codec);
void mp_code_identity(struct mp_codec *codec);
void mp_code_mappings(struct mp_codec *codec);
void mp_code_resident(struct mp_codec *codec);

#endif
