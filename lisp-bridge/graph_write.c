/* SPDX-License-Identifier: MIT */
#include "graph_state.h"

#include <string.h>

#include "print_object.h"
#include "runtime/compiler.h"
#include "runtime/heap/heap_record.h"
#include "runtime/system/sys.h"

#define SITES_BITS 16u
#define BEGINNING  40u          /* maximum number of characters written of a string */

/* ------------------------------------------------------------------ sites */

static uint32_t
site_of(struct mp_object_graph *g, uintptr_t object)
{
    const uint32_t context = g->has_sites ? mp_heap_site((const void *)object) : 0;
    const uint32_t row = context >> SITES_BITS;
    uint32_t *site;

    if (!context || row >= sizeof g->sites / sizeof *g->sites)
        return 0;
    if (!g->sites[row])
        g->sites[row] = mp_sys_map_sparse(sizeof *site << SITES_BITS);
    if (!g->sites[row])
        return 0;
    site = &g->sites[row][context % (1u << SITES_BITS)];
    if (!*site)
        *site = mp_stream_site(g->stream, context);
    return *site;
}

/* ------------------------------------------------------------------ objects */

/* Counts references from word FROM on. The number of references is written before the references. If there are too
 * many for the buffer, they are collected twice. */
static uint64_t
count_more(struct mp_object_graph *g, const struct mp_graph_block *block, uint64_t from)
{
    uint64_t n = 0, some;

    while ((some = mp_graph_references(g, block, &from, g->more_references, MP_STREAM_SOME)) > 0)
        n += some;
    return n;
}

static void
write_references(struct mp_object_graph *g, const struct mp_graph_block *block, struct mp_stream_object *o)
{
    const bool weak = g->types[o->type].weak;
    struct mp_stream_reference *const references = g->references;
    uint64_t from = 0, n = mp_graph_references(g, block, &from, references, MP_STREAM_SOME);

    if (MP_LIKELY(n < MP_STREAM_SOME)) {
        mp_stream_whole_object(g->stream, o, weak, references, (uint32_t)n);
        return;
    }
    o->n_references = n + count_more(g, block, from);
    mp_stream_object(g->stream, o);
    for (; n > 0; n = n < MP_STREAM_SOME ? 0 : mp_graph_references(g, block, &from, references, MP_STREAM_SOME))
        for (uint64_t i = 0; i < n; i++)
            mp_stream_reference(g->stream, references[i].slot, weak, references[i].held);
}

/* Copies the first N characters of a string to ROOM. Returns false if some are not printable ASCII. */
static bool
copy_plain(cl_object string, cl_index n, char *room)
{
    const bool base = string->d.t == t_base_string;
    bool plain = true;

    for (cl_index i = 0; i < n; i++) {
        const uint32_t c = base ? string->base_string.self[i] : (uint32_t)string->string.self[i];

        plain &= c - ' ' < 0x7f - ' ';
        room[i] = (char)c;
    }
    return plain;
}

/* Writes the beginning of a string. Its data may belong to another string. */
static void
write_beginning(struct mp_object_graph *g, cl_object string)
{
    const bool base = string->d.t == t_base_string;
    const size_t unit = base ? 1 : sizeof(ecl_character);
    const cl_index n = string->base_string.fillp < BEGINNING ? string->base_string.fillp : BEGINNING;
    char room[4 * BEGINNING + 1];
    union mp_lisp_object part;
    struct mp_text text;

    if (!n || !mp_graph_is_readable(g, (uintptr_t)string->base_string.self, n * unit))
        return;
    if (copy_plain(string, n, room)) {
        mp_stream_beginning(g->stream, room, n);
        return;
    }
    part = (union mp_lisp_object){ .base_string = string->base_string };
    part.base_string.fillp = n;
    text = mp_text_begin(room, sizeof room);
    mp_text_princ(&text, &part);
    mp_stream_beginning(g->stream, room, strlen(room));
}

/* ------------------------------------------------------------------ keys */

#define MAX_KEY 300u            /* maximum number of bytes of a key */

/* Appends character O in the reader's syntax. */
static void
put_character(struct mp_text *text, cl_object o)
{
    static const struct { uint32_t code; const char *name; } named[] = {
        { '\n', "#\\Newline" }, { ' ', "#\\Space" }, { '\t', "#\\Tab" }, { '\r', "#\\Return" },
        { '\f', "#\\Page" }, { '\b', "#\\Backspace" }, { 0, "#\\Null" }, { 0x1b, "#\\Esc" }, { 0x7f, "#\\Rubout" },
    };

    for (unsigned i = 0; i < sizeof named / sizeof *named; i++)
        if ((uint32_t)ECL_CHAR_CODE(o) == named[i].code) {
            mp_text_put(text, named[i].name);
            return;
        }
    mp_text_print(text, o);
}

/* Writes KEY at AT. DISTANCE is the number of entries skipped since the last key. Returns the new end, or NULL if the
 * key is of a type that is not written. */
static uint8_t *
put_key(struct mp_object_graph *g, uint8_t *at, cl_object key, uint64_t distance)
{
    char room[MAX_KEY - 16];
    struct mp_text text = mp_text_begin(room, sizeof room);
    enum mp_heap_key_kind kind = MP_KEY_SYMBOL;
    size_t length;

    if (ECL_FIXNUMP(key)) {
        at = mp_stream_put(at, 4 * distance + MP_KEY_FIXNUM);
        return mp_stream_put(at, mp_stream_signed(ecl_fixnum(key)));
    }
    if (ECL_IMMEDIATE(key) == t_character) {
        kind = MP_KEY_CHARACTER;
        put_character(&text, key);
    } else if (key == ECL_NIL || ((uintptr_t)key - mp_ecl.symbols.start < mp_ecl.symbols.size &&
                                  mp_graph_is_symbol(g, key))) {
        mp_text_print(&text, key);
    }
    length = strlen(room);
    if (length == 0)
        return NULL;
    at = mp_stream_put(at, 4 * distance + kind);
    at = mp_stream_put(at, length);
    memcpy(at, room, length);
    return at + length;
}

static void
write_keys(struct mp_object_graph *g, const struct mp_graph_block *block)
{
    const struct ecl_hashtable_entry *entries = (const void *)block->base;
    const uint64_t n = block->size / sizeof *entries;
    uint8_t *const bytes = g->buffer.keys, *at = bytes, *next;
    uint64_t expected = 0;

    for (uint64_t i = 0; i < n; i++) {
        next = entries[i].key ? put_key(g, at, entries[i].key, i - expected) : NULL;
        if (!next)
            continue;
        expected = i + 1;
        at = next;
        if (bytes + sizeof g->buffer.keys - at < MAX_KEY) {
            mp_stream_keys(g->stream, bytes, (size_t)(at - bytes));
            at = bytes;
            expected = 0;
        }
    }
    if (at > bytes)
        mp_stream_keys(g->stream, bytes, (size_t)(at - bytes));
}

/* ------------------------------------------------------------------ free memory */

/* `blocks` counts free blocks, indexed by the logarithm of their size to base 2. `places` counts free places for small
 * objects, indexed by the size of the place in granules. */
struct sums {
    struct { uint64_t number, bytes; } blocks[64], places[MP_GRAPH_SHARED / MP_GC_GRANULE + 1];
};

static void
end_run(struct sums *sums, uint64_t *run)
{
    const unsigned power = *run > 0 ? 63 - (unsigned)__builtin_clzll(*run) : 0;

    sums->blocks[power].number += *run > 0;
    sums->blocks[power].bytes += *run;
    *run = 0;
}

/* The page at PAGE is divided into places of SIZE bytes. Returns the number of places without a live object, and sets
 * *ALL to the number of places. */
static uint64_t
free_places(struct mp_object_graph *g, uintptr_t page, uint64_t size, uint64_t *all)
{
    uint64_t n = 0;

    *all = MP_GC_PAGE / size;
    for (uint64_t i = 0; i < *all; i++)
        n += mp_graph_type_at(&g->heap, page + i * size) == 0 && !mp_ecl.gc_is_marked((void *)(page + i * size));
    return n;
}

/* Examines the large block, or the page of small objects, that begins at PAGE, and returns its size in bytes. If it is
 * free, adds the size to *RUN, the bytes of neighbouring free blocks; otherwise ends the run. */
static uint64_t
look_at_block(struct mp_object_graph *g, uintptr_t page, struct sums *sums, uint64_t *run)
{
    struct mp_graph_block block;
    uint64_t n, all = 1, bytes = MP_GC_PAGE;
    size_t size = 0;

    if (!mp_graph_find(&g->heap, page, &block)) {
        if (!mp_ecl.gc_is_heap_ptr((void *)page)) {
            end_run(sums, run);                         /* not part of libgc's heap */
            return bytes;
        }
        mp_ecl.gc_kind((void *)page, &size);            /* size of the whole free block */
        bytes = size >= bytes ? size & ~(uint64_t)(MP_GC_PAGE - 1) : bytes;
        *run += bytes;
        return bytes;
    }
    if (block.size > MP_GRAPH_SHARED) {
        bytes = (block.base + block.size - page + MP_GC_PAGE - 1) & ~(uint64_t)(MP_GC_PAGE - 1);
        n = *block.type == 0 && !mp_ecl.gc_is_marked((void *)block.base);
    } else {
        n = free_places(g, page, block.size, &all);
    }
    if (n == all) {
        *run += bytes;
        return bytes;
    }
    end_run(sums, run);
    if (n > 0) {
        sums->places[block.size / MP_GC_GRANULE].number += n;
        sums->places[block.size / MP_GC_GRANULE].bytes += n * block.size;
    }
    return bytes;
}

/* Writes sums of the free memory. Possible only within a collection, when all live objects are marked. */
static void
write_free(struct mp_object_graph *g)
{
    struct sums sums;
    uint64_t run = 0;

    if (!g->stopped || !mp_ecl.gc_is_heap_ptr)
        return;
    memset(&sums, 0, sizeof sums);
    for (uint32_t i = 0; i < g->n_mappings; i++) {
        const struct mp_graph_mapping *m = &g->mappings[i];
        uintptr_t page = m->start > g->heap.low ? m->start : g->heap.low;

        page = (page + MP_GC_PAGE - 1) & ~(uintptr_t)(MP_GC_PAGE - 1);
        while (page < m->end && page - g->heap.low < g->heap.span)
            page += look_at_block(g, page, &sums, &run);
        end_run(&sums, &run);
    }
    for (unsigned i = 0; i < sizeof sums.places / sizeof *sums.places; i++)
        if (sums.places[i].number > 0)
            mp_stream_free(g->stream, sums.places[i].number, i * MP_GC_GRANULE, true, sums.places[i].bytes);
    for (unsigned i = 0; i < sizeof sums.blocks / sizeof *sums.blocks; i++)
        if (sums.blocks[i].number > 0)
            mp_stream_free(g->stream, sums.blocks[i].number, (uint64_t)1 << i, false, sums.blocks[i].bytes);
}

/* ------------------------------------------------------------------ the whole snapshot */

static void
write_object(struct mp_object_graph *g, const struct mp_graph_block *block)
{
    struct mp_stream_object o = { block->base, block->size, *block->type, site_of(g, block->base), false, 0 };
    const unsigned tag = g->types[o.type].tag;

    g->without_site += !o.site;
    write_references(g, block, &o);
    if (g->strings && (tag == t_string || tag == t_base_string))
        write_beginning(g, (cl_object)block->base);
    else if (mp_graph_name(g, (cl_object)block->base, &g->types[o.type], g->buffer.text, 512))
        mp_stream_name(g->stream, g->buffer.text, strlen(g->buffer.text));
    if (g->types[o.type].keys)
        write_keys(g, block);
}

void
mp_graph_write(struct mp_object_graph *g)
{
    struct mp_graph_block block;
    struct mp_graph_walk walk = { 0 };

    while (mp_stream_error(g->stream) == 0 && mp_graph_next(&g->heap, &walk, &block))
        write_object(g, &block);
    write_free(g);
    for (uint32_t i = 0; i < sizeof g->sites / sizeof *g->sites; i++)
        if (g->sites[i])
            mp_sys_unmap(g->sites[i], sizeof(uint32_t) << SITES_BITS);
}
