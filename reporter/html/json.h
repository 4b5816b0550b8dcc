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
 */
#ifndef MP_JSON_H
#define MP_JSON_H

#include "reporter/base/buffer.h"

void mp_json_open(struct mp_buffer *out, char bracket);
void mp_json_close(struct mp_buffer *out, char bracket);
void mp_json_key(struct mp_buffer *out, const char *key);

void mp_json_number(struct mp_buffer *out, uint64_t number);
void mp_json_signed(struct mp_buffer *out, int64_t number);
void mp_json_bool(struct mp_buffer *out, bool truth);

/* TEXT is UTF-8, as all of a profile is.  No text ends a script element that the JSON stands in. */
void mp_json_text(struct mp_buffer *out, const char *text);

/* Key and value. */
void mp_json_key_number(struct mp_buffer *out, const char *key, uint64_t number);
void mp_json_key_text(struct mp_buffer *out, const char *key, const char *text);

#endif
