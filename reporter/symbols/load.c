/* SPDX-License-Identifier: MIT */
#include "load.h"

#include "reporter/base/progress.h"
#include "reporter/file/reader.h"
#include "symbols.h"

bool
mp_load_names(struct mp_profile *profile, struct mp_error *error)
{
    const struct mp_symbol_options options = {.cache = true, .progress = mp_progress};
    bool ok;

    mp_progress_begin("reading symbols");
    ok = mp_symbolise(profile, &options, error);
    mp_progress_end();
    return ok;
}

struct mp_profile *
mp_load(const char *path, struct mp_error *error)
{
    struct mp_profile *profile = mp_read(path, error);

    if (profile && !mp_load_names(profile, error)) {
        mp_profile_free(profile);
        return NULL;
    }
    return profile;
}
