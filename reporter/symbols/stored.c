/*
 * stored.c -- see stored.h.
 *
 * The format is a head (magic, version, CRC-32 of the rest), followed by numbers as LEB128:
 *
 *     strings     number; each with a NUL.  A reference to a string is its index + 1, or 0 for NULL
 *     functions   number; key, name, full, alias, file; start; declared + 2 * types read;
 *                 number of types; each name, size
 *     answers     number; address, start + 1, file, line, number of places; each function, file,
 *                 line
 *     catalog     whole + 2 * has the first of each size; number of names asked for; each; number of
 *                 them whose types are known; number of types; each name, size
 */
#include "stored.h"

#include <string.h>
#include <zlib.h>

#include "reporter/base/cursor.h"
#include "runtime/format.h"
#include "texts.h"

#define HEAD_SIZE 16u

static const uint8_t magic[8] = { 'm', 'p', 'r', 'o', 'f', 's', 'y', 'm' };

/* --------------------------------------------------------------------------------- write */

struct writer {
    const struct mp_answers *answers;
    struct mp_buffer *to;
    struct mp_map strings;
};

/* Returns the reference to TEXT, which may be NULL. */
static uint32_t
refer(struct writer *writer, const char *text)
{
    return text == NULL ? 0 : mp_map_add(&writer->strings, text, strlen(text)) + 1;
}

static void
put_text(struct writer *writer, const char *text)
{
    mp_buffer_varint(writer->to, refer(writer, text));
}

static void
put_mentions(struct writer *writer, const struct mp_mention *mentions, uint32_t n)
{
    mp_buffer_varint(writer->to, n);
    for (uint32_t i = 0; i < n; i++) {
        put_text(writer, mentions[i].name);
        mp_buffer_varint(writer->to, mentions[i].size);
    }
}

static void
put_known(struct writer *writer, const struct mp_known_function *known)
{
    put_text(writer, known->key);
    put_text(writer, known->name);
    put_text(writer, known->full);
    put_text(writer, known->alias);
    put_text(writer, known->file);
    mp_buffer_varint(writer->to, known->start);
    mp_buffer_varint(writer->to, known->declared + 2u * known->mentions_read);
    put_mentions(writer, known->mentions, known->n_mentions);
}

static void
put_answer(struct writer *writer, const struct mp_answer *answer)
{
    mp_buffer_varint(writer->to, answer->address);
    mp_buffer_varint(writer->to, answer->start == MP_NO_START ? 0 : answer->start + 1);
    put_text(writer, answer->file);
    mp_buffer_varint(writer->to, answer->line);
    mp_buffer_varint(writer->to, answer->count);
    for (uint32_t i = 0; i < answer->count; i++) {
        const struct mp_place *place = &writer->answers->places[answer->first + i];

        mp_buffer_varint(writer->to, place->known);
        put_text(writer, place->file);
        mp_buffer_varint(writer->to, place->line);
    }
}

/* Writes the catalog. If it is too large, leaves its types out, so that they count as not yet read. */
static void
put_catalog(struct writer *writer, const struct mp_catalog *catalog)
{
    const bool small = catalog->bytes <= 2 * (uint64_t)MP_CATALOG_MOST;

    mp_buffer_varint(writer->to, small ? catalog->whole + 2u * catalog->has_first : 0);
    mp_buffer_varint(writer->to, catalog->names.count);
    for (uint32_t i = 0; i < catalog->names.count; i++)
        put_text(writer, mp_map_key(&catalog->names, i));
    mp_buffer_varint(writer->to, small ? catalog->n_known : 0);
    put_mentions(writer, catalog->list, small ? catalog->map.count : 0);
}

static void
put_all(struct writer *writer)
{
    const struct mp_answers *answers = writer->answers;

    mp_buffer_varint(writer->to, answers->n_knowns);
    for (uint32_t i = 0; i < answers->n_knowns; i++)
        put_known(writer, &answers->knowns[i]);
    mp_buffer_varint(writer->to, answers->addresses.count);
    for (uint32_t i = 0; i < answers->addresses.count; i++)
        put_answer(writer, &answers->list[i]);
    put_catalog(writer, &answers->catalog);
}

void
mp_stored_write(const struct mp_answers *answers, struct mp_buffer *buffer)
{
    struct mp_buffer numbers = { 0 }, content = { 0 };
    struct writer writer = { .answers = answers, .to = &numbers,
                             .strings.arena = mp_arena_new() };

    put_all(&writer);
    mp_buffer_varint(&content, writer.strings.count);
    for (uint32_t i = 0; i < writer.strings.count; i++)
        mp_buffer_bytes(&content, mp_map_key(&writer.strings, i),
                        strlen(mp_map_key(&writer.strings, i)) + 1);
    mp_buffer_bytes(&content, numbers.bytes, numbers.size);
    mp_buffer_bytes(buffer, magic, sizeof magic);
    mp_buffer_u32(buffer, MP_STORED_VERSION);
    mp_buffer_u32(buffer, (uint32_t)crc32_z(0, content.bytes, content.size));
    mp_buffer_bytes(buffer, content.bytes, content.size);
    buffer->failed |= numbers.failed || content.failed;
    mp_buffer_free(&numbers);
    mp_buffer_free(&content);
    mp_arena_free(writer.strings.arena);
}

/* ---------------------------------------------------------------------------------- read */

struct taker {
    struct mp_answers *answers;
    struct mp_cursor from;
    const char **strings;
    uint32_t n_strings;
};

static void
take_strings(struct taker *taker)
{
    size_t length;

    taker->n_strings = mp_cursor_count(&taker->from, 1);
    taker->strings = mp_arena_alloc(taker->answers->arena,
                                    (taker->n_strings + (size_t)1) * sizeof *taker->strings);
    for (uint32_t i = 0; i < taker->n_strings; i++)
        taker->strings[i] = mp_cursor_string(&taker->from, &length);
}

/* Reads a string. NULL is allowed only if NONE. */
static const char *
take_text(struct taker *taker, bool none)
{
    uint32_t number = mp_cursor_below(&taker->from, taker->n_strings + 1);

    if (number > 0)
        return taker->strings[number - 1];
    if (!none)
        mp_cursor_fail(&taker->from, MP_ERR_DAMAGED, "no string");
    return none ? NULL : "";
}

/* Reads the name of a type, whose length is limited. */
static const char *
take_name(struct taker *taker)
{
    const char *name = take_text(taker, false);

    if (strlen(name) <= MP_TEXT_MAX)
        return name;
    mp_cursor_fail(&taker->from, MP_ERR_DAMAGED, "long name");
    return "";
}

static void
take_known(struct taker *taker)
{
    struct mp_known_function known = { .key = take_text(taker, false), .name = take_text(taker, false) };
    uint32_t flags;

    known.full = take_text(taker, true);
    known.alias = take_text(taker, true);
    known.file = take_text(taker, false);
    known.start = mp_cursor_varint(&taker->from);
    flags = mp_cursor_below(&taker->from, 4);
    known.declared = (flags & 1) != 0;
    known.mentions_read = (flags & 2) != 0;
    known.n_mentions = mp_cursor_count(&taker->from, 2);
    known.mentions = mp_arena_alloc(taker->answers->arena,
                                    (known.n_mentions + (size_t)1) * sizeof *known.mentions);
    for (uint32_t i = 0; i < known.n_mentions; i++) {
        known.mentions[i].name = take_name(taker);
        known.mentions[i].size = mp_cursor_below(&taker->from, MP_BIN_LARGE);
    }
    mp_known_add(taker->answers, &known);
}

static void
take_answer(struct taker *taker)
{
    uint64_t address = mp_cursor_varint(&taker->from), start = mp_cursor_varint(&taker->from);
    struct mp_answer *answer = mp_answer_add(taker->answers, address);

    answer->start = start == 0 ? MP_NO_START : start - 1;
    answer->file = take_text(taker, false);
    answer->line = mp_cursor_varint32(&taker->from);
    answer->count = mp_cursor_count(&taker->from, 3);
    for (uint32_t i = 0; i < answer->count; i++) {
        struct mp_place place = { .known = mp_cursor_below(&taker->from,
                                                           taker->answers->n_knowns) };

        place.file = take_text(taker, false);
        place.line = mp_cursor_varint32(&taker->from);
        mp_place_add(taker->answers, &place);
    }
}

static void
take_catalog(struct taker *taker)
{
    struct mp_catalog *catalog = &taker->answers->catalog;
    const uint32_t flags = mp_cursor_below(&taker->from, 4);
    uint32_t n = mp_cursor_count(&taker->from, 1);

    catalog->whole = (flags & 1) != 0;
    catalog->has_first = (flags & 2) != 0;
    for (uint32_t i = 0; i < n; i++)
        mp_catalog_ask(taker->answers, take_name(taker));
    catalog->n_known = mp_cursor_below(&taker->from, catalog->names.count + 1);
    n = mp_cursor_count(&taker->from, 2);
    for (uint32_t i = 0; i < n; i++) {
        const char *name = take_name(taker);

        mp_catalog_add(taker->answers, name, mp_cursor_below(&taker->from, MP_BIN_LARGE));
    }
}

static void
take_all(struct taker *taker)
{
    uint32_t n;

    take_strings(taker);
    n = mp_cursor_count(&taker->from, 8);
    for (uint32_t i = 0; i < n; i++)
        take_known(taker);
    n = mp_cursor_count(&taker->from, 5);
    for (uint32_t i = 0; i < n && taker->from.problem == NULL; i++)
        take_answer(taker);
    take_catalog(taker);
    if (mp_cursor_left(&taker->from) > 0)
        mp_cursor_fail(&taker->from, MP_ERR_DAMAGED, "more bytes");
}

bool
mp_stored_read(struct mp_answers *answers, const uint8_t *bytes, size_t size)
{
    struct taker taker = { .answers = answers };
    const uint8_t *start;

    if (size < HEAD_SIZE)
        return false;
    mp_cursor_init(&taker.from, bytes, size, 0);
    start = mp_cursor_bytes(&taker.from, sizeof magic);
    if (start == NULL || memcmp(start, magic, sizeof magic) != 0 ||
        mp_cursor_u32(&taker.from) != MP_STORED_VERSION ||
        mp_cursor_u32(&taker.from) != (uint32_t)crc32_z(0, bytes + HEAD_SIZE, size - HEAD_SIZE))
        return false;
    take_all(&taker);
    if (taker.from.problem == NULL)
        return true;
    mp_answers_init(answers, answers->arena);
    return false;
}
