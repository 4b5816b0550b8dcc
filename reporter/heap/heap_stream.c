/* SPDX-License-Identifier: MIT */
#include "heap_stream.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "config.h"

#ifdef MP_HAVE_ZSTD
#include <zstd.h>
#endif

#include "heap_files.h"

/* Fills *ERROR, because NAME is not a snapshot, and returns false. NAME may be a recording, so suggests its last
 * snapshot. */
static bool
refuse(const char *name, struct mp_error *error)
{
    uint32_t n;
    char **files = mp_heap_files(name, &n);

    mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s is not a snapshot of a heap%s%s", name,
            files ? ", as is " : "", files ? files[n - 1] : "");
    mp_heap_files_free(files, n);
    return false;
}

static bool
unpack(struct mp_blocks *blocks, uint32_t size, uint32_t n, struct mp_error *error)
{
#ifdef MP_HAVE_ZSTD
    return ZSTD_decompress(blocks->content, size, blocks->stored + MP_BLOCK_HEAD, n) == size ||
           mp_blocks_damaged(blocks, error);
#else
    (void)size, (void)n;
    return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s is packed by zstd, without which this mprof was built",
                   blocks->input->name);
#endif
}

bool
mp_heap_stream_open(struct mp_heap_stream *stream, struct mp_input *input, struct mp_error *error)
{
    uint8_t head[MP_HEAP_HEADER];
    struct mp_cursor cursor;
    uint32_t version, form;

    if (input->size < 8 || !mp_input_read(input, 0, head, 8, error) || memcmp(head, MP_HEAP_MAGIC, 8) != 0)
        return refuse(input->name, error);
    if (!mp_input_read(input, 0, head, sizeof head, error))
        return false;
    mp_cursor_init(&cursor, head + 8, sizeof head - 8, 8);
    version = mp_cursor_u32(&cursor);
    form = mp_cursor_u32(&cursor);
    if (version != MP_HEAP_VERSION)
        return mp_fail(error, MP_ERR_VERSION, 8, "%s is a snapshot of version %u, this mprof reads version %u",
                       input->name, version, MP_HEAP_VERSION);
    if (form != MP_HEAP_RAW && form != MP_HEAP_SEALED)
        return mp_fail(error, MP_ERR_DAMAGED, 12, "%s: there is no form %u", input->name, form);
    stream->form = (enum mp_heap_form)form;
    mp_blocks_begin(&stream->blocks, input, MP_HEAP_HEADER, MP_HEAP_MAX_BLOCK, unpack);
    return true;
}

bool
mp_heap_stream_more(const struct mp_heap_stream *stream)
{
    return stream->blocks.offset < stream->blocks.input->size;
}

static bool
write_all(int to, const uint8_t *bytes, size_t size, struct mp_error *error)
{
    while (size > 0) {
        const ssize_t done = write(to, bytes, size);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "a copy of the snapshot cannot be written: %s",
                           strerror(done < 0 ? errno : ENOSPC));
        bytes += done;
        size -= (size_t)done;
    }
    return true;
}

bool
mp_heap_stream_copy(int from, int to, const char *name, struct mp_error *error)
{
    struct mp_input input = {.name = name, .fd = from};
    struct mp_heap_stream stream;
    uint8_t head[MP_HEAP_HEADER];
    bool ok;

    if (!mp_input_measure(&input, error) || !mp_heap_stream_open(&stream, &input, error))
        return false;
    ok = mp_input_read(&input, 0, head, sizeof head, error) && write_all(to, head, sizeof head, error);
    while (ok && mp_heap_stream_more(&stream)) {
        const uint64_t at = stream.blocks.offset;

        ok = mp_blocks_next(&stream.blocks, error) &&
             write_all(to, stream.blocks.stored, (size_t)(stream.blocks.offset - at), error);
    }
    mp_blocks_end(&stream.blocks);
    return ok;
}

/* ---------------------------------------------------------------- facts */

#define MOST_TEXTS  16u         /* maximum number of texts that are remembered while facts are read */

struct text {
    const uint8_t *bytes;
    uint32_t length;
};

/* Reads a fact whose value is a text, stored as its number in TEXTS. Only the language is kept. */
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
