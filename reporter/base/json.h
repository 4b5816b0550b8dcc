/*
 * json.h -- JSON, appended to a buffer.
 *
 * Commas come by themselves: a value or a key that follows another gets one.
 *
 *     mp_json_open(out, '{');
 *     mp_json_key(out, "sizes");
 *     mp_json_open(out, '[');
 *     mp_json_number(out, 8);
 *     mp_json_close(out, ']');
 *     mp_json_close(out, '}');
 *
 * What is long goes to a file piece by piece: mp_json_drain() wherever a piece ends, mp_json_end() at last.
 */
#ifndef MP_JSON_H
#define MP_JSON_H

#include <stdio.h>

#include "buffer.h"

void mp_json_open(struct mp_buffer *out, char bracket);
void mp_json_close(struct mp_buffer *out, char bracket);
void mp_json_key(struct mp_buffer *out, const char *key);

void mp_json_number(struct mp_buffer *out, uint64_t number);
void mp_json_signed(struct mp_buffer *out, int64_t number);
void mp_json_bool(struct mp_buffer *out, bool truth);
void mp_json_null(struct mp_buffer *out);

/* TEXT is UTF-8, as all of a profile is. */
void mp_json_text(struct mp_buffer *out, const char *text);

/* Key and value. */
void mp_json_key_number(struct mp_buffer *out, const char *key, uint64_t number);
void mp_json_key_text(struct mp_buffer *out, const char *key, const char *text);

/* "schema": of which form a document is: a schema's NAME and VERSION. */
void mp_json_schema(struct mp_buffer *out, const char *name, const char *version);

/* Key and a list of the N NUMBERS, of the N TEXTS. */
void mp_json_key_numbers(struct mp_buffer *out, const char *key, const uint64_t *numbers, size_t n);
void mp_json_key_texts(struct mp_buffer *out, const char *key, const char *const *texts, size_t n);

void mp_json_key_bool(struct mp_buffer *out, const char *key, bool truth);

/* TEXT; NULL or "": null. */
void mp_json_key_text_or_null(struct mp_buffer *out, const char *key, const char *text);

/* NUMBER; not KNOWN: null. */
void mp_json_key_number_or_null(struct mp_buffer *out, const char *key, uint64_t number, bool known);

/* The value or key that comes now begins a line. */
void mp_json_line(struct mp_buffer *out);

/* Write OUT to FILE if it has become long, but for the last byte, which says whether a comma comes. */
void mp_json_drain(struct mp_buffer *out, FILE *file);

/* Write all of OUT to FILE, with a newline, and free it.  False: there was no memory. */
bool mp_json_end(struct mp_buffer *out, FILE *file);

#endif
