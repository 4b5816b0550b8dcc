/* SPDX-License-Identifier: MIT */
#include "missing.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ending.h"
#include "reporter/base/format_number.h"
#include "reporter/base/search.h"

const struct mp_missing_fact mp_missing_facts[MP_MISS_KINDS] = {
    {MP_MISS_OPERATOR_NEW, "operator_new", .calls = "calls of operator new of the program's allocator"},
    {MP_MISS_MALLOC, "malloc", .calls = "calls of malloc that reach the program's own"},
    {MP_MISS_LIBRARY, "library", .calls = "calls of malloc in a library with a scope of its own"},
    {MP_MISS_DROPPED, "dropped", .label = "Dropped records", .text = "",
     .one = "allocation was not recorded", .many = "allocations were not recorded"},
    {MP_MISS_FOREIGN_FREE, "foreign_frees",
     .label = "Foreign frees", .text = "of blocks from before or outside the recording"},
    {MP_MISS_UNKNOWN_FREE, "unknown_frees",
     .one = "freed block was never seen", .many = "freed blocks were never seen"},
    {MP_MISS_UNSEEN_FREE, "unseen_frees",
     .label = "Unseen frees", .text = "of blocks that were allocated again, or not to be recorded",
     .one = "block counts as kept whose free was not seen", .many = "blocks count as kept whose frees were not seen"},
    {MP_MISS_FOLDED, "folded"},
};

const char *
mp_missing_text(enum mp_missing kind, uint64_t n, char out[static MP_MISSING_SIZE])
{
    const struct mp_missing_fact *fact = mp_missing_facts;
    char number[MP_NUMBER_SIZE];

    while (fact->kind != kind)
        fact++;
    if (fact->calls)
        snprintf(out, MP_MISSING_SIZE, "%s are not seen", fact->calls);
    else if (fact->one)
        snprintf(out, MP_MISSING_SIZE, "%s %s", mp_number_grouped(n, number), n == 1 ? fact->one : fact->many);
    else
        return NULL;
    return out;
}

const char *
mp_missing_why(const struct mp_meta *meta, struct mp_arena *arena)
{
    const uint64_t dropped = meta->missing[MP_MISS_DROPPED];
    char ending[MP_ENDING_SIZE], clause[MP_MISSING_SIZE];
    const char *why = NULL;

    if (meta->ending == MP_END_SIGNAL || meta->ending == MP_END_KILLED || meta->ending == MP_END_FULL)
        why = mp_arena_strdup(arena, mp_ending_text(meta, ending));
    if (meta->damaged)
        why = mp_arena_printf(arena, "%s%sits data file is damaged", why ? why : "", why ? "; " : "");
    if (dropped > 0)
        why = mp_arena_printf(arena, "%s%s%s", why ? why : "", why ? "; " : "",
                              mp_missing_text(MP_MISS_DROPPED, dropped, clause));
    return why;
}

const char *
mp_missing_no_file(uint32_t number, char out[static MP_WHY_SIZE])
{
    const char *text = number < 4096 ? strerrordesc_np((int)number) : NULL;

    if (number == ENOMEM)
        snprintf(out, MP_WHY_SIZE, "had no memory for its recording");
    else
        snprintf(out, MP_WHY_SIZE, "could not create its data file: %s", text ? text : "unknown error");
    return out;
}

/* Searches the N entries of LIST for one with the program and the reason of LIKE. Returns its index, or N if no entry
 * has them. */
static uint32_t
find_like(const struct mp_unrecorded list[], uint32_t n, const struct mp_unrecorded *like)
{
    uint32_t i = 0;

    while (i < n && (strcmp(list[i].program, like->program) != 0 || strcmp(list[i].why, like->why) != 0))
        i++;
    return i;
}

void
mp_unrecorded_add(struct mp_unrecorded_list *to, const struct mp_unrecorded_list *more, struct mp_arena *arena)
{
    struct mp_unrecorded *list;
    uint32_t n = to->n;

    if (more->n == 0)
        return;
    list = mp_arena_alloc(arena, ((size_t)n + more->n) * sizeof *list);
    for (uint32_t i = 0; i < n; i++)
        list[i] = to->list[i];
    for (uint32_t i = 0; i < more->n; i++) {
        const uint32_t at = find_like(list, n, &more->list[i]);

        if (at == n)
            list[n++] = (struct mp_unrecorded){mp_arena_strdup(arena, more->list[i].program),
                                               mp_arena_strdup(arena, more->list[i].why), more->list[i].n};
        else
            list[at].n = mp_plus(list[at].n, more->list[i].n);
    }
    *to = (struct mp_unrecorded_list){list, n};
}

uint64_t
mp_unrecorded_count(const struct mp_unrecorded_list *list)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < list->n; i++)
        n = mp_plus(n, list->list[i].n);
    return n;
}

unsigned
mp_missing_calls(const struct mp_meta *meta)
{
    unsigned n = 0;

    for (size_t i = 0; i < MP_MISS_KINDS; i++)
        n += mp_missing_facts[i].calls && meta->missing[mp_missing_facts[i].kind] > 0;
    return n;
}
