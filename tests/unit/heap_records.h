/* heap_records.h -- writes snapshots of heaps record by record. */
#ifndef MP_TEST_HEAP_RECORDS_H
#define MP_TEST_HEAP_RECORDS_H

#include <string.h>

#include "reporter/heap/heap_write.h"

static inline void
put_record(struct mp_heap_writer *writer, enum mp_heap_record tag, unsigned n, const uint64_t *numbers)
{
    struct mp_buffer *out = mp_heap_record(writer, tag);

    while (n-- > 0)
        mp_buffer_varint(out, *numbers++);
}

/* Writes a record of these numbers to the variable `writer`. */
#define PUT(tag, ...) \
    put_record(writer, (tag), sizeof((uint64_t[]){__VA_ARGS__}) / 8, (const uint64_t[]){__VA_ARGS__})

static inline void
put_text(struct mp_heap_writer *writer, const char *text)
{
    struct mp_buffer *out = mp_heap_record(writer, MP_HEAP_TEXT);

    mp_buffer_varint(out, strlen(text));
    mp_buffer_bytes(out, text, strlen(text));
}

#endif
/* SPDX-License-Identifier: MIT */
