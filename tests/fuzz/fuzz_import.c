/* Fuzzes the importers of other tools' files. An input is a whole file, compressed or not. */
#include "fuzz.h"

#include <stdlib.h>

#include "reporter/file/reader.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mp_error error = {0};
    uint8_t *copy = fuzz_copy(data, size);
    struct mp_profile *profile = mp_read_bytes(copy, size, "fuzz", &error);

    free(copy);
    if (profile)
        fuzz_show(profile, FUZZ_ALL);
    else if (error.code == MP_ERR_NONE)
        abort();
    return 0;
}
/* SPDX-License-Identifier: MIT */
