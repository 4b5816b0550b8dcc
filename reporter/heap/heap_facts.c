#include "heap_facts.h"

#include <string.h>

#include "heap_stream.h"

#define MOST_TEXTS  16u         /* texts that are remembered while facts are read */

struct text {
    const uint8_t *bytes;
    uint32_t length;
};

static void
take_text_fact(struct mp_cursor *cursor, const struct text *texts, struct mp_heap_facts *facts)
{
    const uint64_t fact = mp_cursor_varint(cursor), number = mp_cursor_varint(cursor);

    if (cursor->problem || fact != MP_FACT_LANGUAGE || number == 0 || number > MOST_TEXTS)
        return;
    for (uint32_t i = 0; i < texts[number - 1].length && i < sizeof facts->language - 1; i++)
        facts->language[i] = (char)texts[number - 1].bytes[i];
}

/* Reads records up to the first that is neither a fact nor a text. */
static void
take_facts(struct mp_cursor *cursor, struct mp_heap_facts *facts)
{
    struct text texts[MOST_TEXTS] = {{NULL, 0}}, text;
    uint32_t n = 0;

    while (mp_cursor_left(cursor) > 0) {
        const uint8_t tag = *mp_cursor_bytes(cursor, 1);

        if (tag == MP_HEAP_TEXT) {
            text.length = mp_cursor_below(cursor, MP_HEAP_MAX_TEXT + 1);
            text.bytes = mp_cursor_bytes(cursor, text.length);
            if (text.bytes && n < MOST_TEXTS)
                texts[n++] = text;
        } else if (tag == MP_HEAP_FACT_TEXT) {
            take_text_fact(cursor, texts, facts);
        } else if (tag == MP_HEAP_FACT) {
            const uint64_t fact = mp_cursor_varint(cursor), value = mp_cursor_varint(cursor);

            if (!cursor->problem && fact < MP_FACTS)
                facts->numbers[fact] = value;
        } else {
            return;
        }
    }
}

bool
mp_heap_facts_read(const char *path, struct mp_heap_facts *facts, struct mp_error *error)
{
    struct mp_heap_stream stream;
    struct mp_input input;
    bool ok;

    memset(facts, 0, sizeof *facts);
    if (!mp_input_open(&input, path, error))
        return false;
    ok = mp_heap_stream_open(&stream, &input, error);
    if (ok) {
        ok = mp_blocks_next(&stream.blocks, error);
        if (ok) {
            take_facts(&stream.blocks.cursor, facts);
            ok = mp_cursor_error(&stream.blocks.cursor, path, "records", error);
        }
        mp_blocks_end(&stream.blocks);
    }
    mp_input_close(&input);
    return ok;
}

bool
mp_heap_facts_same_process(const uint64_t a[static MP_FACTS], const uint64_t b[static MP_FACTS])
{
    return a[MP_FACT_PID] == b[MP_FACT_PID] && a[MP_FACT_RUN_1] == b[MP_FACT_RUN_1] &&
           a[MP_FACT_RUN_2] == b[MP_FACT_RUN_2];
}

bool
mp_heap_facts_are_of(const uint64_t facts[static MP_FACTS], const struct mp_meta *meta)
{
    return facts[MP_FACT_PID] == meta->pid && facts[MP_FACT_RUN_1] == meta->run_id[0] &&
           facts[MP_FACT_RUN_2] == meta->run_id[1];
}

bool
mp_heap_facts_are_since(const uint64_t facts[static MP_FACTS], const struct mp_meta *meta)
{
    return facts[MP_FACT_PID] == meta->pid && facts[MP_FACT_REALTIME] >= meta->start_realtime;
}
