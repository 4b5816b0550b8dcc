#include "charge.h"

#include <stdlib.h>
#include <string.h>

#include "startup.h"

static bool
is_users(const struct mp_profile *profile, const struct mp_frame *frame)
{
    const struct mp_name *name = mp_frame_name(profile, frame);

    return frame->mark == 0 && frame->n_locations > 0 &&
           (frame->interpreted || !name || !name->builtin);
}

/* By context: the innermost function from there outwards that is to be charged; MP_NO_ID: none. */
static uint32_t *
find_users(const struct mp_profile *profile, struct mp_arena *arena)
{
    const bool *start_up = mp_startup_contexts(profile, arena);
    uint32_t *users = mp_arena_alloc(arena, profile->n_contexts * sizeof *users);

    users[0] = MP_NO_ID;
    for (uint32_t i = 1; i < profile->n_contexts; i++) {
        const struct mp_frame *frame = &profile->frames[profile->contexts[i].frame];

        if (!start_up[i] && is_users(profile, frame))
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
    struct mp_print_options options;
};

static int
compare_charges(const void *a, const void *b, void *data)
{
    const struct sorting *sorting = data;
    const struct mp_charge *x = a, *y = b;
    uint64_t left = mp_print_key(&sorting->options, &x->counts);
    uint64_t right = mp_print_key(&sorting->options, &y->counts);
    int order;

    if (left != right)
        return left < right ? 1 : -1;
    order = strcmp(sorting->profile->functions[x->function].name,
                   sorting->profile->functions[y->function].name);
    if (order != 0 || x->function == y->function)
        return order ? order : (x->kind > y->kind) - (x->kind < y->kind);
    return x->function < y->function ? -1 : 1;
}

/* Charges while they are collected: `slots` has places in the list, plus 1, by function and kind;
 * at most half of them are in use. */
struct ledger {
    struct mp_charges charges;
    uint32_t *slots, room;
    size_t mask;
    struct mp_arena *arena;
};

static size_t
hash(uint32_t function, uint32_t kind)
{
    uint64_t h = ((uint64_t)function << 32 | kind) * 0x9e3779b97f4a7c15u;

    return (size_t)(h ^ (h >> 32));
}

static void
put(struct ledger *ledger, uint32_t place)
{
    const struct mp_charge *charge = &ledger->charges.list[place];
    size_t slot = hash(charge->function, charge->kind) & ledger->mask;

    while (ledger->slots[slot])
        slot = (slot + 1) & ledger->mask;
    ledger->slots[slot] = place + 1;
}

static void
grow(struct ledger *ledger)
{
    struct mp_charge *list;

    ledger->room = ledger->room ? ledger->room * 2 : 64;
    ledger->mask = (size_t)ledger->room * 2 - 1;
    list = mp_arena_alloc(ledger->arena, ledger->room * sizeof *list);
    if (ledger->charges.n > 0)
        memcpy(list, ledger->charges.list, ledger->charges.n * sizeof *list);
    ledger->charges.list = list;
    ledger->slots = mp_arena_alloc(ledger->arena, (ledger->mask + 1) * sizeof *ledger->slots);
    for (uint32_t i = 0; i < ledger->charges.n; i++)
        put(ledger, i);
}

static struct mp_charge *
charge_of(struct ledger *ledger, uint32_t function, uint32_t kind)
{
    struct mp_charges *charges = &ledger->charges;
    size_t slot;

    if (charges->n == ledger->room)
        grow(ledger);
    slot = hash(function, kind) & ledger->mask;
    for (; ledger->slots[slot]; slot = (slot + 1) & ledger->mask) {
        struct mp_charge *charge = &charges->list[ledger->slots[slot] - 1];

        if (charge->function == function && charge->kind == kind)
            return charge;
    }
    charges->list[charges->n] = (struct mp_charge){.function = function, .kind = kind};
    ledger->slots[slot] = charges->n + 1;
    return &charges->list[charges->n++];
}

static void
collect(struct ledger *ledger, const struct mp_profile *profile,
        const struct mp_charge_options *options)
{
    const uint32_t *users = options->raw ? NULL : find_users(profile, ledger->arena);

    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_cell *cell = &profile->cells[i];
        uint32_t function = users ? users[cell->context] : MP_NO_ID;

        if (cell->context == 0 || !mp_counts_any(&cell->counts))
            continue;
        if (function == MP_NO_ID)
            function = innermost(profile, cell->context);
        mp_counts_add(&charge_of(ledger, function, options->by_kind ? cell->kind : 0)->counts,
                      &cell->counts);
        mp_counts_add(&ledger->charges.total, &cell->counts);
    }
}

struct mp_charges
mp_charge(const struct mp_profile *profile, const struct mp_charge_options *options,
          struct mp_arena *arena)
{
    struct sorting sorting = {.profile = profile, .options = {.sort = options->sort}};
    struct ledger ledger = {.arena = arena};

    collect(&ledger, profile, options);
    if (ledger.charges.n > 0)
        qsort_r(ledger.charges.list, ledger.charges.n, sizeof *ledger.charges.list,
                compare_charges, &sorting);
    return ledger.charges;
}
