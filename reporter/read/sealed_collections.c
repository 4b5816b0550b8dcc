/* sealed_collections.c -- the section of garbage collections. */
#include "reporter/profile/collections.h"
#include "sealed_parts.h"

#define LEAST_BYTES 7u          /* minimum size of a collection in bytes, one in each column */

static const char overflow[] = "figures of collections that overflow";

void
mp_code_collections(struct mp_codec *codec)
{
    struct mp_profile *profile = codec->profile;
    struct mp_collections *all = profile->collections;
    struct mp_collection *list;
    uint64_t time = 0, allocated = 0;

    if (!codec->from && !all)
        return;
    all = mp_code_array(codec, all, 1, sizeof *all);
    mp_code_count(codec, &all->n, LEAST_BYTES);
    list = all->list = mp_code_array(codec, all->list, all->n, sizeof *list);
    mp_code_u32(codec, &all->divisor);
    mp_code_bool(codec, &all->incremental);
    for (uint32_t i = 0; i < all->n; i++)
        mp_code_rise(codec, &list[i].time, &time, UINT64_MAX, overflow);
    for (uint32_t i = 0; i < all->n; i++) {
        uint32_t number = list[i].number - 1;

        mp_code_below(codec, &number, UINT32_MAX);
        list[i].number = number + 1;
    }
    for (uint32_t i = 0; i < all->n; i++)
        mp_code_u64(codec, &list[i].pause);
    for (uint32_t i = 0; i < all->n; i++)
        mp_code_u64(codec, &list[i].before);
    for (uint32_t i = 0; i < all->n; i++)
        mp_code_u64(codec, &list[i].after);
    for (uint32_t i = 0; i < all->n; i++)
        mp_code_difference(codec, &list[i].heap_size, i > 0 ? list[i - 1].heap_size : 0);
    for (uint32_t i = 0; i < all->n; i++)
        mp_code_rise(codec, &list[i].allocated, &allocated, UINT64_MAX, overflow);
    if (codec->from)
        profile->collections = all->n > 0 ? all : NULL;
}
