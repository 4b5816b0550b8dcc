#include "tests/unit/tap.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "reporter/base/buffer.h"
#include "reporter/file/archive.h"
#include "reporter/file/sealed_parts.h"
#include "tests/unit/profile_checks.h"
#include "tests/unit/seal_fixture.h"

#define N 3u                    /* recordings in the archive */

static struct mp_error problem;

/* Returns N recordings of the widgets, one after the other, and their size in *SIZE. */
static struct mp_buffer
archive_of_widgets(size_t *size)
{
    struct mp_buffer content = {0}, all = {0};

    mp_sealed_encode(widgets(), &content);
    for (unsigned i = 0; i < N; i++) {
        const size_t start = all.size;

        mp_buffer_bytes(&all, MP_SEALED_MAGIC, 8);
        mp_buffer_u32(&all, MP_SEALED_VERSION);
        mp_buffer_u32(&all, 0);
        mp_buffer_u64(&all, content.size);
        mp_buffer_u64(&all, content.size);
        mp_buffer_bytes(&all, content.bytes, content.size);
        mp_buffer_u32(&all, (uint32_t)crc32_z(0, all.bytes + start, all.size - start));
        *size = all.size - start;
    }
    mp_buffer_free(&content);
    tap_keep(all.bytes, free);
    return all;
}

/* Opens the archive in the SIZE BYTES. The caller closes it. Returns false if the bytes are no valid archive. */
static bool
open_bytes(struct mp_archive *archive, struct mp_input *input, const uint8_t *bytes, size_t size)
{
    problem.code = MP_ERR_NONE;
    *input = (struct mp_input){.name = "x.data", .bytes = bytes, .fd = -1, .size = size};
    return mp_archive_open(archive, input, &problem);
}

/* Returns how many recordings in SIZE BYTES can be read. Reads a copy, so that a sanitizer finds each access beyond the
 * end. */
static unsigned
readable(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size + 1);
    struct mp_archive archive;
    struct mp_input input;
    unsigned n = 0;

    memcpy(copy, bytes, size);
    if (open_bytes(&archive, &input, copy, size)) {
        for (uint32_t i = 0; i < archive.n; i++) {
            struct mp_profile *profile = mp_archive_read(&archive, i, &problem);

            n += profile != NULL;
            if (profile)
                assert_valid(profile);
            mp_profile_free(profile);
        }
        mp_archive_close(&archive);
    }
    free(copy);
    return n;
}

TEST(all_recordings_are_found)
{
    size_t size;
    const struct mp_buffer all = archive_of_widgets(&size);
    struct mp_archive archive;
    struct mp_input input;

    ck_assert(open_bytes(&archive, &input, all.bytes, all.size));
    ck_assert_uint_eq(archive.n, N);
    ck_assert(!archive.cut);
    for (unsigned i = 0; i < N; i++)
        ck_assert_uint_eq(archive.ends[i], (i + 1) * size);
    mp_archive_close(&archive);
    ck_assert_uint_eq(readable(all.bytes, all.size), N);
}

TEST(wherever_the_file_ends_the_recordings_before_are_there)
{
    size_t size;
    const struct mp_buffer all = archive_of_widgets(&size);

    for (size_t cut = 0; cut <= all.size; cut += cut % size < 64 || cut % size > size - 8 ? 1 : 7) {
        struct mp_archive archive;
        struct mp_input input;

        ck_assert(open_bytes(&archive, &input, all.bytes, cut));
        ck_assert_uint_eq(archive.n, cut / size);
        ck_assert_int_eq(archive.cut, cut % size > 0);
        mp_archive_close(&archive);
    }
    ck_assert_uint_eq(readable(all.bytes, all.size - 1), N - 1);
}

TEST(a_changed_byte_harms_one_recording_or_is_an_error)
{
    size_t size;
    const struct mp_buffer all = archive_of_widgets(&size);

    for (size_t i = 0; i < size; i += i < 64 ? 1 : 13) {
        all.bytes[size + i] ^= 0x81;
        if (i < 24 || i >= MP_SEALED_HEADER_SIZE)       /* unless the size changed, the next recording is found */
            ck_assert_uint_eq(readable(all.bytes, all.size), i < 8 ? 0 : N - 1);
        else
            ck_assert_uint_le(readable(all.bytes, all.size), N - 1);
        all.bytes[size + i] ^= 0x81;
    }
}

TEST(what_is_no_recording_is_none_or_an_error)
{
    size_t size;
    struct mp_buffer all = archive_of_widgets(&size);
    struct mp_archive archive;
    struct mp_input input;

    ck_assert(open_bytes(&archive, &input, (const uint8_t *)"heaptrack", 9));
    ck_assert_uint_eq(archive.n, 0);
    ck_assert(!archive.cut);
    all.bytes[size] = 'x';
    ck_assert(!open_bytes(&archive, &input, all.bytes, all.size));
    ck_assert_int_eq(problem.code, MP_ERR_DAMAGED);
    ck_assert_uint_eq(problem.offset, size);
}
/* SPDX-License-Identifier: MIT */
