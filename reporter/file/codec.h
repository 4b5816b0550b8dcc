/* SPDX-License-Identifier: MIT */
/*
 * codec.h -- one description of a sealed file's section for both directions.
 *
 *     mp_code_count(codec, &profile->n_types, 1);
 *     profile->types = mp_code_array(codec, profile->types, profile->n_types, sizeof *profile->types);
 *     for (uint32_t i = 0; i < profile->n_types; i++)
 *         mp_code_string(codec, &profile->types[i], &last);
 *
 * A codec either encodes or decodes. Each function below gets a pointer to a value. It encodes this value, or decodes
 * and checks a value and stores it there. So the function of a section names each field once, in the order of the
 * file. When a profile is encoded, the function of a section must not change it, and may only store values that the
 * profile already has.
 *
 * The first invalid value makes the cursor of a section fail, see cursor.h. Later values are 0, "" or NULL then.
 */
#ifndef MP_READ_CODEC_H
#define MP_READ_CODEC_H

#include "reporter/base/buffer.h"
#include "reporter/base/cursor.h"
#include "reporter/base/map.h"

struct mp_profile;

struct mp_codec {
    struct mp_profile *profile;
    struct mp_arena *arena;     /* memory for the time of coding */
    struct mp_buffer *to;       /* encoding: the section */
    struct mp_map strings;      /* encoding: all strings except ""; their ids in the file are one more than here */
    struct mp_cursor *from;     /* decoding: the section; encoding: NULL */
    const char **texts;         /* decoding: n_texts strings in the profile's arena; string 0 is "" */
    uint32_t n_texts;
};

/* When decoding, fails with PROBLEM unless OK. */
void mp_code_check(struct mp_codec *codec, bool ok, const char *problem);

/* Returns whether decoding failed. Values that depend on each other may be inconsistent then. */
static inline bool
mp_code_failed(const struct mp_codec *codec)
{
    return codec->from && codec->from->problem;
}

/* Code LEB128 numbers. mp_code_below() checks that the value is less than LIMIT. mp_code_i64() codes a signed number
 * by zigzag. */
void mp_code_u64(struct mp_codec *codec, uint64_t *value);
void mp_code_u32(struct mp_codec *codec, uint32_t *value);
void mp_code_below(struct mp_codec *codec, uint32_t *value, uint32_t limit);
void mp_code_bool(struct mp_codec *codec, bool *value);
void mp_code_i64(struct mp_codec *codec, int64_t *value);

/* Codes a number in 8 bytes. */
void mp_code_fixed(struct mp_codec *codec, uint64_t *value);

/* Codes SIZE bytes. Decoding sets *BYTES to their address in the section, or to NULL if there are fewer. */
void mp_code_bytes(struct mp_codec *codec, const uint8_t **bytes, size_t size);

/* Codes two flags as the number 2 * *HIGH + *LOW. */
void mp_code_two_bools(struct mp_codec *codec, bool *high, bool *low);

/* Codes the signed difference to BASE, modulo 2^64. */
void mp_code_difference(struct mp_codec *codec, uint64_t *value, uint64_t base);

/* Codes the difference of *VALUE to *LAST, and sets *LAST to *VALUE. Checks that *VALUE does not exceed LIMIT;
 * otherwise fails with PROBLEM. */
void mp_code_rise(struct mp_codec *codec, uint64_t *value, uint64_t *last, uint64_t limit, const char *problem);

/* Codes an id that is not less than *LAST as the difference to it, and sets *LAST to the id, which must be less than
 * LIMIT. */
void mp_code_later(struct mp_codec *codec, uint32_t *id, uint32_t *last, uint32_t limit);

/* Codes a reference as the signed difference to *LAST, and sets *LAST to *ID. *ID must be less than LIMIT, or MP_NO_ID
 * if NONE. *LAST is MP_NO_ID at the beginning of a column. */
void mp_code_id(struct mp_codec *codec, uint32_t *id, uint32_t *last, uint32_t limit, bool none);

/* Codes the number of items that follow, each of at least SIZE bytes. */
void mp_code_count(struct mp_codec *codec, uint32_t *n, size_t size);

/* Returns ARRAY if CODEC encodes, else a new array of N elements of SIZE bytes, owned by the profile. */
void *mp_code_array(struct mp_codec *codec, void *array, uint32_t n, size_t size);

/* Code a reference to a string, as mp_code_id() does. Only mp_code_string_or_none() allows NULL. */
void mp_code_string(struct mp_codec *codec, const char **text, uint32_t *last);
void mp_code_string_or_none(struct mp_codec *codec, const char **text, uint32_t *last);

/* Codes a column of strings: those at OFFSET in the N elements of ARRAY, of SIZE bytes each. */
void mp_code_texts(struct mp_codec *codec, void *array, uint32_t n, size_t size, size_t offset);

/* Codes the section of strings, which is encoded after all others and decoded before all others. */
void mp_code_strings(struct mp_codec *codec);

#endif
