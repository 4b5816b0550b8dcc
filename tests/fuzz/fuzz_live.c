/*
 * Fuzzes the reader of live files. An input is a whole file; or, because most of such a file is zero, its size in
 * four bytes (little-endian) followed by pieces of 4 bytes for the offset and 16 bytes of content.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/file/reader.h"
#include "runtime/format.h"

#define MOST_SIZE (1u << 20)
#define PIECE 16u

static uint32_t
number(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Returns the file that the pieces describe, with its size in *SIZE. The caller frees it. */
static uint8_t *
assemble(const uint8_t *data, size_t *size)
{
    size_t left = *size - 4, room = number(data) % MOST_SIZE;
    uint8_t *file = calloc(1, room + (room == 0));

    if (!file)
        abort();
    for (data += 4; left >= 4 + PIECE; data += 4 + PIECE, left -= 4 + PIECE) {
        uint32_t place = number(data);

        if (place < room)
            memcpy(file + place, data + 4, room - place < PIECE ? room - place : PIECE);
    }
    *size = room;
    return file;
}

/* Clears the paths of modules, so that no file is opened. */
static void
forget_files(struct mp_profile *profile)
{
    for (uint32_t i = 0; i < profile->n_modules; i++)
        profile->modules[i].file = "";
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool whole = size < 8 || memcmp(data, MP_LIVE_MAGIC, 8) == 0;
    uint8_t *file = whole ? fuzz_copy(data, size) : assemble(data, &size);
    struct mp_error error = {0};
    struct mp_profile *profile = mp_read_bytes(file, size, "fuzz", &error);

    free(file);
    if (!profile) {
        if (error.code == MP_ERR_NONE)
            abort();
        return 0;
    }
    forget_files(profile);
    fuzz_show(profile, FUZZ_ALL);
    return 0;
}
/* SPDX-License-Identifier: MIT */
