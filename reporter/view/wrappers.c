/* SPDX-License-Identifier: MIT */
#include "wrappers.h"

#include <string.h>

#include "startup_frames.h"

/* A function is a wrapper if it has so many callers, each with at least this part of its blocks or bytes, and if the
 * largest of their mean sizes is so many times the smallest. */
static const struct spread_limit {
    uint32_t callers, ratio;
    uint32_t permille;
    bool near;                  /* only its own callers count, not those further out */
} spread_limits[] = {
    {.callers = 5, .ratio = 4},
    {.callers = 3, .ratio = 64, .near = true},
    {.callers = 2, .ratio = 16, .permille = 50, .near = true},
};
/* The same for the calls in a few callers. */
static const struct spread_limit call_limits[] = {
    {.callers = 3, .ratio = 16},
    {.callers = 2, .ratio = 64, .permille = 50},
};
#define N_LIMITS(limits) (sizeof (limits) / sizeof *(limits))

#define OWN_CALLS       2u      /* places in which a function allocates that may pass on what a call of it asks for */

#define LEVELS          4u      /* how far out the callers may be: 1 is a caller, 2 the caller of a caller ... */
#define FEW_CALLERS     3u      /* callers further out are considered if there are at most so many nearer ones ... */
#define FEW_PERMILLE    10u     /* ... that have at least this part of the blocks or bytes */
#define CANDIDATE       10u     /* per mille of all bytes, blocks or bytes at the peak that a wrapper has at least */
#define OTHERS          100u    /* per mille of its blocks and bytes that its callees may allocate themselves */
#define ONE_SIZE        900u    /* per mille of the blocks that have one size */
#define ROUNDS          12u     /* wrappers of wrappers of wrappers ... */
#define STEPS           256u    /* callers that are looked at for one level; more are recursion */

struct sum {
    uint64_t allocs, bytes, peak;
};

/* A caller's part of what a function allocates. */
struct caller {
    uint32_t id;                /* function, or frame with the call */
    struct sum sum;
};

struct finder {
    const struct mp_profile *profile;
    bool *passed;               /* by function: whether its allocations count for its callers */
    const bool *starts;         /* whether the context with this id is start-up code */
    const struct mp_skip_place *places; /* by context: where its allocations count; NULL if always there */
    struct sum *sums;           /* by function: what counts for it */
    struct sum *others;         /* by candidate function: what counts for it and for the functions that it calls */
    uint32_t *first, *next;     /* by function, its first cell; by cell, the next one of the function; or MP_NO_ID */
    uint32_t *candidates;       /* functions that have enough to be wrappers */
    struct caller *callers;     uint32_t n_callers;     /* of the function and level that is examined */
    uint32_t *caller_of;        /* by id of a caller: 1 + its index in callers, or 0 */
    struct sum all;
    struct mp_arena *arena;     /* scratch */
};

/* ---------------------------------------------------------------- places */

/* Returns the number of functions of FRAME that FUNCTIONS skips, from the innermost outwards. */
static uint32_t
count_skipped(const struct mp_profile *profile, const struct mp_frame *frame, const bool *functions)
{
    uint32_t n = 0;

    while (frame->mark == 0 && n < frame->n_locations &&
           functions[profile->locations[frame->first_location + n].function])
        n++;
    return n;
}

/* Callers come before their callees. If all callers are start-up code or unknown, the outermost function is kept,
 * because they have not requested the allocation. */
struct mp_skip_place *
mp_skip_places(const struct mp_profile *profile, const bool *functions, struct mp_arena *arena)
{
    uint32_t *skipped = mp_arena_alloc(arena, profile->n_frames * sizeof *skipped);
    struct mp_skip_place *places;
    const bool *starts;
    bool any = false;

    for (uint32_t i = 0; i < profile->n_frames; i++) {
        skipped[i] = count_skipped(profile, &profile->frames[i], functions);
        any |= skipped[i] > 0;
    }
    if (!any)
        return NULL;
    places = mp_arena_alloc(arena, profile->n_contexts * sizeof *places);
    starts = mp_startup_contexts(profile, arena);
    for (uint32_t i = 1; i < profile->n_contexts; i++) {
        const struct mp_context *context = &profile->contexts[i];
        const uint32_t parent = context->parent, n = skipped[context->frame];

        places[i] = (struct mp_skip_place){i, n};
        if (n == 0 || n < profile->frames[context->frame].n_locations)
            continue;
        if (starts[parent] || profile->frames[profile->contexts[parent].frame].mark != 0)
            places[i].skipped = n - 1;
        else
            places[i] = places[parent];
    }
    return places;
}

/* ---------------------------------------------------------------- chains */

/* A function on a chain: a location of a context's frame, counted from the innermost. */
struct position {
    uint32_t context, location;
};

static const struct mp_frame *
frame_of(const struct finder *f, uint32_t context)
{
    return &f->profile->frames[f->profile->contexts[context].frame];
}

static uint32_t
function_at(const struct finder *f, struct position at)
{
    return f->profile->locations[frame_of(f, at.context)->first_location + at.location].function;
}

/* Returns where the allocations of CELL count. */
static struct mp_skip_place
place_of(const struct finder *f, const struct mp_cell *cell)
{
    return f->places ? f->places[cell->context] : (struct mp_skip_place){.context = cell->context};
}

/* Returns whether CONTEXT has functions that can be callers. */
static bool
has_functions(const struct finder *f, uint32_t context)
{
    return !f->starts[context] && frame_of(f, context)->mark == 0;
}

/* Moves *AT to the caller. Returns false if there is none. */
static bool
move_outwards(const struct finder *f, struct position *at)
{
    if (at->location + 1 < mp_frame_locations(frame_of(f, at->context))) {
        at->location++;
        return true;
    }
    *at = (struct position){.context = f->profile->contexts[at->context].parent};
    return has_functions(f, at->context);
}

/* Returns the LEVELth different function that leads to PLACE, or MP_NO_ID. If LEVEL is 0, returns the frame of the
 * first such function, which contains the call. */
static uint32_t
outer_function(const struct finder *f, struct mp_skip_place place, uint32_t level)
{
    struct position at = {place.context, place.skipped};
    struct mp_outwards seen = {.n = 0};

    mp_outwards_add(&seen, function_at(f, at));
    for (unsigned step = 0; step < STEPS && move_outwards(f, &at); step++)
        if (mp_outwards_add(&seen, function_at(f, at)) > (level > 0 ? level : 1))
            return level > 0 ? function_at(f, at) : f->profile->contexts[at.context].frame;
    return MP_NO_ID;
}

/* ---------------------------------------------------------------- sums */

static void
add(struct sum *to, const struct sum *from)
{
    to->allocs += from->allocs;
    to->bytes += from->bytes;
    to->peak += from->peak;
}

static struct sum
sum_of(const struct mp_cell *cell)
{
    return (struct sum){cell->counts.allocs, cell->counts.bytes,
                        cell->counts.peak_bytes > 0 ? (uint64_t)cell->counts.peak_bytes : 0};
}

/* Returns whether PART is at least PERMILLE/1000 of WHOLE, in any of the figures. */
static bool
reaches(const struct sum *part, const struct sum *whole, uint64_t permille)
{
    return (double)part->allocs * 1000 >= (double)whole->allocs * (double)permille ||
           (double)part->bytes * 1000 >= (double)whole->bytes * (double)permille ||
           (whole->peak > 0 && (double)part->peak * 1000 >= (double)whole->peak * (double)permille);
}

/* Returns whether the blocks of CELL count for a function. */
static bool
counts_for_function(const struct finder *f, const struct mp_cell *cell)
{
    const uint32_t context = place_of(f, cell).context;

    return !mp_is_lisp(cell) && context != 0 && has_functions(f, context);
}

/* Sums what counts for each function, and links the cells of each function. */
static void
sum_cells(struct finder *f)
{
    const struct mp_profile *profile = f->profile;

    memset(f->sums, 0, profile->n_functions * sizeof *f->sums);
    memset(f->first, 0xff, profile->n_functions * sizeof *f->first);
    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_cell *cell = &profile->cells[i];
        const struct mp_skip_place place = place_of(f, cell);
        const struct sum sum = sum_of(cell);
        uint32_t function;

        if (!counts_for_function(f, cell))
            continue;
        function = function_at(f, (struct position){place.context, place.skipped});
        add(&f->sums[function], &sum);
        f->next[i] = f->first[function];
        f->first[function] = i;
    }
}

/* Returns the union of the BITS of the functions of FRAME, without the SKIPPED innermost ones. A mark has none. */
static uint64_t
bits_of_frame(const struct mp_profile *profile, uint32_t frame, uint32_t skipped, const uint64_t *bits)
{
    const struct mp_frame *f = &profile->frames[frame];
    uint64_t all = 0;

    for (uint32_t i = skipped; f->mark == 0 && i < mp_frame_locations(f); i++)
        all |= bits[profile->locations[f->first_location + i].function];
    return all;
}

/* Returns, for each context, the union of the BITS of all functions on its chain. */
static uint64_t *
find_on_chains(const struct finder *f, const uint64_t *bits, struct mp_arena *arena)
{
    const struct mp_profile *profile = f->profile;
    uint64_t *of_frame = mp_arena_alloc(arena, profile->n_frames * sizeof *of_frame);
    uint64_t *on_chain = mp_arena_alloc(arena, profile->n_contexts * sizeof *on_chain);

    for (uint32_t i = 0; i < profile->n_frames; i++)
        of_frame[i] = bits_of_frame(profile, i, 0, bits);
    for (uint32_t i = 1; i < profile->n_contexts; i++) {
        const struct mp_context *context = &profile->contexts[i];

        on_chain[i] = on_chain[context->parent] | (f->starts[i] ? 0 : of_frame[context->frame]);
    }
    return on_chain;
}

/* Sums for the N candidates from FIRST on, at most 64, what counts for them and for the functions that they call,
 * directly or not. A chain counts once for a function, however often it is on it. */
static void
sum_others(struct finder *f, uint32_t first, uint32_t n)
{
    const struct mp_profile *profile = f->profile;
    struct mp_arena *arena = mp_arena_new();
    uint64_t *bits = mp_arena_alloc(arena, profile->n_functions * sizeof *bits), *on_chain;

    for (uint32_t i = 0; i < n; i++)
        bits[f->candidates[first + i]] = (uint64_t)1 << i;
    on_chain = find_on_chains(f, bits, arena);
    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_cell *cell = &profile->cells[i];
        const struct mp_skip_place place = place_of(f, cell);
        const struct mp_context *context = &profile->contexts[place.context];
        const struct sum sum = sum_of(cell);

        if (!counts_for_function(f, cell))
            continue;
        for (uint64_t left = on_chain[context->parent] | bits_of_frame(profile, context->frame, place.skipped, bits);
             left != 0; left &= left - 1)
            add(&f->others[f->candidates[first + (uint32_t)__builtin_ctzll(left)]], &sum);
    }
    mp_arena_free(arena);
}

/* ---------------------------------------------------------------- callers */

/* Lists the functions that are LEVEL calls further out than FUNCTION, or if LEVEL is 0 the calls of it, with their
 * parts of what it allocates. */
static void
list_callers(struct finder *f, uint32_t function, uint32_t level)
{
    for (uint32_t i = 0; i < f->n_callers; i++)
        f->caller_of[f->callers[i].id] = 0;
    f->n_callers = 0;
    for (uint32_t i = f->first[function]; i != MP_NO_ID; i = f->next[i]) {
        const struct mp_cell *cell = &f->profile->cells[i];
        const struct sum sum = sum_of(cell);
        uint32_t caller = outer_function(f, place_of(f, cell), level);

        if (caller == MP_NO_ID)
            continue;
        if (f->caller_of[caller] == 0) {
            f->callers[f->n_callers++] = (struct caller){.id = caller};
            f->caller_of[caller] = f->n_callers;
        }
        add(&f->callers[f->caller_of[caller] - 1].sum, &sum);
    }
}

/* Returns the number of listed callers with at least PERMILLE/1000 of WHOLE, and in *RATIO the largest of their mean
 * sizes divided by the smallest. */
static uint32_t
count_callers(const struct finder *f, const struct sum *whole, uint64_t permille, double *ratio)
{
    const struct sum of = {whole->allocs, whole->bytes, 0};
    double most = 0, least = 0;
    uint32_t n = 0;

    for (uint32_t i = 0; i < f->n_callers; i++) {
        const struct sum *sum = &f->callers[i].sum;
        double mean;

        if (sum->allocs == 0 || !reaches(sum, &of, permille))
            continue;
        mean = (double)sum->bytes / (double)sum->allocs;
        most = n == 0 || mean > most ? mean : most;
        least = n == 0 || mean < least ? mean : least;
        n++;
    }
    *ratio = n == 0 ? 1 : most / (least > 1 ? least : 1);
    return n;
}

/* Returns whether nearly all blocks of FUNCTION have one size. */
static bool
has_one_size(const struct finder *f, uint32_t function)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_map sizes = {.arena = arena};
    uint64_t *allocs = NULL, most = 0;
    uint32_t room = 0;

    for (uint32_t i = f->first[function]; i != MP_NO_ID; i = f->next[i]) {
        const struct mp_cell *cell = &f->profile->cells[i];
        uint32_t id;

        if (cell->size_min != cell->size_max)
            continue;
        allocs = mp_arena_grow(arena, allocs, sizes.count, &room, sizeof *allocs);
        id = mp_map_add_u64(&sizes, cell->size_min);
        allocs[id] += cell->counts.allocs;
        most = allocs[id] > most ? allocs[id] : most;
    }
    mp_arena_free(arena);
    return most > 0 && (double)most * 1000 >= (double)f->sums[function].allocs * ONE_SIZE;
}

/* Returns the number of listed callers that reach one of N LIMITS, or 0. NEAR is true if they are callers of FUNCTION
 * itself. */
static uint32_t
reach_limit(const struct finder *f, uint32_t function, const struct spread_limit *limits, size_t n, bool near)
{
    for (size_t i = 0; i < n; i++) {
        double ratio;
        uint32_t callers = count_callers(f, &f->sums[function], limits[i].permille, &ratio);

        if (callers >= limits[i].callers && ratio >= limits[i].ratio && (near || !limits[i].near))
            return callers;
    }
    return 0;
}

/* Returns whether FUNCTION itself allocates in one or two places. */
static bool
has_few_calls(const struct finder *f, uint32_t function)
{
    struct mp_outwards calls = {.n = 0};

    for (uint32_t i = f->first[function]; i != MP_NO_ID; i = f->next[i]) {
        const struct mp_skip_place place = place_of(f, &f->profile->cells[i]);
        const struct mp_frame *frame = frame_of(f, place.context);
        const bool inlined = place.skipped + 1 < mp_frame_locations(frame);
        const uint32_t id = f->profile->contexts[place.context].frame;

        if (mp_outwards_add(&calls, inlined ? frame->first_location + place.skipped : id) > OWN_CALLS)
            return false;
    }
    return true;
}

/* Returns the number of callers of FUNCTION if it only passes on the sizes that they ask for, else 0. */
static uint32_t
count_served(struct finder *f, uint32_t function)
{
    const struct sum *whole = &f->sums[function];
    uint32_t n, near = 0;

    for (uint32_t level = 1; level <= LEVELS; level++) {
        double ratio;

        list_callers(f, function, level);
        near = level == 1 ? f->n_callers : near;
        n = reach_limit(f, function, spread_limits, N_LIMITS(spread_limits), level == 1);
        if (n > 0)
            return n;
        if (count_callers(f, whole, FEW_PERMILLE, &ratio) > FEW_CALLERS || has_one_size(f, function))
            break;
    }
    if (near == 0 || near > FEW_CALLERS || !has_few_calls(f, function))
        return 0;
    list_callers(f, function, 0);
    return reach_limit(f, function, call_limits, N_LIMITS(call_limits), true) > 0 ? near : 0;
}

/* ---------------------------------------------------------------- functions */

static bool
begins_with_one_of(const char *text, const char *const prefixes[])
{
    for (size_t i = 0; prefixes[i]; i++)
        if (strncmp(text, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

bool
mp_wrappers_is_library(const struct mp_profile *profile, const struct mp_function *function)
{
    static const char *const modules[] = {"libc.so", "libc-2.", "libm.so", "libm-2.", "libdl", "libpthread", "librt",
                                          "libstdc++", "libc++", "libgcc_s", NULL};
    static const char *const names[] = {"std::", "__gnu_cxx::", "operator new", "void* operator new",
                                        "boost::container::", NULL};
    const char *name = mp_function_name(function);

    if (function->module < profile->n_modules) {
        const char *module = profile->modules[function->module].name;

        if (mp_startup_is_loader(module) || begins_with_one_of(module, modules))
            return true;
    }
    return begins_with_one_of(name, names) || strstr(name, " std::");
}

/* Lists the functions that are not known yet and have enough to be wrappers, and sums what their callees have. Returns
 * their number. */
static uint32_t
find_candidates(struct finder *f)
{
    uint32_t n = 0;

    memset(f->others, 0, f->profile->n_functions * sizeof *f->others);
    for (uint32_t i = 0; i < f->profile->n_functions; i++)
        if (!f->passed[i] && (f->sums[i].allocs > 0 || f->sums[i].peak > 0) && reaches(&f->sums[i], &f->all, CANDIDATE))
            f->candidates[n++] = i;
    for (uint32_t first = 0; first < n; first += 64)
        sum_others(f, first, n - first < 64 ? n - first : 64);
    return n;
}

/* Returns whether the callees of FUNCTION, a candidate, allocate little themselves. */
static bool
has_most(const struct finder *f, uint32_t function)
{
    const struct sum *own = &f->sums[function], *whole = &f->others[function];

    return (double)(whole->allocs - own->allocs) * 1000 <= (double)own->allocs * OTHERS &&
           (double)(whole->bytes - own->bytes) * 1000 <= (double)own->bytes * OTHERS;
}

/* Finds the wrappers of the places found so far. Returns whether there were any. */
static bool
find_round(struct finder *f, uint32_t *served)
{
    struct mp_skip_place *places = mp_skip_places(f->profile, f->passed, f->arena);
    bool any = false;
    uint32_t n;

    f->places = places;
    sum_cells(f);
    n = find_candidates(f);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t function = f->candidates[i];

        served[function] = has_most(f, function) ? count_served(f, function) : 0;
        any |= served[function] > 0;
    }
    for (uint32_t i = 0; i < f->profile->n_functions; i++)
        f->passed[i] |= served[i] > 0;
    mp_arena_drop(places, f->profile->n_contexts * sizeof *places);
    return any;
}

uint32_t *
mp_wrappers_find(const struct mp_profile *profile, const bool *skipped, struct mp_arena *arena)
{
    const uint32_t n = profile->n_functions;
    uint32_t *served = mp_arena_alloc(arena, (n + 1) * sizeof *served);
    struct mp_arena *scratch = mp_arena_new();
    struct finder f = {.profile = profile, .arena = scratch, .starts = mp_startup_contexts(profile, scratch)};

    f.passed = mp_arena_alloc(scratch, n * sizeof *f.passed);
    f.sums = mp_arena_alloc(scratch, n * sizeof *f.sums);
    f.others = mp_arena_alloc(scratch, n * sizeof *f.others);
    f.first = mp_arena_alloc(scratch, n * sizeof *f.first);
    f.next = mp_arena_alloc(scratch, profile->n_cells * sizeof *f.next);
    f.candidates = mp_arena_alloc(scratch, n * sizeof *f.candidates);
    f.callers = mp_arena_alloc(scratch, (n > profile->n_frames ? n : profile->n_frames) * sizeof *f.callers);
    f.caller_of = mp_arena_alloc(scratch, (n > profile->n_frames ? n : profile->n_frames) * sizeof *f.caller_of);
    for (uint32_t i = 0; i < n; i++)
        f.passed[i] = skipped[i] || mp_wrappers_is_library(profile, &profile->functions[i]);
    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct sum sum = sum_of(&profile->cells[i]);

        if (!mp_is_lisp(&profile->cells[i]))
            add(&f.all, &sum);
    }
    for (unsigned round = 0; round < ROUNDS && find_round(&f, served); round++)
        ;
    mp_arena_free(scratch);
    return served;
}
