/* SPDX-License-Identifier: MIT */
#include "export_formats.h"

bool
mp_export_sqlite(const struct mp_export *export, bool *added, struct mp_error *error)
{
    *added = false;
    return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: this mprof was built without SQLite",
                   export->output);
}
