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
 *     builtin:CONS        a function of the runtime, "c_CONS" in C, of module "libecl.so.21.2"
 *     dispatch:X          a function of the runtime that only passes calls on
 *     runtime:cl_cons     C code of the runtime without a name
 *     interp:BAR          an interpreted function
 * Equal elements are one frame. Figures that are added for the same chain and kind are summed up.
 */
#ifndef MP_TEST_PROFILE_BUILDER_H
#define MP_TEST_PROFILE_BUILDER_H

#include "reporter/graph/tree.h"
#include "reporter/profile/profile.h"
#include "reporter/profile/timeline.h"
#include "reporter/view/view.h"

struct pb;

struct pb *pb_new(void);

/* Adds ALLOCS blocks with BYTES bytes together, of which FREES blocks with FREED bytes were freed. Also sets the bin of
 * the mean size, and size_min and size_max of the cell. */
void pb_add(struct pb *pb, const char *chain, uint32_t kind, uint64_t allocs, uint64_t bytes,
            uint64_t frees, uint64_t freed);

/* The arguments of pb_add(). */
struct pb_row {
    const char *chain;
    uint32_t kind;
    uint64_t allocs, bytes, frees, freed;
};

/* Returns a new builder with ROWS. The last row has no chain and is not added. */
struct pb *pb_of(const struct pb_row rows[]);
#define PB_OF(...) pb_of((const struct pb_row[]){__VA_ARGS__, {0}})
#define PROFILE_OF(...) pb_done(PB_OF(__VA_ARGS__))

/* Adds a kind of object. Kinds must be added in ascending order. */
void pb_kind(struct pb *pb, uint32_t kind, uint32_t base, const char *name, char category);

/* Adds OBJECTS of KIND that no collection has examined. The cell is valid until the next call, and has a rest. */
struct mp_cell *pb_objects(struct pb *pb, const char *chain, uint32_t kind, uint64_t objects,
                           uint64_t bytes);

/* Adds a module. PROBLEM, a literal, is the reason why its names are unavailable, or "". */
void pb_module(struct pb *pb, const char *path, const char *problem);

/* Frees the builder and returns its profile. That is freed when the test ends, or by tap_release(). */
struct mp_profile *pb_done(struct pb *pb);

/* Returns PROFILE, which must not be NULL, and frees it when the test ends. */
struct mp_profile *keep_profile(struct mp_profile *profile);

/* Returns PROFILE's view or tree with OPTIONS. Fails the test if there is none. It is freed when the test ends. */
struct mp_profile *keep_view(const struct mp_profile *profile, const struct mp_view_options *options);
struct mp_tree *keep_tree(const struct mp_profile *profile, const struct mp_view_options *view,
                          const struct mp_tree_options *options);

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

/* Returns the paper's example: 10,000 widgets of 204 bytes, of which 5,019 are red and never freed, called by main and
 * by the frames of glibc above main. */
struct mp_profile *pb_example(void);

#endif
/* SPDX-License-Identifier: MIT */
