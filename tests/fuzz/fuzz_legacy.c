/* Fuzzes the importer of heap profiles as text. */
#include "fuzz.h"

#include <stdlib.h>

#include "reporter/import/import_formats.h"
#include "reporter/read/reader.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = fuzz_copy(data, size);
    struct mp_error error = {0};
    struct mp_profile *profile = NULL;

    if (mp_is_legacy(copy, size)) {
        profile = mp_read_bytes(copy, size, "fuzz", &error);
        if (!profile && error.code == MP_ERR_NONE)
            abort();
    }
    free(copy);
    if (profile)
        fuzz_show(profile, FUZZ_ALL);
    return 0;
}
