/* Fuzzes the reader of the symbol cache. An input is a file of the cache; its checksum is corrected, so that changes
 * get past it. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "reporter/symbols/cache.h"

enum { HEAD = 16 };

static void
put_checksum_right(uint8_t *bytes, size_t size)
{
    uint32_t crc = size < HEAD ? 0 : (uint32_t)crc32_z(0, bytes + HEAD, size - HEAD);

    for (unsigned i = 0; i < 4 && size >= HEAD; i++)
        bytes[HEAD - 4 + i] = (uint8_t)(crc >> 8 * i);
}

/* Checks that all references are valid, and that the result can be written and read again. */
static void
check(const struct mp_answers *answers)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_buffer buffer = { 0 };
    struct mp_answers again;
    size_t length = 0;

    for (uint32_t i = 0; i < answers->addresses.count; i++)
        for (uint32_t k = 0; k < answers->list[i].count; k++) {
            const struct mp_place *place = &answers->places[answers->list[i].first + k];

            length += strlen(answers->knowns[place->known].name) + strlen(place->file);
        }
    mp_stored_write(answers, &buffer);
    mp_answers_init(&again, arena);
    if (length == SIZE_MAX || !mp_stored_read(&again, buffer.bytes, buffer.size) ||
        again.addresses.count != answers->addresses.count ||
        again.catalog.map.count != answers->catalog.map.count ||
        again.catalog.names.count != answers->catalog.names.count ||
        again.catalog.n_known != answers->catalog.n_known)
        abort();
    mp_buffer_free(&buffer);
    mp_arena_free(arena);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mp_arena *arena = mp_arena_new();
    uint8_t *bytes = fuzz_copy(data, size);
    struct mp_answers answers;

    mp_answers_init(&answers, arena);
    put_checksum_right(bytes, size);
    if (mp_stored_read(&answers, bytes, size))
        check(&answers);
    mp_arena_free(arena);
    free(bytes);
    return 0;
}
/* SPDX-License-Identifier: MIT */
