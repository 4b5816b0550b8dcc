/* SPDX-License-Identifier: MIT */
#include "language.h"

#include <string.h>

#include "runtime/store/store.h"
#include "runtime/system/gate.h"

const struct mp_language *mp_language;
const char *mp_language_unrecorded;

void
mp_language_rename(struct mp_live_header *header)
{
    MP_LOCK_HELD();
    const char *name = mp_language ? mp_language->name : mp_language_unrecorded;

    if (name)
        header->language = mp_store_string(name, strlen(name));
}

void
mp_language_note(struct mp_live_header *header)
{
    MP_LOCK_HELD();
    if (mp_language && header->sample_period > 0)
        __atomic_store_n(&header->version, MP_LIVE_VERSION_OBJECTS, __ATOMIC_RELEASE);
    mp_language_rename(header);
    if (mp_language)
        header->heap_before = header->heap_now = mp_language->allocated();
}
