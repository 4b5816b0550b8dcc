/* SPDX-License-Identifier: MIT */
#include "archive.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/cursor.h"
#include "sealed_parts.h"

#define STORED_AT (MP_SEALED_HEADER_SIZE - 8u)  /* offset of the content's size as it is stored */

/* Returns whether a recording begins at OFFSET, and sets *END to its end, which may be behind that of INPUT. Sets *END
 * to 0 if the header is incomplete. */
static bool
begins(const struct mp_input *input, uint64_t offset, uint64_t *end)
{
    const uint64_t left = input->size - offset;
    uint8_t head[MP_SEALED_HEADER_SIZE] = {0};
    const size_t size = left < sizeof head ? (size_t)left : sizeof head;
    const size_t magic = size < sizeof MP_SEALED_MAGIC - 1 ? size : sizeof MP_SEALED_MAGIC - 1;
    struct mp_error ignored;
    struct mp_cursor from;
    uint64_t stored;

    *end = 0;
    if (!mp_input_read(input, offset, head, size, &ignored) || memcmp(head, MP_SEALED_MAGIC, magic) != 0)
        return false;
    mp_cursor_init(&from, head, sizeof head, 0);
    mp_cursor_bytes(&from, STORED_AT);
    stored = mp_cursor_u64(&from);
    if (size == sizeof head && stored <= MP_SEALED_MAX_CONTENT)
        *end = offset + MP_SEALED_HEADER_SIZE + stored + MP_SEALED_CRC_SIZE;
    return true;
}

bool
mp_archive_open(struct mp_archive *archive, struct mp_input *input, struct mp_error *error)
{
    uint64_t at = 0, end;
    uint32_t room = 0;

    *archive = (struct mp_archive){.input = input};
    while (at < input->size) {
        if (!begins(input, at, &end)) {
            if (archive->n == 0)
                return true;
            mp_archive_close(archive);
            return mp_fail(error, MP_ERR_DAMAGED, at, "%s: something follows the end", input->name);
        }
        archive->cut = end == 0 || end > input->size;
        if (archive->cut)
            break;
        archive->ends = mp_grow(archive->ends, archive->n, &room, sizeof *archive->ends);
        archive->ends[archive->n++] = at = end;
    }
    return true;
}

void
mp_archive_close(struct mp_archive *archive)
{
    free(archive->ends);
    archive->ends = NULL;
    archive->n = 0;
}

struct mp_profile *
mp_archive_read(const struct mp_archive *archive, uint32_t i, struct mp_error *error)
{
    const uint64_t start = i > 0 ? archive->ends[i - 1] : 0;
    struct mp_input part = *archive->input;

    part.start += start;
    part.bytes = part.bytes ? part.bytes + start : NULL;
    part.size = archive->ends[i] - start;
    return mp_read_sealed(&part, error);
}
