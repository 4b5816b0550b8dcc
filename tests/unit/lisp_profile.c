#include "lisp_profile.h"

#include "profile_builder.h"

enum { CONS = MP_KIND_LISP, DOUBLE, STRUCTURE, UNKNOWN, POINT = MP_KIND_CLASS, LINE };

#define MAIN "_start;libc.so.6!__libc_start_main;main;runtime:cl_boot;builtin:EVAL"

/* Sets the ages of CELL: BLOCKS objects of SIZE bytes survived a collection, and DIED of these died later. */
static void
age(struct mp_cell *cell, uint64_t blocks, uint64_t died, uint64_t frees, uint64_t size)
{
    cell->rest->counts.survived[0] = blocks;
    cell->rest->counts.aged = blocks * size;
    cell->rest->counts.aged_frees = died;
    cell->rest->counts.aged_freed = died * size;
    cell->counts.frees = frees;
    cell->counts.freed = frees * size;
}

static void
add_conses(struct pb *pb)
{
    struct mp_cell *cell = pb_objects(pb, MAIN ";lisp:EVENS;lisp:ODDS;lisp:EVENS;"
                                          "builtin:MAKE-LIST;runtime:ecl_cons", CONS, 600, 9600);

    age(cell, 400, 250, 400, 16);
    cell->rest->counts.survived[1] = 300;
    cell->rest->counts.survived[2] = 100;
    cell = pb_objects(pb, MAIN ";lisp:EVENS;builtin:MAKE-LIST;runtime:ecl_cons", CONS, 400, 6400);
    age(cell, 0, 0, 400, 16);
}

static void
add_shapes(struct pb *pb)
{
    struct mp_cell *cell = pb_objects(pb, MAIN ";interp:MAKE-SHAPES;runtime:alloc", POINT, 100,
                                      4800);

    cell->rest->counts.requested = 4000;
    age(cell, 0, 0, 100, 48);
    cell = pb_objects(pb, MAIN ";interp:MAKE-SHAPES;runtime:alloc", LINE, 20, 1280);
    age(cell, 10, 2, 12, 64);
    cell = pb_objects(pb, MAIN ";interp:MAKE-SHAPES;builtin:*;runtime:alloc", DOUBLE, 10, 160);
    age(cell, 0, 0, 10, 16);
}

static struct pb *
begin(void)
{
    struct pb *pb = pb_new();

    pb_kind(pb, CONS, CONS, "CONS", 'c');
    pb_kind(pb, DOUBLE, DOUBLE, "DOUBLE-FLOAT", 'f');
    pb_kind(pb, STRUCTURE, STRUCTURE, "STRUCTURE", 's');
    pb_kind(pb, UNKNOWN, UNKNOWN, "data of unknown owner", 'o');
    pb_kind(pb, POINT, STRUCTURE, "POINT", 's');
    pb_kind(pb, LINE, STRUCTURE, "LINE", 's');
    add_conses(pb);
    add_shapes(pb);
    pb_objects(pb, MAIN, UNKNOWN, 0, 2000)->rest->counts.requested = 1990;
    return pb;
}

static struct mp_profile *
finish(struct pb *pb)
{
    struct mp_profile *profile = pb_done(pb);

    profile->meta.language = "ECL 21.2.1";
    profile->meta.collections = 6;
    profile->meta.heap_before = 1000000;
    profile->meta.heap_now = 1024300;
    profile->meta.threads = 1;
    return profile;
}

struct mp_profile *
lisp_profile(void)
{
    return finish(begin());
}

struct mp_profile *
lisp_profile_with_c(void)
{
    struct pb *pb = begin();

    pb_add(pb, "_start;libc.so.6!__libc_start_main;main", MP_KIND_MEDIUM, 25, 2500, 10, 1000);
    pb_add(pb, MAIN ";lisp:EVENS;lib.so!helper", MP_KIND_LARGE, 5, 5000, 0, 0);
    return finish(pb);
}
/* SPDX-License-Identifier: MIT */
