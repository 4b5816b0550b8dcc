#include "tests/unit/tap.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "reporter/symbols/die.h"
#include "reporter/symbols/infer_types.h"
#include "tests/unit/symbols_fixture.h"

enum { ALLOCATIONS = 3 };       /* maximum number of allocations of a case */

/* C_PROGRAM is the program of the profile. TWIN_PROGRAM counts as a library. */
#define OWN(name) {C_PROGRAM, "site_" name}
#define LIBRARY(name) {TWIN_PROGRAM, "site_" name}
#define CXX(name) {CXX_PROGRAM, "site_" name}
#define NOBODY {NULL, NULL}

struct site {
    const char *program, *name;
};

/* The types that blocks of a size may have. */
static const struct {
    const char *what;
    struct {
        struct site frame, caller;
        uint32_t size;
        uint64_t blocks;        /* number of blocks; 0 = one */
        uint32_t size_min;      /* the blocks have sizes from this one to 205 bytes; 0 = all have `size` bytes */
    } allocations[ALLOCATIONS];
    struct site other;          /* a frame that allocates nothing */
    const char *types;          /* "SIZE: TYPE TYPE; " for each size */
} cases[] = {
    {"mentioned types come first", {{OWN("widget"), NOBODY, 204}}, NOBODY, "204: widget aardvark; "},
    {"a library's types are shown if it mentions them",
     {{LIBRARY("keep_twin"), LIBRARY("dig_out"), 204}}, OWN("keep"), "204: badger; "},
    {"the program's types are not, where it allocates nothing of the size",
     {{LIBRARY("keep_twin"), NOBODY, 204}}, OWN("keep"), "204: ; "},
    {"they are where the program called the library",
     {{LIBRARY("keep_twin"), OWN("keep"), 204}}, OWN("keep"), "204: aardvark widget; "},
    {"what a library mentions names a bin of which it has one block in ten",
     {{LIBRARY("keep_twin"), LIBRARY("dig_out"), 204}, {OWN("widget"), NOBODY, 204, 9}}, OWN("widget"),
     "204: widget badger aardvark; "},
    {"... but not one of which it has one in eleven",
     {{LIBRARY("keep_twin"), LIBRARY("dig_out"), 204}, {OWN("widget"), NOBODY, 204, 10}}, OWN("widget"),
     "204: widget aardvark; "},
    {"of blocks of several sizes the smallest and the largest are known",
     {{OWN("widget"), NOBODY, 204, 0, 204}}, NOBODY, "204: widget aardvark; "},
    {"... and those between are not guessed", {{OWN("widget"), NOBODY, 204, 0, 203}}, NOBODY, "204: ; "},
    {"the caller of an allocator counts too", {{OWN("check"), OWN("widget"), 204}}, NOBODY,
     "204: widget aardvark; "},
    {"a library that calls the program, as libc calls main, does not name the program's blocks",
     {{OWN("check"), LIBRARY("dig_out"), 204}}, NOBODY, "204: aardvark widget; "},
    {"... but its own", {{LIBRARY("keep_twin"), LIBRARY("dig_out"), 204}}, OWN("check"), "204: badger; "},
    {"the caller of xmalloc() allocates, and not the file that xmalloc() is in",
     {{OWN("xmalloc"), LIBRARY("dig_out"), 204}}, NOBODY, "204: badger; "},
    {"typedefs of structs and arrays are types",
     {{OWN("keep"), NOBODY, 48}, {OWN("keep"), NOBODY, 408}}, NOBODY, "48: gadget number48; 408: widget_pair; "},
    {"nothing tells that blocks may be numbers called stamp",
     {{OWN("trio"), NOBODY, 24}, {OWN("trio"), NOBODY, 8}}, NOBODY, "24: trio; 8: ; "},
    {"... but a pointer to one",
     {{OWN("trio"), NOBODY, 24}, {OWN("trio"), NOBODY, 8}, {OWN("stamp"), NOBODY, 8}}, NOBODY,
     "24: trio; 8: stamp; "},
    {"types of C++ are qualified", {{CXX("add_int"), NOBODY, 56}, {CXX("hide"), NOBODY, 72}}, NOBODY,
     "56: shop::Basket::Item; 72: (anonymous namespace)::Secret; "},
    {"a size that nobody allocated has no types", {{{NULL, NULL}, NOBODY, 0}}, OWN("widget"), ""},
};

/* Adds a frame at SITE, in the module of its program. */
static uint32_t
frame_at(struct site site)
{
    uint32_t module = 0;

    if (!site.program)
        return MP_NO_ID;
    while (module < profile->n_modules && strcmp(profile->modules[module].path, site.program) != 0)
        module++;
    return add_site(module < profile->n_modules ? module : add_file(site.program), site.program, site.name);
}

/* Appends the types of SIZE to TEXT. */
static void
append_types(char *text, uint32_t size)
{
    const struct mp_bin *bin = &profile->bins[size];

    sprintf(text + strlen(text), "%u:", size);
    for (uint32_t i = 0; i < bin->n_types; i++)
        sprintf(text + strlen(text), " %s", profile->types[bin->first_type + i]);
    strcat(text, bin->n_types > 0 ? "; " : " ; ");
}

/* Changes the last cell, which has one block of SIZE bytes, to BLOCKS blocks. */
static void
set_blocks(uint32_t size, uint64_t blocks)
{
    profile->cells[profile->n_cells - 1].counts.allocs = blocks;
    profile->bins[size].allocs += blocks - 1;
}

TEST_EACH(blocks_have_types, cases)
{
    char text[256] = "";

    begin_profile();
    frame_at(cases[_i].other);
    for (uint32_t i = 0; i < ALLOCATIONS && cases[_i].allocations[i].size > 0; i++) {
        const uint32_t size = cases[_i].allocations[i].size;

        add_allocation(frame_at(cases[_i].allocations[i].frame), frame_at(cases[_i].allocations[i].caller), size);
        if (cases[_i].allocations[i].blocks > 0)
            set_blocks(size, cases[_i].allocations[i].blocks);
        if (cases[_i].allocations[i].size_min > 0) {
            profile->cells[i].size_min = cases[_i].allocations[i].size_min;
            profile->cells[i].size_max = 205;
        }
    }
    symbolise();
    for (uint32_t i = 0; i < ALLOCATIONS && cases[_i].allocations[i].size > 0; i++)
        if (i == 0 || cases[_i].allocations[i].size != cases[_i].allocations[i - 1].size)
            append_types(text, cases[_i].allocations[i].size);
    ck_assert_msg(strcmp(text, cases[_i].types) == 0, "%s: '%s' instead of '%s'", cases[_i].what, text,
                  cases[_i].types);
    ck_assert(*text || profile->n_types == 0);
}

static void
close_program(void *dwarf)
{
    dwarf_end(dwarf);
}

/* Sets *TYPE to the type NAME outside of functions in the program at PATH. The program remains open until the test
 * ends. */
static void
find_type(const char *path, const char *name, Dwarf_Die *type)
{
    Dwarf *dwarf = dwarf_begin(open(path, O_RDONLY), DWARF_C_READ);
    Dwarf_CU *cu = NULL;
    Dwarf_Die top, code, *die;
    struct mp_die_walk walk;
    uint8_t kind;

    ck_assert_ptr_nonnull(dwarf);
    tap_keep(dwarf, close_program);
    while (mp_die_next_unit(dwarf, &cu, &kind, &top, &code)) {
        mp_die_walk_begin(&walk, &top);
        while ((die = mp_die_walk_next(&walk, false)) != NULL)
            if (dwarf_diename(die) != NULL && strcmp(dwarf_diename(die), name) == 0) {
                *type = *die;
                return;
            }
    }
    ck_abort_msg("%s has no type %s", path, name);
}

/* A type can have more parts than can be examined. */
TEST(types_with_many_parts_are_described_soon)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_binary binary = {.texts.map.arena = arena};
    struct mp_inferred inferred;
    Dwarf_Die type;

    find_type(C_PROGRAM, "parts_8", &type);
    ck_assert(mp_infer_describe(&binary, type, arena, &inferred));
    ck_assert_str_eq(inferred.name, "parts_8");
    ck_assert_uint_eq(inferred.size, 1000);
    ck_assert_uint_eq(inferred.n_words, 125);
    ck_assert_str_eq(inferred.words[0], "m0.m0.m0.m0.m0.m0.m0.m0.any");
    ck_assert_str_eq(inferred.words[1], "");
    mp_arena_free(arena);
}
/* SPDX-License-Identifier: MIT */
