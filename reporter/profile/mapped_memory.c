/* SPDX-License-Identifier: MIT */
#include "mapped_memory.h"

const char *
mp_mapped_kind_name(uint32_t kind)
{
    static const char *const names[MP_MAPPED_KINDS] = {
        [MP_MAPPED_PRIVATE] = "private", [MP_MAPPED_SHARED] = "shared", [MP_MAPPED_FILE] = "file",
        [MP_MAPPED_BREAK] = "break", [MP_MAPPED_OTHER] = "other"};

    return kind < MP_MAPPED_KINDS && names[kind] ? names[kind] : "other";
}
