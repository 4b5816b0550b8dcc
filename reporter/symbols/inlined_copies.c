/* SPDX-License-Identifier: MIT */
#include "inlined_copies.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "dwarf_units.h"
#include "lookup.h"
#include "runtime/ecl_c_name.h"

struct copies {
    struct mp_symboliser *symboliser;
    struct mp_binary *binary;
    const void *unit;           /* unit whose numbers were read last */
    long *numbers;              /* numbers in the C names of the unit's global functions, ascending */
    uint32_t n, room;
};

/* Returns the id of the function KNOWN, an index in the binary's answers, if it was inlined somewhere. Otherwise
 * returns MP_NO_ID. */
static uint32_t
inlined_id(const struct copies *copies, uint32_t known)
{
    struct mp_binary *binary = copies->binary;
    uint32_t id = MP_NO_ID;

    if (known != MP_NO_ID)
        id = mp_symbols_known(copies->symboliser, binary->module, &binary->answers.knowns[known]);
    return id != MP_NO_ID && copies->symboliser->functions[id].wanted ? id : MP_NO_ID;
}

/* Returns the id of the function KNOWN, if it begins at ADDRESS and was inlined somewhere, else MP_NO_ID. */
static uint32_t
function_at(const struct copies *copies, uint32_t known, uint64_t address)
{
    uint32_t id = inlined_id(copies, known);

    return id != MP_NO_ID && copies->symboliser->functions[id].is.start == address ? id : MP_NO_ID;
}

/* Returns the id of the body of the global function KNOWN, if KNOWN is its entry (ecl_c_name.h) and contains ADDRESS.
 * Returns MP_NO_ID if the body was not inlined everywhere and so has code of its own. */
static uint32_t
body_of_entry(const struct copies *copies, uint32_t known, uint64_t address)
{
    const char *name = known == MP_NO_ID ? "" : copies->binary->answers.knowns[known].name;
    uint32_t id;

    if (!mp_ecl_after_number(name, "L") || !mp_ecl_is_entry(name))
        return MP_NO_ID;
    id = inlined_id(copies, mp_dwarf_inlined(copies->binary, address));
    return id != MP_NO_ID && copies->symboliser->functions[id].is.start == 0 ? id : MP_NO_ID;
}

static void
locate_entry(const struct copies *copies, const struct mp_symbol_frame *entry, uint32_t id)
{
    struct mp_symboliser *symboliser = copies->symboliser;
    struct mp_frame *frame = &symboliser->profile->frames[entry->frame];

    symboliser->functions[id].lisp = mp_frame_name(symboliser->profile, frame)->name;
    symboliser->functions[id].is.start = entry->address;       /* views find the function's name by it */
    frame->first_location = symboliser->n_locations;
    frame->n_locations = 1;
    mp_symbols_locate(symboliser, (struct mp_location){ .function = id, .file = "" });
}

/* Gives locations to those of FRAMES that only name a function which was inlined somewhere. If several bodies have
 * identical code, gcc keeps one of them in all their entries. So a body that is inlined in several entries gets no
 * name. */
static void
locate_entries(const struct copies *copies, const struct mp_symbol_frame *frames, uint32_t count)
{
    struct mp_arena *scratch = copies->symboliser->scratch;
    uint32_t *knowns = mp_arena_alloc(scratch, (count + (size_t)1) * sizeof *knowns);
    uint32_t *ids = mp_arena_alloc(scratch, (count + (size_t)1) * sizeof *ids);
    uint32_t *entries = mp_arena_alloc(scratch, (copies->symboliser->keys.count + (size_t)1) * sizeof *entries);

    for (uint32_t i = 0; i < count; i++) {
        knowns[i] = frames[i].entry ? mp_dwarf_function(copies->binary, frames[i].address) : MP_NO_ID;
        ids[i] = function_at(copies, knowns[i], frames[i].address);
        if (ids[i] != MP_NO_ID)
            locate_entry(copies, &frames[i], ids[i]);
    }
    /* now the start of each function that has code is known */
    for (uint32_t i = 0; i < count; i++) {
        ids[i] = ids[i] == MP_NO_ID ? body_of_entry(copies, knowns[i], frames[i].address) : MP_NO_ID;
        if (ids[i] != MP_NO_ID)
            entries[ids[i]]++;
    }
    for (uint32_t i = 0; i < count; i++)
        if (ids[i] != MP_NO_ID && entries[ids[i]] == 1)
            locate_entry(copies, &frames[i], ids[i]);
}

/* ------------------------------------------------------------------ local functions */

static int
compare_numbers(const void *left, const void *right)
{
    long a = *(const long *)left, b = *(const long *)right;

    return (a > b) - (a < b);
}

/* Collects, in ascending order, the numbers that ECL put into the C names of UNIT's global functions (L12name, see
 * ecl_c_name.h), including functions without code. */
static void
read_numbers(struct copies *copies, Dwarf_Die *unit)
{
    struct mp_die_walk walk;

    copies->unit = unit->addr;
    copies->n = 0;
    mp_die_walk_begin(&walk, unit);
    for (Dwarf_Die *die; (die = mp_die_walk_next(&walk, false)) != NULL;) {
        const char *name = dwarf_tag(die) == DW_TAG_subprogram ? dwarf_diename(die) : NULL;

        if (name == NULL || !mp_ecl_after_number(name, "L"))
            continue;
        copies->numbers = mp_arena_grow(copies->binary->arena, copies->numbers, copies->n,
                                        &copies->room, sizeof *copies->numbers);
        copies->numbers[copies->n++] = mp_ecl_number(name);
    }
    if (copies->n > 0)
        qsort(copies->numbers, copies->n, sizeof *copies->numbers, compare_numbers);
}

/* Returns whether the unit that contains ADDRESS has a global function with a number between LOW and HIGH. */
static bool
is_own_between(struct copies *copies, uint64_t address, long low, long high)
{
    struct mp_unit *unit = mp_unit_at(copies->binary, address);
    uint32_t at = 0, end;

    if (unit != NULL && unit->top.addr != copies->unit)
        read_numbers(copies, &unit->top);
    for (end = copies->n; at < end;) {
        uint32_t middle = at + (end - at) / 2;

        if (copies->numbers[middle] <= low)
            at = middle + 1;
        else
            end = middle;
    }
    return at < copies->n && copies->numbers[at] < high;
}

struct outer {
    const char *c_name, *lisp;  /* lisp is NULL if unknown */
};

/* Returns whether the local function C_NAME can be inside OUTER or beside it. If several functions have identical code,
 * gcc keeps one of them, and debug information names this one wherever any of them was inlined. So the name may be that
 * of an unrelated function. The numbers in the C names show which functions belong together; see ecl_c_name.h. */
static bool
can_lie_in(struct copies *copies, uint64_t address, const char *c_name, const struct outer *outer)
{
    long number = mp_ecl_number(c_name), limit = mp_ecl_number(outer->c_name);

    if (mp_ecl_after_number(outer->c_name, "LC"))
        return !is_own_between(copies, address, number < limit ? number : limit,
                               number < limit ? limit : number);
    return number < limit && !is_own_between(copies, address, number, limit);
}

/* Returns the Lisp name of the global function that OUTER is, or is inside of. Returns NULL if OUTER has several
 * names. */
static const char *
outermost(const struct outer *outer)
{
    if (!mp_ecl_after_number(outer->c_name, "LC"))
        return outer->lisp;
    return mp_lisp_is_ambiguous(outer->lisp) ? NULL : mp_lisp_outermost(outer->lisp);
}

/* Names FUNCTION, which was inlined in OUTER at ADDRESS, if it is a local function. Returns false if FUNCTION cannot be
 * the function inlined there. */
static bool
name_local(struct copies *copies, uint64_t address, struct mp_symbol_function *function,
           const struct outer *outer)
{
    const char *around, *name;
    char room[192];

    if (!mp_ecl_local_name(function->is.plain, room, sizeof room) ||
        (!mp_ecl_after_number(outer->c_name, "L") && !mp_ecl_after_number(outer->c_name, "LC")))
        return true;
    if (!can_lie_in(copies, address, function->is.plain, outer))
        return false;
    around = outer->lisp ? outermost(outer) : NULL;
    if (!around)
        return true;
    name = mp_arena_printf(copies->symboliser->profile->arena, "%s in %s", room, around);
    if (!function->lisp) {
        function->lisp = name;
        function->made = true;
        copies->symboliser->n_made++;
    }
    return strcmp(function->lisp, name) == 0;
}

/* FUNCTION is the outermost one inlined in ENTRY. Returns whether it is the body of another entry, which gcc kept
 * instead of ENTRY's body because both have identical code. Then the function at its start is its own entry (see
 * locate_entry()). */
static bool
is_equal_body(const struct copies *copies, const struct mp_symbol_function *entry,
              const struct mp_symbol_function *function)
{
    uint32_t known = MP_NO_ID;

    if (function->is.start && mp_ecl_is_entry(entry->is.plain))
        known = mp_dwarf_function(copies->binary, function->is.start);
    return known != MP_NO_ID && mp_ecl_is_entry_of(copies->binary->answers.knowns[known].name, function->is.plain);
}

/* Names the calls inlined in the frame of TASK, from the outermost inwards. Drops a call that cannot be the inlined
 * one, and a function's body in its entry; these then count as the function into which they were inlined. */
static void
name_inlined(struct copies *copies, const struct mp_symbol_frame *task)
{
    struct mp_symboliser *symboliser = copies->symboliser;
    struct mp_frame *frame = &symboliser->profile->frames[task->frame];
    struct mp_location *locations = symboliser->locations + frame->first_location;
    const char *own = mp_frame_name(symboliser->profile, frame)->name;
    const uint32_t first = frame->n_locations - 2;

    for (uint32_t i = first + 1; i-- > 0;) {
        const struct mp_symbol_function *around =
            &symboliser->functions[locations[i + 1].function];
        struct outer outer = { around->is.plain, i + 2 == frame->n_locations ? own : around->lisp };
        struct mp_symbol_function *function = &symboliser->functions[locations[i].function];

        if (!mp_ecl_is_entry_of(around->is.plain, function->is.plain) &&
            !(i == first && is_equal_body(copies, around, function)) &&
            name_local(copies, task->address, function, &outer))
            continue;
        memmove(locations + i, locations + i + 1,
                (frame->n_locations - i - 1) * sizeof *locations);
        frame->n_locations--;
    }
}

/* Returns whether the language's runtime names any of FRAMES. */
static bool
is_needed(const struct mp_profile *profile, const struct mp_symbol_frame *frames, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (frames[i].entry || mp_frame_name(profile, &profile->frames[frames[i].frame]))
            return true;
    return false;
}

void
mp_symbols_copies(struct mp_symboliser *symboliser, struct mp_binary *binary,
                  const struct mp_symbol_frame *frames, uint32_t count)
{
    struct copies copies = { .symboliser = symboliser, .binary = binary };

    if (!is_needed(symboliser->profile, frames, count) || !mp_binary_load(binary) ||
        binary->dwarf == NULL)
        return;
    symboliser->closed = true;
    locate_entries(&copies, frames, count);
    symboliser->closed = false;
    for (uint32_t i = 0; i < count; i++) {
        const struct mp_frame *frame = &symboliser->profile->frames[frames[i].frame];

        if (!frames[i].entry && frame->n_locations > 1 && mp_frame_name(symboliser->profile, frame))
            name_inlined(&copies, &frames[i]);
    }
}

/* ---------------------------------------------------------- frames that remain */

/* Adds a name and a frame for each local function whose name was derived here. */
static void
add_made(struct mp_symboliser *symboliser)
{
    struct mp_profile *profile = symboliser->profile;
    size_t n_frames = profile->n_frames + (size_t)symboliser->n_made;
    size_t n_names = profile->n_names + (size_t)symboliser->n_made;
    struct mp_frame *frames = mp_arena_alloc(profile->arena, n_frames * sizeof *frames);
    struct mp_name *names = mp_arena_alloc(profile->arena, n_names * sizeof *names);
    struct mp_location *locations = mp_arena_alloc(
        profile->arena, (profile->n_locations + (size_t)symboliser->n_made) * sizeof *locations);

    memcpy(frames, profile->frames, profile->n_frames * sizeof *frames);
    memcpy(names, profile->names, profile->n_names * sizeof *names);
    memcpy(locations, profile->locations, profile->n_locations * sizeof *locations);
    for (uint32_t i = 0; i < symboliser->keys.count; i++) {
        const struct mp_symbol_function *function = &symboliser->functions[i];

        if (!function->made)
            continue;
        names[profile->n_names] =
            (struct mp_name){ .name = function->lisp, .file = "", .position = -1 };
        locations[profile->n_locations] = (struct mp_location){ .function = i, .file = "" };
        frames[profile->n_frames++] = (struct mp_frame){
            .module = function->is.module, .offset = function->is.start, .exact = true,
            .name = profile->n_names++, .first_location = profile->n_locations++,
            .n_locations = 1 };
    }
    profile->frames = frames;
    profile->names = names;
    profile->locations = locations;
}

/* Drops the frames without a location. */
static void
drop_frames(struct mp_symboliser *symboliser)
{
    struct mp_profile *profile = symboliser->profile;
    uint32_t *to = mp_arena_alloc(symboliser->scratch,
                                  (profile->n_frames + (size_t)1) * sizeof *to);
    uint32_t kept = 0;

    for (uint32_t i = 0; i < profile->n_frames; i++) {
        to[i] = kept;
        if (profile->frames[i].n_locations > 0)
            profile->frames[kept++] = profile->frames[i];
    }
    profile->n_frames = kept;
    for (uint32_t i = 1; i < profile->n_contexts; i++)
        profile->contexts[i].frame = to[profile->contexts[i].frame];
}

static void
drop_names(struct mp_symboliser *symboliser)
{
    struct mp_profile *profile = symboliser->profile;
    uint32_t *to = mp_arena_alloc(symboliser->scratch, (profile->n_names + (size_t)1) * sizeof *to);
    uint32_t kept = 0;

    for (uint32_t i = 0; i < profile->n_frames; i++)
        if (mp_frame_name(profile, &profile->frames[i]))
            to[profile->frames[i].name] = 1;
    for (uint32_t i = 0; i < profile->n_names; i++) {
        bool used = to[i];

        to[i] = kept;
        if (used)
            profile->names[kept++] = profile->names[i];
    }
    for (uint32_t i = 0; i < profile->n_frames; i++)
        if (mp_frame_name(profile, &profile->frames[i]))
            profile->frames[i].name = to[profile->frames[i].name];
    profile->n_names = kept;
}

void
mp_symbols_keep_copies(struct mp_symboliser *symboliser)
{
    if (symboliser->n_made > 0)
        add_made(symboliser);
    drop_frames(symboliser);
    drop_names(symboliser);
}
