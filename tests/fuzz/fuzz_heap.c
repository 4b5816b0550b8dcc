/* Fuzzes the reader of heap snapshots and the computations of mprof heap. An input is a whole file; or, so that
 * changes pass the checksums, one byte for the version and the records of a block. The block is compressed if PACKED
 * is added to that byte. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "config.h"
#ifdef MP_HAVE_ZSTD
#include <zstd.h>
#endif

#include "reporter/base/buffer.h"
#include "reporter/heap/heap_growth.h"
#include "reporter/heap/heap_hold.h"
#include "reporter/heap/heap_names.h"
#include "reporter/heap/heap_report.h"

#define PACKED 0x80

/* Makes CONTENT the form in which a file stores the SIZE bytes: compressed in ROOM if that is shorter. Returns its
 * size. */
static uint32_t
pack(const uint8_t **content, uint32_t size, uint8_t *room)
{
#ifdef MP_HAVE_ZSTD
    size_t got = ZSTD_compress(room, size, *content, size, 1);

    if (!ZSTD_isError(got) && got < size) {
        *content = room;
        return (uint32_t)got;
    }
#else
    (void)content, (void)room;
#endif
    return size;
}

static void
wrap(struct mp_buffer *file, const uint8_t *data, size_t size)
{
    static uint8_t room[MP_HEAP_MAX_BLOCK];
    uint32_t n = size > MP_HEAP_MAX_BLOCK ? MP_HEAP_MAX_BLOCK : (uint32_t)(size - (size > 0)), stored = n;
    const uint8_t *content = data + 1;
    uint8_t form = size > 0 ? data[0] & (PACKED - 1) : MP_HEAP_RAW;
    size_t start;

    mp_buffer_bytes(file, MP_HEAP_MAGIC, 8);
    mp_buffer_u32(file, MP_HEAP_VERSION);
    mp_buffer_u32(file, form);
    start = file->size;
    if (size > 0 && data[0] & PACKED)
        stored = pack(&content, n, room);
    mp_buffer_u32(file, n);
    mp_buffer_u32(file, stored);
    mp_buffer_bytes(file, content, stored);
    mp_buffer_u32(file, (uint32_t)crc32_z(0, file->bytes + start, file->size - start));
}

static void
must_be_clean(struct mp_heap *heap, const struct mp_heap_tables *tables)
{
    const struct mp_print_options how = {.width = 0};
    struct mp_heap_sum reached = mp_heap_reached(heap);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    mp_heap_head_print(heap, &reached, out);
    mp_heap_tables_print(tables, &how, out);
    fclose(out);
    fuzz_must_be_clean(text, size);
    free(text);
}

static void
ask(struct mp_heap *heap, struct mp_heap_question question)
{
    struct mp_heap_tables tables = {.arena = mp_arena_new(), .most = 100};
    struct mp_error error = {0};
    bool ok;

    question.depth = 3;
    ok = mp_heap_answer(heap, &question, &tables, &error);
    if ((!ok && error.code == MP_ERR_NONE) || !mp_heap_recall_references(heap, &error))
        abort();
    if (ok)
        must_be_clean(heap, &tables);
    mp_arena_free(tables.arena);
}

/* Roots at low addresses belong to the thread that asks. */
static void
ask_hold(struct mp_heap *heap, uint32_t object)
{
    static const struct mp_heap_range own = {1, 64};
    struct mp_arena *arena = mp_arena_new();
    struct mp_error error = {0};
    struct mp_heap_hold hold;

    if (!mp_heap_hold(heap, mp_heap_address(heap, object), &own, 1, 3, arena, &hold, &error) ||
        hold.retained.objects == 0)
        abort();
    for (uint32_t i = 0; i < hold.n_ways; i++) {
        const struct mp_heap_hold_way *way = &hold.ways[i];

        if (way->n > 0 && way->steps[way->n - 1].address != mp_heap_address(heap, object))
            abort();
    }
    mp_arena_free(arena);
}

static void
ask_all(struct mp_heap *heap)
{
    struct mp_heap_tables tables = {.arena = mp_arena_new()};
    struct mp_error error = {0};

    ask(heap, (struct mp_heap_question){0});
    for (uint32_t i = 0; i < heap->n_objects && i < 4; i++)
        ask(heap, (struct mp_heap_question){.object = mp_heap_address(heap, i), .has_object = true, .path = true});
    for (uint32_t i = 0; i < heap->n_types && i < 4; i++)
        ask(heap, (struct mp_heap_question){.type = mp_heap_type_text(heap, i), .slots = true});
    for (uint32_t i = 0; i < heap->n_tops && i < 4; i++)
        ask(heap, (struct mp_heap_question){.root = mp_heap_top_text(heap, i)});
    free(mp_heap_reach(heap, UINT32_MAX));
    mp_heap_survivors(heap, heap, heap, &tables);
    if (!mp_heap_growth(heap, heap, &tables, &error) || !mp_heap_recall_references(heap, &error))
        abort();
    mp_arena_free(tables.arena);
    for (uint32_t i = 0; i < heap->n_objects && i < 4; i++)
        ask_hold(heap, i);
    mp_heap_charge(heap);
    ask(heap, (struct mp_heap_question){0});
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mp_buffer file = {0};
    struct mp_error error = {0};
    struct mp_heap *heap;
    uint8_t *copy;

    if (size >= 8 && memcmp(data, MP_HEAP_MAGIC, 8) == 0)
        mp_buffer_bytes(&file, data, size);
    else
        wrap(&file, data, size);
    copy = fuzz_copy(file.bytes, file.size);
    heap = mp_heap_load_bytes(copy, file.size, "fuzz", &error);
    if (heap)
        ask_all(heap);
    else if (error.code == MP_ERR_NONE)
        abort();
    mp_heap_free(heap);
    free(copy);
    mp_buffer_free(&file);
    return 0;
}
/* SPDX-License-Identifier: MIT */
