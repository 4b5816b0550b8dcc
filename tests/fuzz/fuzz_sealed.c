/* Fuzzes the reader of sealed files. An input is a whole file; or, so that changes pass the checksum, one byte for
 * the version and the content as it is before compression. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "reporter/base/buffer.h"
#include "reporter/file/reader.h"
#include "reporter/unite/merge.h"
#include "runtime/format.h"

static void
wrap(struct mp_buffer *file, const uint8_t *data, size_t size)
{
    mp_buffer_bytes(file, MP_SEALED_MAGIC, 8);
    mp_buffer_u32(file, size > 0 ? data[0] : 1);
    mp_buffer_u32(file, 0);
    size -= size > 0;
    mp_buffer_u64(file, size);
    mp_buffer_u64(file, size);
    mp_buffer_bytes(file, data + 1, size);
    mp_buffer_u32(file, (uint32_t)crc32_z(0, file->bytes, file->size));
}

/* Merges PROFILE with itself. The second mp_merge_add() fails if the recording is recognised by the time of its
 * start; then PROFILE is merged alone. */
static void
merge(const struct mp_profile *profile)
{
    static const struct mp_merge_options usual;
    struct mp_merge *merge = mp_merge_new(&usual);
    struct mp_error error = {0};
    struct mp_profile *merged = NULL;

    mp_merge_add(merge, profile, "fuzz", NULL, &error);
    mp_merge_add(merge, profile, "fuzz", NULL, &error);
    if (mp_merge_count(merge) > 0)
        merged = mp_merge_finish(merge, 0, &error);
    if (merged)
        fuzz_show(merged, FUZZ_ALL);            /* which is freed */
    else if (error.code == MP_ERR_NONE)
        abort();
    mp_merge_free(merge);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mp_buffer file = {0};
    struct mp_error error = {0};
    struct mp_profile *profile;
    uint8_t *copy;

    if (size >= 8 && memcmp(data, MP_SEALED_MAGIC, 8) == 0)
        mp_buffer_bytes(&file, data, size);
    else
        wrap(&file, data, size);
    copy = fuzz_copy(file.bytes, file.size);
    profile = mp_read_bytes(copy, file.size, "fuzz", &error);
    free(copy);
    mp_buffer_free(&file);
    if (profile)
        merge(profile);
    if (profile)
        fuzz_show(profile, FUZZ_ALL);
    else if (error.code == MP_ERR_NONE)
        abort();
    return 0;
}
/* SPDX-License-Identifier: MIT */
