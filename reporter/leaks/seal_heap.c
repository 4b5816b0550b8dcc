#include "seal_heap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "leaks.h"
#include "reporter/base/buffer.h"
#include "reporter/base/write_file.h"

#define HEADER 8u               /* of a block: size, stored size */

/* What is written: whole blocks, and behind them at `block` the present one, which grows with its header. */
struct writer {
    struct mp_buffer out;
    size_t block, record;       /* where it, and the record that is being written, begin */
    struct mp_map texts;        /* their numbers are one less than in the file */
    uint64_t n_references;
};

/* ------------------------------------------------------------------ blocks and records */

static void
begin_block(struct writer *w)
{
    w->block = w->out.size;
    mp_buffer_u64(&w->out, 0);
}

/* The present block ends at END; what stands behind it is the beginning of the next one. */
static void
end_block(struct writer *w, size_t end)
{
    const size_t start = w->block, rest = w->out.size - end;
    const uint32_t size = (uint32_t)(end - start - HEADER);
    uint8_t *moved = mp_need(malloc(rest + 1));

    memcpy(moved, w->out.bytes + end, rest);
    w->out.size = end;
    for (size_t i = 0; i < 4; i++)
        w->out.bytes[start + i] = w->out.bytes[start + 4 + i] = (uint8_t)(size >> 8 * i);
    mp_buffer_u32(&w->out, (uint32_t)crc32(0, w->out.bytes + start, size + HEADER));
    begin_block(w);
    mp_buffer_bytes(&w->out, moved, rest);
    free(moved);
}

static struct mp_buffer *
record(struct writer *w, enum mp_heap_record tag)
{
    if (w->out.size - w->block - HEADER > MP_HEAP_MAX_BLOCK)
        end_block(w, w->record);
    w->record = w->out.size;
    mp_buffer_varint(&w->out, tag);
    return &w->out;
}

/* The number of TEXT, which is defined if need be: not amid a record.  0: of "". */
static uint32_t
text(struct writer *w, const char *bytes)
{
    const size_t length = strlen(bytes);
    const uint32_t known = w->texts.count, id = length > 0 ? mp_map_add(&w->texts, bytes, length) + 1 : 0;
    struct mp_buffer *out;

    if (id > known) {
        out = record(w, MP_HEAP_TEXT);
        mp_buffer_varint(out, length > MP_HEAP_MAX_TEXT ? MP_HEAP_MAX_TEXT : length);
        mp_buffer_bytes(out, bytes, length > MP_HEAP_MAX_TEXT ? MP_HEAP_MAX_TEXT : length);
    }
    return id;
}

/* ------------------------------------------------------------------ facts, sites, roots */

static void
put_facts(struct writer *w, const struct mp_heap *heap)
{
    for (uint32_t i = 1; i < MP_FACTS; i++) {
        const uint32_t words = text(w, heap->texts[i]);
        struct mp_buffer *out;

        if (!words && heap->facts[i] == 0)
            continue;
        out = record(w, words ? MP_HEAP_FACT_TEXT : MP_HEAP_FACT);
        mp_buffer_varint(out, i);
        mp_buffer_varint(out, words ? words : heap->facts[i]);
    }
}

/* Define the calls of CONTEXT, called by the site CALLER, outermost first: the innermost. */
static uint32_t
put_calls(struct writer *w, const struct mp_profile *profile, uint32_t context, uint32_t caller, uint32_t *n_sites)
{
    const struct mp_frame *frame = &profile->frames[profile->contexts[context].frame];

    for (uint32_t i = mp_frame_locations(frame); i-- > 0;) {
        const struct mp_location *at = &profile->locations[frame->first_location + i];
        const uint32_t function = text(w, profile->functions[at->function].name), file = text(w, at->file);
        struct mp_buffer *out = record(w, MP_HEAP_SITE);

        mp_buffer_varint(out, caller);
        mp_buffer_varint(out, function);
        mp_buffer_varint(out, file);
        mp_buffer_varint(out, at->line);
        caller = ++*n_sites;
    }
    return caller;
}

/* By site of HEAP, the new one; the caller frees it. */
static uint32_t *
put_sites(struct writer *w, const struct mp_heap *heap, const struct mp_profile *profile)
{
    uint32_t *of_context = mp_need(calloc(profile->n_contexts, sizeof *of_context));
    uint32_t *of_site = mp_need(calloc((size_t)heap->n_sites + 1, sizeof *of_site));
    uint32_t n_sites = 0;

    for (uint32_t i = 1; i < heap->n_sites; i++)
        for (uint32_t c = mp_leaks_context(profile, i, heap->sites[i].context); c != 0 && !of_context[c];
             c = profile->contexts[c].parent)
            of_context[c] = 1;
    for (uint32_t c = 1; c < profile->n_contexts; c++)          /* callers come first */
        if (of_context[c])
            of_context[c] = put_calls(w, profile, c, of_context[profile->contexts[c].parent], &n_sites);
    for (uint32_t i = 1; i < heap->n_sites; i++)
        of_site[i] = of_context[mp_leaks_context(profile, i, heap->sites[i].context)];
    free(of_context);
    return of_site;
}

static void
put_roots(struct writer *w, const struct mp_heap *heap)
{
    for (uint32_t i = 0; i < heap->n_roots; i++) {
        const struct mp_heap_root *root = &heap->roots[i];
        const uint32_t title = text(w, root->title), group = text(w, root->group);
        struct mp_buffer *out = record(w, MP_HEAP_ROOT);

        mp_buffer_varint(out, root->kind);
        mp_buffer_varint(out, title);
        mp_buffer_varint(out, group);
        mp_buffer_varint(out, root->place);
        mp_buffer_varint(out, root->target);
    }
}

/* ------------------------------------------------------------------ types and objects */

static void
put_types(struct writer *w, const struct mp_heap *heap)
{
    for (uint32_t i = 1; i < heap->n_types; i++) {
        const uint32_t name = text(w, heap->types[i].name);
        struct mp_buffer *out = record(w, MP_HEAP_TYPE);

        mp_buffer_varint(out, heap->types[i].shape);
        mp_buffer_varint(out, name);
        mp_buffer_varint(out, 0);
    }
}

/* References to the inside of a block become such to its second byte: how far inside is not kept. */
static void
put_references(struct writer *w, const struct mp_heap *heap, uint32_t object)
{
    struct mp_heap_walk walk = mp_heap_walk(heap, object);
    const uint64_t address = mp_heap_address(heap, object);
    uint64_t left = walk.end - walk.at, next = 0;
    uint32_t in_record = 0;

    mp_buffer_varint(&w->out, left < 8192 ? left : 8192);
    while (mp_heap_next(heap, &walk)) {
        if (in_record++ == 8192) {
            mp_buffer_varint(record(w, MP_HEAP_MORE), left < 8192 ? left : 8192);
            in_record = 1;
        }
        mp_buffer_varint(&w->out, 2 * (walk.slot - next) + walk.weak);
        mp_buffer_signed(&w->out, (int64_t)(mp_heap_address(heap, walk.to) + walk.inside - address));
        next = walk.slot + 1;
        left--;
        w->n_references++;
    }
}

static void
put_objects(struct writer *w, const struct mp_heap *heap, const uint32_t *of_site)
{
    uint64_t end = 0;

    for (uint32_t i = 0; i < heap->n_objects; i++) {
        const struct mp_heap_class *class = mp_heap_class(heap, i);
        struct mp_buffer *out = record(w, MP_HEAP_OBJECT);

        mp_buffer_varint(out, mp_heap_address(heap, i) - end);
        mp_buffer_varint(out, class->size);
        mp_buffer_varint(out, 2 * (uint64_t)class->type + class->dead);
        mp_buffer_varint(out, of_site[class->site]);
        put_references(w, heap, i);
        end = mp_heap_address(heap, i) + class->size;
    }
}

/* ------------------------------------------------------------------ all */

static void
put_all(struct writer *w, const struct mp_heap *heap, const struct mp_profile *profile)
{
    struct mp_buffer *out = &w->out;
    uint32_t *of_site;

    mp_buffer_bytes(out, MP_HEAP_MAGIC, 8);
    mp_buffer_u32(out, MP_HEAP_VERSION);
    mp_buffer_u32(out, MP_HEAP_SEALED);
    begin_block(w);
    w->record = out->size;
    put_facts(w, heap);
    of_site = put_sites(w, heap, profile);
    put_roots(w, heap);
    put_types(w, heap);
    put_objects(w, heap, of_site);
    free(of_site);
    record(w, MP_HEAP_END);
    mp_buffer_varint(out, heap->n_objects);
    mp_buffer_varint(out, w->n_references);
    mp_buffer_varint(out, heap->n_roots);
    mp_buffer_varint(out, heap->bytes);
    if (out->size - w->block - HEADER > MP_HEAP_MAX_BLOCK)
        end_block(w, w->record);
    end_block(w, out->size);
    out->size -= HEADER;        /* of a block that does not come */
}

bool
mp_leaks_seal_heap(const struct mp_heap *heap, const struct mp_profile *profile, const char *path,
                   struct mp_error *error)
{
    struct mp_arena *arena = mp_arena_new();
    struct writer w = {.texts.arena = arena};
    bool ok;

    put_all(&w, heap, profile);
    if (w.out.failed)
        mp_no_memory();
    ok = mp_write_file(AT_FDCWD, path, w.out.bytes, w.out.size) ||
         mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", path, strerror(errno));
    mp_buffer_free(&w.out);
    mp_arena_free(arena);
    return ok;
}
