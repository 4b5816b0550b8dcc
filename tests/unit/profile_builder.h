/*
 * profile_builder.h -- symbolised profiles made by hand, for tests of what comes after symbols.
 *
 *     struct pb *pb = pb_new();
 *     pb_add(pb, "main;make_red_widget;make_widget", MP_KIND_MEDIUM, 5019, 1023876, 0, 0);
 *     struct mp_profile *profile = pb_done(pb);       // frees pb
 *
 * PROFILE_OF({"main;make_red_widget;make_widget", MP_KIND_MEDIUM, 5019, 1023876, 0, 0}) is the same.
 *
 * A chain goes from the root to the leaf; its elements are frames between ';':
 *     name                a frame of function `name` of module "example"
 *     libc.so.6!name      of another module (the function is called `name` all the same)
 *     outer/inner         one frame: `inner` was inlined into `outer` (any number of levels)
 *     name+8              offset of the call in the function
 *     name@34             source line 34 of "/src/name.c"
 *     #2                  a mark (enum mp_frame_mark) with the function "<mark 2>"
 *     lisp:FOO            a compiled function FOO, "c_FOO" in C, of module "foo.fas"
 *     builtin:CONS        one of the runtime's, "c_CONS" in C, of module "libecl.so.21.2"
 *     dispatch:X          the same, of those that pass calls on
 *     runtime:cl_cons     C code of the runtime without a name
 *     interp:BAR          an interpreted function
 * Equal elements are one frame; adding to a chain and kind again adds up.
 */
#ifndef MP_TEST_PROFILE_BUILDER_H
#define MP_TEST_PROFILE_BUILDER_H

#include "reporter/profile/profile.h"
#include "reporter/profile/timeline.h"

struct pb;

struct pb *pb_new(void);

/* ALLOCS blocks of BYTES bytes in all, of which FREES blocks and FREED bytes were freed.  The bin
 * of the mean size and the cell's size_min and size_max are set too. */
void pb_add(struct pb *pb, const char *chain, uint32_t kind, uint64_t allocs, uint64_t bytes,
            uint64_t frees, uint64_t freed);

/* What pb_add() takes. */
struct pb_row {
    const char *chain;
    uint32_t kind;
    uint64_t allocs, bytes, frees, freed;
};

/* A new builder with ROWS, of which the last has no chain. */
struct pb *pb_of(const struct pb_row rows[]);
#define PB_OF(...) pb_of((const struct pb_row[]){__VA_ARGS__, {0}})
#define PROFILE_OF(...) pb_done(PB_OF(__VA_ARGS__))

/* A kind of object; in the order of kinds. */
void pb_kind(struct pb *pb, uint32_t kind, uint32_t base, const char *name, char category);

/* OBJECTS of KIND, none of them examined yet.  The cell holds until the next call. */
struct mp_cell *pb_objects(struct pb *pb, const char *chain, uint32_t kind, uint64_t objects,
                           uint64_t bytes);

/* One more module; PROBLEM, a literal: why its names could not be had, or "". */
void pb_module(struct pb *pb, const char *path, const char *problem);

/* The profile that was built.  It is freed when the test ends, or by tap_release(). */
struct mp_profile *pb_done(struct pb *pb);

/* Has PROFILE freed when the test ends, and returns it. */
struct mp_profile *keep_profile(struct mp_profile *profile);

/* Returns an arena that is freed when the test ends. */
struct mp_arena *keep_arena(void);

/* Returns the id of the function called NAME, or MP_NO_ID. */
uint32_t pb_function(const struct mp_profile *profile, const char *name);

/* Returns the first context whose innermost function is called NAME, or the first cell of such a context. Fails the
 * test if there is none. */
uint32_t pb_context(const struct mp_profile *profile, const char *name);
struct mp_cell *pb_cell(struct mp_profile *profile, const char *name);

/* Gives PROFILE a time line with copies of MOMENTS and CHANGES. Either may be empty. */
void pb_timeline(struct mp_profile *profile, const struct mp_moment moments[], uint32_t n_moments,
                 const struct mp_change changes[], uint32_t n_changes);

/* The paper's example: 10,000 widgets of 204 bytes, 5,019 of them red and never freed, under what
 * glibc puts above main. */
struct mp_profile *pb_example(void);

#endif
