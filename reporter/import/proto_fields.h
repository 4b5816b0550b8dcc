/* proto_fields.h -- messages of Protocol Buffers, field by field. */
#ifndef MP_IMPORT_PROTO_FIELDS_H
#define MP_IMPORT_PROTO_FIELDS_H

#include "maker.h"
#include "reporter/base/cursor.h"

struct mp_proto_field {
    unsigned number;
    bool is_bytes;              /* a text, a message, packed numbers; else a number */
    uint64_t value;
    struct mp_bytes bytes;      /* inside the cursor's own */
};

/* The next field of the message; false: there is none, or the cursor has failed. */
bool mp_proto_next(struct mp_cursor *cursor, struct mp_proto_field *field);

/* The message in FIELD of CURSOR. */
struct mp_cursor mp_proto_inner(const struct mp_cursor *cursor, const struct mp_proto_field *field);

/* What went wrong in INNER did in CURSOR. */
void mp_proto_leave(struct mp_cursor *cursor, const struct mp_cursor *inner);

/* Numbers that stand one after the other in a field, or each in a field of its own. */
struct mp_proto_numbers {
    uint64_t *list;
    uint32_t n, room;
    struct mp_arena *arena;     /* not owned */
};

/* Add those of FIELD, which is CURSOR's. */
void mp_proto_collect(struct mp_cursor *cursor, const struct mp_proto_field *field,
                      struct mp_proto_numbers *numbers);

#endif
