#include "language.h"

#include <string.h>

#include "runtime/store/store.h"

const struct mp_language *mp_language;

void
mp_language_rename(struct mp_live_header *header)
{
    header->language = mp_store_string(mp_language->name, strlen(mp_language->name));
}

void
mp_language_note(struct mp_live_header *header)
{
    if (!mp_language)
        return;
    mp_language_rename(header);
    header->heap_before = header->heap_now = mp_language->allocated();
}
