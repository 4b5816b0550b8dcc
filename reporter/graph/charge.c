/* SPDX-License-Identifier: MIT */
#include "charge.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/search.h"
#include "reporter/profile/lifetimes.h"
#include "reporter/view/startup_frames.h"

bool
mp_charge_is_users(const struct mp_profile *profile, const struct mp_frame *frame)
{
    const struct mp_name *name = mp_frame_name(profile, frame);

    return frame->mark == 0 && frame->n_locations > 0 &&
           (frame->interpreted || !name || !name->builtin);
}

/* Returns, for each context, the innermost function at or outside of it that is to be charged, or MP_NO_ID. */
static uint32_t *
find_users(const struct mp_profile *profile, struct mp_arena *arena)
{
    const bool *start_up = mp_startup_contexts(profile, arena);
    uint32_t *users = mp_arena_alloc(arena, profile->n_contexts * sizeof *users);

    users[0] = MP_NO_ID;
    for (uint32_t i = 1; i < profile->n_contexts; i++) {
        const struct mp_frame *frame = &profile->frames[profile->contexts[i].frame];

        if (!start_up[i] && mp_charge_is_users(profile, frame))
            users[i] = profile->locations[frame->first_location].function;
        else
            users[i] = users[profile->contexts[i].parent];
    }
    return users;
}

static uint32_t
innermost(const struct mp_profile *profile, uint32_t context)
{
    uint32_t frame = profile->contexts[context].frame;

    return profile->locations[profile->frames[frame].first_location].function;
}

struct sorting {
    const struct mp_profile *profile;
    enum mp_sort sort;
};

static int
compare_charges(const void *a, const void *b, void *data)
{
    const struct sorting *sorting = data;
    const struct mp_charge *x = a, *y = b;
    uint64_t left = mp_counts_key(&x->counts, sorting->sort);
    uint64_t right = mp_counts_key(&y->counts, sorting->sort);
    int order;

    if (left != right)
        return mp_order(right, left);
    order = strcmp(sorting->profile->functions[x->function].text,
                   sorting->profile->functions[y->function].text);
    if (order != 0 || x->function == y->function)
        return order ? order : mp_order(x->kind, y->kind);
    return x->function < y->function ? -1 : 1;
}

/* The charges while they are being collected. */
struct ledger {
    struct mp_charges charges;
    struct mp_map places;       /* index in the list, by function and kind */
    uint32_t room;
    struct mp_arena *arena;
};

static struct mp_charge *
charge_of(struct ledger *ledger, uint32_t function, uint32_t kind)
{
    struct mp_charges *charges = &ledger->charges;
    uint32_t place = mp_map_add_u64(&ledger->places, (uint64_t)function << 32 | kind);

    if (place == charges->n) {
        charges->list = mp_arena_grow(ledger->arena, charges->list, place, &ledger->room,
                                      sizeof *charges->list);
        charges->list[charges->n++] = (struct mp_charge){.function = function, .kind = kind};
    }
    return &charges->list[place];
}

static void
collect(struct ledger *ledger, const struct mp_profile *profile,
        const struct mp_charge_options *options)
{
    const uint32_t *users = options->raw ? NULL : find_users(profile, ledger->arena);

    for (uint32_t i = 1; i < profile->n_contexts && options->callers; i++)
        if (!users || users[i] != MP_NO_ID)
            charge_of(ledger, users ? users[i] : innermost(profile, i), 0);
    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_cell *cell = &profile->cells[i];
        uint32_t function = users ? users[cell->context] : MP_NO_ID;
        struct mp_charge *charge;

        if (cell->context == 0 || !mp_basic_any(&cell->counts))
            continue;
        if (function == MP_NO_ID)
            function = innermost(profile, cell->context);
        charge = charge_of(ledger, function, options->by_kind ? cell->kind : 0);
        mp_counts_add_cell(&charge->counts, cell);
        charge->short_bytes = mp_plus(charge->short_bytes, mp_lifetimes_short(mp_cell_lifetimes(cell)).bytes);
        mp_counts_add_cell(&ledger->charges.total, cell);
    }
}

struct mp_charges
mp_charge(const struct mp_profile *profile, const struct mp_charge_options *options,
          struct mp_arena *arena)
{
    struct sorting sorting = {.profile = profile, .sort = options->sort};
    struct ledger ledger = {.arena = arena, .places.arena = arena};

    collect(&ledger, profile, options);
    if (ledger.charges.n > 0)
        qsort_r(ledger.charges.list, ledger.charges.n, sizeof *ledger.charges.list,
                compare_charges, &sorting);
    return ledger.charges;
}
