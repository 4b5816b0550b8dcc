/* SPDX-License-Identifier: MIT */
/*
 * json.h -- writes JSON to a buffer.
 *
 * Commas are added automatically before a value or key that follows another.
 *
 *     mp_json_open(out, '{');
 *     mp_json_key_open(out, "sizes", '[');
 *     mp_json_number(out, 8);
 *     mp_json_close(out, ']');
 *     mp_json_close(out, '}');
 *
 * Long documents are written to a file piece by piece. Call mp_json_drain() after each piece and mp_json_end()
 * at the end.
 */
#ifndef MP_JSON_H
#define MP_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include "buffer.h"

void mp_json_open(struct mp_buffer *out, char bracket);
void mp_json_close(struct mp_buffer *out, char bracket);
void mp_json_key(struct mp_buffer *out, const char *key);

/* Writes a key and opens its value, a list or an object. */
void mp_json_key_open(struct mp_buffer *out, const char *key, char bracket);

void mp_json_number(struct mp_buffer *out, uint64_t number);
void mp_json_signed(struct mp_buffer *out, int64_t number);
void mp_json_bool(struct mp_buffer *out, bool truth);
void mp_json_null(struct mp_buffer *out);

/* Writes TEXT. Bytes outside valid UTF-8, which only paths and arguments have, become \xNN. */
void mp_json_text(struct mp_buffer *out, const char *text);

/* Write a key and its value. */
void mp_json_key_number(struct mp_buffer *out, const char *key, uint64_t number);
void mp_json_key_text(struct mp_buffer *out, const char *key, const char *text);

/* Writes the key "schema" with the NAME and VERSION of the document's schema. */
void mp_json_schema(struct mp_buffer *out, const char *name, const char *version);

/* Write a key and a list of the N NUMBERS or TEXTS. */
void mp_json_key_numbers(struct mp_buffer *out, const char *key, const uint64_t *numbers, size_t n);
void mp_json_key_texts(struct mp_buffer *out, const char *key, const char *const *texts, size_t n);

void mp_json_key_bool(struct mp_buffer *out, const char *key, bool truth);

/* Writes null if TEXT is NULL or "". */
void mp_json_key_text_or_null(struct mp_buffer *out, const char *key, const char *text);

/* Writes null unless KNOWN. */
void mp_json_key_number_or_null(struct mp_buffer *out, const char *key, uint64_t number, bool known);

/* Starts a new line before the next value or key. */
void mp_json_line(struct mp_buffer *out);

/* Writes OUT to FILE if it has become long. Keeps its last byte, which shows whether a comma must follow. */
void mp_json_drain(struct mp_buffer *out, FILE *file);

/* Writes all of OUT and a newline to FILE, and frees OUT. */
void mp_json_end(struct mp_buffer *out, FILE *file);

#endif
