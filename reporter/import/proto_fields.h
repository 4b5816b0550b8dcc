/* proto_fields.h -- reads messages of Protocol Buffers field by field. */
#ifndef MP_IMPORT_PROTO_FIELDS_H
#define MP_IMPORT_PROTO_FIELDS_H

#include "maker.h"
#include "reporter/base/cursor.h"

struct mp_proto_field {
    unsigned number;
    bool is_bytes;              /* true for text, a message or packed numbers; false for a number */
    uint64_t value;
    struct mp_import_text bytes;      /* points into the cursor's bytes */
};

/* Reads the next field. Returns false at the end of the message or if the cursor has failed. */
bool mp_proto_next(struct mp_cursor *cursor, struct mp_proto_field *field);

/* Returns a cursor over the message in FIELD, which was read from CURSOR. */
struct mp_cursor mp_proto_inner(const struct mp_cursor *cursor, const struct mp_proto_field *field);

/* Copies an error of INNER to CURSOR. */
void mp_proto_leave(struct mp_cursor *cursor, const struct mp_cursor *inner);

/* Repeated numbers, which are packed into one field or have one field each. */
struct mp_proto_numbers {
    uint64_t *list;
    uint32_t n, room;
    struct mp_arena *arena;     /* not owned */
};

/* Adds the numbers of FIELD, which was read from CURSOR. */
void mp_proto_collect(struct mp_cursor *cursor, const struct mp_proto_field *field,
                      struct mp_proto_numbers *numbers);

#endif
