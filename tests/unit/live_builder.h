/*
 * live_builder.h -- makes live files in memory, struct by struct, as the monitor does.
 *
 * Functions return ids of the file. Set first[] before the first record of a kind is added.
 */
#ifndef MP_TEST_LIVE_BUILDER_H
#define MP_TEST_LIVE_BUILDER_H

#include <stddef.h>

#include "runtime/format.h"
#include "runtime/sizeclass.h"

#define LB_RECORDS 64

struct live_builder {
    struct mp_live_header header;
    uint32_t first[MP_EXT_KINDS];       /* first id; 1 unless set */
    uint32_t count[MP_EXT_KINDS];
    char strings[2048];
    struct mp_live_module modules[LB_RECORDS];
    struct mp_live_frame frames[LB_RECORDS];
    uint32_t contexts[2 * LB_RECORDS];  /* slots */
    struct mp_live_cell cells[LB_RECORDS];
    struct mp_live_mixed mixed[LB_RECORDS];
    struct mp_live_recorder recorders[2];
    struct mp_live_name names[LB_RECORDS];
    struct mp_live_kind kinds[LB_RECORDS];
    struct mp_live_ages ages[LB_RECORDS];
    struct mp_live_mark marks[LB_RECORDS];
    struct mp_live_former former[LB_RECORDS];
    struct mp_live_resized resized[LB_RECORDS];
    struct mp_live_lifetimes lifetimes[LB_RECORDS];
    uint32_t split;                     /* contexts and cells from this index on get a second extent; 0 if none do */
};

void lb_init(struct live_builder *b);
uint32_t lb_string(struct live_builder *b, const char *text);
uint32_t lb_module(struct live_builder *b, const char *path, uint64_t bias, uint8_t build_id);
uint32_t lb_frame(struct live_builder *b, uint32_t module, uint64_t ip);

/* Adds a context. It continues the run of PARENT if that is the last context; otherwise it begins a run. */
uint32_t lb_context(struct live_builder *b, uint32_t parent, uint32_t frame);

/* Adds a function's name in the language's runtime. Its id is shifted into the flags of frames. */
uint32_t lb_name(struct live_builder *b, const char *name, uint32_t flags);

/* Adds a kind of object, whose type is BASE. */
void lb_kind(struct live_builder *b, unsigned kind, unsigned base, const char *name, char category);

/* Adds a mixed cell whose blocks or objects all changed after the last peak. Returns the record of its bytes. */
struct mp_live_mixed *lb_objects(struct live_builder *b, uint32_t context, unsigned kind,
                                 uint32_t allocs, uint64_t bytes, uint32_t frees, uint64_t freed);

/* Adds the ages of objects: SURVIVED objects with AGED bytes survived a collection. */
struct mp_live_ages *lb_ages(struct live_builder *b, uint32_t context, unsigned kind,
                             uint64_t survived, uint64_t aged);

/* Adds a cell of ALLOCS blocks of SIZE bytes, of which FREES are freed. All of them changed after the last peak. */
struct mp_live_cell *lb_cell(struct live_builder *b, uint32_t context, uint32_t size,
                             uint32_t allocs, uint32_t frees);

struct mp_live_recorder *lb_recorder(struct live_builder *b);

/* Returns the file, which the caller frees. */
uint8_t *lb_finish(struct live_builder *b, size_t *size);

/* Builds the paper's example: 10,000 widgets, of which 5,019 are red and kept. */
void lb_widgets(struct live_builder *b);

/* Builds a Lisp program, see live_lisp.c, with 100 conses, 10 points and 5 blocks of malloc. */
enum { LB_CONS = MP_KIND_LISP, LB_STRUCTURE, LB_BIGNUM, LB_POINT = MP_KIND_CLASS };
void lb_lisp(struct live_builder *b);

#endif
/* SPDX-License-Identifier: MIT */
