/*
 * live_lisp.c -- the live file of a Lisp program:
 *
 *     main > libecl > FOO > MAPCAR > libecl      100 conses; 50 survived a collection, of which 30
 *                                                two and 10 four, and of which 20 died since
 *     main > libecl > BAR > dispatch > FOO       10 points of 32 + 48 bytes; one survived
 *     main                                       5 blocks of 64 bytes by malloc
 */
#include "live_builder.h"

static uint32_t
frame(struct live_builder *b, uint32_t module, uint64_t ip, uint32_t flags, uint32_t name)
{
    uint32_t id = lb_frame(b, module, ip);

    b->frames[id - b->first[MP_EXT_FRAMES]].flags |= flags | name << MP_LIVE_FRAME_NAME_SHIFT;
    return id;
}

static void
add_head(struct live_builder *b)
{
    b->header.monitor = lb_string(b, "0.1.0");
    b->header.program = lb_string(b, "/usr/bin/ecl");
    b->header.language = lb_string(b, "ECL 21.2.1");
    b->header.one_thread = 4712;
    b->header.collections = 6;
    b->header.heap_before = 100000;
    b->header.heap_now = 102500;
    b->header.live_bytes = b->header.peak_bytes = 640 + 720 + 5 * 64;
    lb_kind(b, LB_CONS, LB_CONS, "CONS", 'c');
    lb_kind(b, LB_STRUCTURE, LB_STRUCTURE, "STRUCTURE", 's');
    lb_kind(b, LB_BIGNUM, LB_BIGNUM, "BIGNUM", 'o');
    lb_kind(b, LB_POINT, LB_STRUCTURE, "POINT", 's');
}

static void
add_conses(struct live_builder *b, uint32_t context)
{
    struct mp_live_cell *cell = lb_cell(b, context, 16, 100, 60);
    struct mp_live_ages *ages;

    cell->kind = LB_CONS;
    cell->slack = 100;
    ages = lb_ages(b, context, LB_CONS, 50, 800);
    ages->survived[1] = 30;
    ages->survived[2] = 10;
    ages->aged_frees = 20;
    ages->aged_freed = 320;
}

static void
add_points(struct live_builder *b, uint32_t context)
{
    lb_objects(b, context, LB_POINT, 10, 320, 1, 32)->requested = 300;
    lb_objects(b, context, LB_POINT | MP_KIND_PAYLOAD, 10, 480, 1, 48)->requested = 470;
    lb_ages(b, context, LB_POINT, 1, 32);
    lb_ages(b, context, LB_POINT | MP_KIND_PAYLOAD, 1, 48);
}

void
lb_lisp(struct live_builder *b)
{
    uint32_t program, libecl, fas, top, foo, bar, mapcar, dispatch, at;

    add_head(b);
    lb_recorder(b);
    program = lb_module(b, "/usr/bin/ecl", 0x555555554000, 0x11);
    libecl = lb_module(b, "/usr/lib/libecl.so.21.2", 0x7ffff7000000, 0x22);
    fas = lb_module(b, "/tmp/foo.fas", 0x7ffff6000000, 0x33);
    foo = lb_name(b, "FOO", 0);
    b->names[0].file = lb_string(b, "/home/zorn/foo.lisp");
    b->names[0].position = 123;
    mapcar = lb_name(b, "MAPCAR", MP_LIVE_NAME_BUILTIN);
    dispatch = lb_name(b, "APPLY-FROM-STACK-FRAME", MP_LIVE_NAME_DISPATCH);
    bar = lb_name(b, "(SETF BAR)", 0);
    at = lb_context(b, 0, lb_frame(b, program, 0x555555555210));
    lb_cell(b, at, 64, 5, 0);
    top = lb_context(b, at, frame(b, libecl, 0x7ffff7001000, MP_LIVE_FRAME_RUNTIME, 0));
    foo = frame(b, fas, 0x7ffff6000400, 0, foo);
    at = lb_context(b, top, foo);
    at = lb_context(b, at, frame(b, libecl, 0x7ffff7002000, MP_LIVE_FRAME_RUNTIME, mapcar));
    at = lb_context(b, at, frame(b, libecl, 0x7ffff7003000, MP_LIVE_FRAME_RUNTIME, 0));
    add_conses(b, at);
    at = lb_context(b, top, frame(b, libecl, 0x1234, MP_LIVE_FRAME_INTERPRETED, bar));
    at = lb_context(b, at, frame(b, libecl, 0x7ffff7004000, MP_LIVE_FRAME_RUNTIME, dispatch));
    add_points(b, lb_context(b, at, foo));
}
/* SPDX-License-Identifier: MIT */
