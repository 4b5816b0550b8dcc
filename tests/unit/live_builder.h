/*
 * live_builder.h -- makes live files in memory, struct by struct, as a monitor would.
 *
 * Ids returned are those of the file.  Set first[] before the first record of a kind.
 */
#ifndef MP_TEST_LIVE_BUILDER_H
#define MP_TEST_LIVE_BUILDER_H

#include <stddef.h>

#include "runtime/format.h"

#define LB_RECORDS 64

struct live_builder {
    struct mp_live_header header;
    uint32_t first[MP_EXT_KINDS];       /* first id; 1 unless set */
    uint32_t count[MP_EXT_KINDS];
    char strings[2048];
    struct mp_live_module modules[LB_RECORDS];
    struct mp_live_frame frames[LB_RECORDS];
    struct mp_live_context contexts[LB_RECORDS];
    struct mp_live_cell cells[LB_RECORDS];
    struct mp_live_tail tails[LB_RECORDS];
    struct mp_live_recorder recorders[2];
    uint32_t split;                     /* contexts and cells from this index on: a second extent */
};

void lb_init(struct live_builder *b);
uint32_t lb_string(struct live_builder *b, const char *text);
uint32_t lb_module(struct live_builder *b, const char *path, uint64_t bias, uint8_t build_id);
uint32_t lb_frame(struct live_builder *b, uint32_t module, uint64_t ip);
uint32_t lb_context(struct live_builder *b, uint32_t parent, uint32_t frame);

/* A cell of ALLOCS blocks of SIZE bytes, FREES of them freed, all of it after the last peak. */
struct mp_live_cell *lb_cell(struct live_builder *b, uint32_t context, uint32_t size,
                             uint64_t allocs, uint64_t frees);
struct mp_live_recorder *lb_recorder(struct live_builder *b);

/* The file, malloc()ed. */
uint8_t *lb_finish(struct live_builder *b, size_t *size);

/* The paper's example: widgets, 5019 of 10000 red and kept. */
void lb_widgets(struct live_builder *b);

#endif
