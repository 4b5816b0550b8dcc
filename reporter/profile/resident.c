/* SPDX-License-Identifier: MIT */
#include "resident.h"

#include <stdlib.h>
#include <string.h>

#include "profile.h"
#include "reporter/base/format_number.h"
#include "reporter/base/search.h"
#include "reporter/base/text.h"

#define LEAST_PERMILLE 30u      /* smaller parts are summed up as other */

static void
free_items(struct mp_resident *account)
{
    for (uint32_t i = 0; i < account->n; i++)
        free((char *)(uintptr_t)account->items[i].name);
    free(account->items);
}

void
mp_resident_free(struct mp_resident *account)
{
    struct mp_resident *next = account->next;

    free_items(account);
    *account = (struct mp_resident){0};
    while (next) {
        struct mp_resident *this = next;

        next = this->next;
        free_items(this);
        free(this);
    }
}

struct mp_resident
mp_resident_copy(const struct mp_resident *account)
{
    struct mp_resident copy = *account;

    copy.next = NULL;
    copy.items = mp_need(calloc(account->n + (size_t)1, sizeof *copy.items));
    for (uint32_t i = 0; i < account->n; i++) {
        copy.items[i] = account->items[i];
        if (copy.items[i].name)
            copy.items[i].name = mp_need(strdup(copy.items[i].name));
    }
    return copy;
}

uint64_t
mp_resident_sum(const struct mp_resident *account, enum mp_resident_part part)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < account->n; i++)
        if (account->items[i].part == part)
            sum += account->items[i].bytes;
    return sum;
}

const char *
mp_resident_part_name(const struct mp_resident *account, uint32_t part)
{
    static const char *const names[MP_PARTS] = {
        [MP_PART_BLOCKS] = "blocks", [MP_PART_ALLOCATOR] = "free in allocator", [MP_PART_MAPPED] = "mapped",
        [MP_PART_FILES] = "files", [MP_PART_STACKS] = "stacks", [MP_PART_OWN] = "mprof", [MP_PART_OTHER] = "other"};

    return part == MP_PART_ALLOCATOR && !account->blocks_known ? "allocator" : names[part];
}

/* Returns whether MODULE is libc, which maps on behalf of its caller. */
static bool
is_libc(const struct mp_module *module)
{
    return strncmp(module->name, "libc.so", 7) == 0 || strncmp(module->name, "libc-", 5) == 0;
}

const char *
mp_mapping_owner(const struct mp_profile *profile, uint32_t index)
{
    const struct mp_mappings *mappings = profile->mappings;
    const struct mp_profile *of = mappings->of;

    for (uint32_t i = mappings->list[index].context; i != 0; i = of->contexts[i].parent) {
        const struct mp_frame *frame = &of->frames[of->contexts[i].frame];

        if (frame->mark == 0 && frame->module != MP_NO_ID && !is_libc(&of->modules[frame->module]))
            return of->modules[frame->module].name;
    }
    return "?";
}

/* ---------------------------------------------------------------- one line */

static int
compare(const void *a, const void *b)
{
    const struct mp_resident_share *left = a, *right = b;

    return left->bytes != right->bytes ? mp_order(right->bytes, left->bytes) : strcmp(left->text, right->text);
}

/* Adds BYTES to the share with TEXT, one of the N in LIST. */
static void
add(struct mp_resident_share *list, uint32_t *n, const char *text, uint64_t bytes)
{
    uint32_t i = 0;

    while (i < *n && strcmp(list[i].text, text) != 0)
        i++;
    if (i == *n)
        list[(*n)++] = (struct mp_resident_share){text, 0};
    list[i].bytes += bytes;
}

static const char *
text_of(const struct mp_profile *profile, const struct mp_resident *account, const struct mp_resident_item *item,
        struct mp_arena *arena)
{
    switch (item->part) {
    case MP_PART_BLOCKS:
        return "in blocks";
    case MP_PART_ALLOCATOR:
        return account->blocks_known ? "free inside the allocator" : "in the allocator, with all blocks";
    case MP_PART_MAPPED:
        return item->mapping > 0 ? mp_arena_printf(arena, "mapped by %s", mp_mapping_owner(profile, item->mapping - 1))
                                 : "mapped by the program";
    case MP_PART_FILES:
        return "of files and libraries";
    case MP_PART_STACKS:
        return "in stacks";
    case MP_PART_OWN:
        return "of mprof";
    default:
        return "other";
    }
}

const struct mp_resident_share *
mp_resident_shares(const struct mp_profile *profile, const struct mp_resident *account, struct mp_arena *arena,
                   uint32_t *n)
{
    struct mp_resident_share *list = mp_arena_alloc(arena, (account->n + (size_t)1) * sizeof *list);
    uint64_t other = 0;
    uint32_t all = 0, large = 0;

    for (uint32_t i = 0; i < account->n; i++)
        add(list, &all, text_of(profile, account, &account->items[i], arena), account->items[i].bytes);
    if (all > 0)
        qsort(list, all, sizeof *list, compare);
    for (uint32_t i = 0; i < all; i++) {
        if (strcmp(list[i].text, "other") == 0 || list[i].bytes / LEAST_PERMILLE < account->resident / 1000)
            other += list[i].bytes;
        else
            list[large++] = list[i];
    }
    list[large] = (struct mp_resident_share){"other", other};
    *n = large + 1;
    return list;
}

const char *
mp_resident_text(const struct mp_profile *profile, struct mp_arena *arena)
{
    uint32_t n;
    const struct mp_resident_share *list = mp_resident_shares(profile, profile->account, arena, &n);
    struct mp_text_stream text;
    FILE *out = mp_text_open(&text);
    const uint64_t all = profile->account->resident;
    char whole[MP_NUMBER_SIZE], number[MP_NUMBER_SIZE];

    fprintf(out, "%s", mp_number_bytes(all, whole));
    for (uint32_t i = 0; i < n; i++) {
        mp_number_bytes_like(list[i].bytes, all, number);
        if (strcmp(strchr(number, ' '), strchr(whole, ' ')) == 0)
            fprintf(out, "%s %s %s", i > 0 ? "," : ":", number, list[i].text);
    }
    return mp_text_close_in(&text, arena);
}
