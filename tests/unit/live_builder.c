#include "live_builder.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/sizeclass.h"

static const struct table {
    size_t at, size;
} tables[MP_EXT_KINDS] = {
#define TABLE(field, type) {offsetof(struct live_builder, field), sizeof(type)}
    [MP_EXT_STRINGS] = TABLE(strings, char),
    [MP_EXT_MODULES] = TABLE(modules, struct mp_live_module),
    [MP_EXT_FRAMES] = TABLE(frames, struct mp_live_frame),
    [MP_EXT_CONTEXTS] = TABLE(contexts, uint32_t),
    [MP_EXT_CELLS] = TABLE(cells, struct mp_live_cell),
    [MP_EXT_MIXED] = TABLE(mixed, struct mp_live_mixed),
    [MP_EXT_RECORDERS] = TABLE(recorders, struct mp_live_recorder),
    [MP_EXT_NAMES] = TABLE(names, struct mp_live_name),
    [MP_EXT_OBJECT_KINDS] = TABLE(kinds, struct mp_live_kind),
    [MP_EXT_AGES] = TABLE(ages, struct mp_live_ages),
    [MP_EXT_MARKS] = TABLE(marks, struct mp_live_mark),
    [MP_EXT_FORMER] = TABLE(former, struct mp_live_former),
    [MP_EXT_RESIZED] = TABLE(resized, struct mp_live_resized),
    [MP_EXT_LIFETIMES] = TABLE(lifetimes, struct mp_live_lifetimes),
#undef TABLE
};

void
lb_init(struct live_builder *b)
{
    memset(b, 0, sizeof *b);
    memcpy(b->header.magic, MP_LIVE_MAGIC, sizeof b->header.magic);
    b->header.version = MP_LIVE_VERSION;
    b->header.byte_order = MP_BYTE_ORDER;
    b->header.header_size = MP_HEADER_SIZE;
    b->header.machine = 62;
    b->header.page_size = 4096;
    b->header.state = MP_STATE_EXITED;
    b->header.pid = 4711;
    b->header.ppid = 4710;
    b->header.start_realtime = 1700000000000000000;
    b->header.start_monotonic = 5000;
    b->header.end_monotonic = 7500;
    b->header.epoch = MP_EPOCH_PEAK;
    for (int kind = 0; kind < MP_EXT_KINDS; kind++)
        b->first[kind] = 1;
    b->first[MP_EXT_FRAMES] = MP_FRAME_FIRST;
}

static uint32_t
next_id(struct live_builder *b, enum mp_extent_kind kind)
{
    return b->first[kind] + b->count[kind]++;
}

uint32_t
lb_string(struct live_builder *b, const char *text)
{
    uint32_t at = b->count[MP_EXT_STRINGS];

    strcpy(b->strings + at, text);
    b->count[MP_EXT_STRINGS] += (uint32_t)strlen(text) + 1;
    return b->first[MP_EXT_STRINGS] + at;
}

uint32_t
lb_module(struct live_builder *b, const char *path, uint64_t bias, uint8_t build_id)
{
    struct mp_live_module *module = &b->modules[b->count[MP_EXT_MODULES]];

    module->start = module->bias = bias;
    module->end = bias + 0x10000;
    module->path = lb_string(b, path);
    module->build_id_size = build_id ? 20 : 0;
    memset(module->build_id, build_id, module->build_id_size);
    return next_id(b, MP_EXT_MODULES);
}

uint32_t
lb_frame(struct live_builder *b, uint32_t module, uint64_t ip)
{
    b->frames[b->count[MP_EXT_FRAMES]] =
        (struct mp_live_frame){.ip = ip, .module = module, .flags = MP_LIVE_FRAME_VALID};
    return next_id(b, MP_EXT_FRAMES);
}

uint32_t
lb_context(struct live_builder *b, uint32_t parent, uint32_t frame)
{
    uint32_t *n = &b->count[MP_EXT_CONTEXTS];

    if (parent == 0 || parent + 1 != b->first[MP_EXT_CONTEXTS] + *n)
        b->contexts[(*n)++] = MP_CONTEXT_RUN | parent;
    b->contexts[*n] = frame;
    return next_id(b, MP_EXT_CONTEXTS);
}

uint32_t
lb_name(struct live_builder *b, const char *name, uint32_t flags)
{
    uint32_t string = lb_string(b, name);

    b->names[b->count[MP_EXT_NAMES]] = (struct mp_live_name){
        .name = string, .position = -1, .flags = MP_LIVE_NAME_VALID | flags};
    return next_id(b, MP_EXT_NAMES);
}

void
lb_kind(struct live_builder *b, unsigned kind, unsigned base, const char *name, char category)
{
    uint32_t string = lb_string(b, name);

    b->kinds[b->count[MP_EXT_OBJECT_KINDS]] = (struct mp_live_kind){
        .name = string, .kind = (uint16_t)kind, .base = (uint16_t)base,
        .category = (uint8_t)category};
    next_id(b, MP_EXT_OBJECT_KINDS);
}

static struct mp_live_cell *
add_cell(struct live_builder *b, uint32_t context, unsigned kind, uint32_t allocs, uint32_t frees)
{
    struct mp_live_cell *cell = &b->cells[b->count[MP_EXT_CELLS]];

    *cell = (struct mp_live_cell){
        .context = context, .kind = (uint16_t)kind, .allocs = allocs, .frees = frees};
    next_id(b, MP_EXT_CELLS);
    return cell;
}

struct mp_live_mixed *
lb_objects(struct live_builder *b, uint32_t context, unsigned kind, uint32_t allocs,
           uint64_t bytes, uint32_t frees, uint64_t freed)
{
    struct mp_live_cell *cell = add_cell(b, context, kind | MP_CELL_MIXED, allocs, frees);
    struct mp_live_mixed *mixed = &b->mixed[b->count[MP_EXT_MIXED]];

    *mixed = (struct mp_live_mixed){.bytes = bytes, .freed = freed};
    cell->size = next_id(b, MP_EXT_MIXED);
    return mixed;
}

struct mp_live_ages *
lb_ages(struct live_builder *b, uint32_t context, unsigned kind, uint64_t survived, uint64_t aged)
{
    struct mp_live_ages *ages = &b->ages[b->count[MP_EXT_AGES]];

    *ages = (struct mp_live_ages){
        .context = context, .kind = (uint16_t)kind, .survived = {survived}, .aged = aged};
    next_id(b, MP_EXT_AGES);
    return ages;
}

struct mp_live_cell *
lb_cell(struct live_builder *b, uint32_t context, uint32_t size, uint32_t allocs, uint32_t frees)
{
    struct mp_live_cell *cell = add_cell(b, context, mp_sizeclass(size), allocs, frees);

    cell->size = size;
    return cell;
}

struct mp_live_recorder *
lb_recorder(struct live_builder *b)
{
    struct mp_live_recorder *recorder = &b->recorders[b->count[MP_EXT_RECORDERS]];

    recorder->in_use = recorder->threads = 1;
    next_id(b, MP_EXT_RECORDERS);
    return recorder;
}

static void
add_extent(struct live_builder *b, enum mp_extent_kind kind, uint32_t index, uint32_t count,
           uint64_t *end)
{
    struct mp_live_extent *extent = &b->header.extents[b->header.n_extents++];

    *extent = (struct mp_live_extent){.kind = kind, .first = b->first[kind] + index,
                                      .count = count, .offset = *end,
                                      .record_size = (uint32_t)tables[kind].size};
    *end += (count * tables[kind].size + 4095) & ~(uint64_t)4095;
}

uint8_t *
lb_finish(struct live_builder *b, size_t *size)
{
    uint64_t end = MP_HEADER_SIZE;
    uint8_t *file;

    b->header.n_extents = 0;
    for (int i = MP_EXT_STRINGS; i < MP_EXT_KINDS; i++) {
        enum mp_extent_kind kind = (enum mp_extent_kind)i;
        uint32_t n = b->count[kind];
        uint32_t first = b->split && n > b->split && kind >= MP_EXT_CONTEXTS &&
                         kind <= MP_EXT_MIXED ? b->split : n;

        if (n == 0 && kind > MP_EXT_RECORDERS)
            continue;           /* belongs to a language that the file does not have */
        add_extent(b, kind, 0, first, &end);
        if (n > first)
            add_extent(b, kind, first, n - first, &end);
    }
    b->header.file_size = *size = end;
    file = calloc(1, end);
    memcpy(file, &b->header, sizeof b->header);
    for (uint32_t i = 0; i < b->header.n_extents; i++) {
        const struct mp_live_extent *extent = &b->header.extents[i];

        memcpy(file + extent->offset,
               (const char *)b + tables[extent->kind].at +
                   (extent->first - b->first[extent->kind]) * extent->record_size,
               extent->count * (size_t)extent->record_size);
    }
    return file;
}

void
lb_widgets(struct live_builder *b)
{
    uint32_t program, libc, start, callers[3], makers[2], context;

    lb_recorder(b);
    b->header.monitor = lb_string(b, "0.1.0");
    b->header.program = lb_string(b, "/home/zorn/widgets");
    b->header.arguments = lb_string(b, "./widgets");
    lb_string(b, "10000");
    b->header.n_arguments = 2;
    program = lb_module(b, "/home/zorn/widgets", 0x555555554000, 0x11);
    libc = lb_module(b, "/lib/x86_64-linux-gnu/libc.so.6", 0x7ffff7c00000, 0x22);
    start = lb_context(b, 0, lb_frame(b, libc, 0x7ffff7c2724a));
    callers[0] = lb_frame(b, program, 0x555555555210);
    callers[1] = lb_frame(b, program, 0x5555555551c0);
    callers[2] = lb_frame(b, program, 0x5555555551a0);
    makers[0] = lb_frame(b, program, 0x555555555160);
    makers[1] = lb_frame(b, program, 0x555555555180);
    context = lb_context(b, start, callers[0]);
    lb_cell(b, lb_context(b, lb_context(b, context, callers[1]), makers[0]), 204, 5019, 0);
    lb_cell(b, lb_context(b, lb_context(b, context, callers[2]), makers[1]), 204, 4981, 4981);
    b->header.live_bytes = b->header.peak_bytes = 5019 * 204;
}
/* SPDX-License-Identifier: MIT */
