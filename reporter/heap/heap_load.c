/* Reads the records of a file into arrays, in two passes: first everything except references, then, once the
 * addresses of objects are known, references. Thus addresses that are referred to need not be stored. */
#include <stdlib.h>
#include <string.h>

#include "heap_parts.h"
#include "reporter/base/progress.h"
#include "reporter/base/text.h"

#define MOST_SLOTS ((uint64_t)1 << 20)  /* limit for slots with names, over all types */

/* ------------------------------------------------------------------ texts */

static const char *
text_of(struct mp_heap_loading *load, struct mp_cursor *cursor)
{
    uint32_t number = mp_cursor_below(cursor, load->n_texts + 1);

    return number == 0 ? "" : load->texts[number - 1];
}

static const char *
take_text(struct mp_heap_loading *load, struct mp_cursor *cursor)
{
    uint32_t length = mp_cursor_below(cursor, MP_HEAP_MAX_TEXT + 1);
    const uint8_t *bytes = mp_cursor_bytes(cursor, length);

    if (!bytes || load->pass != MP_PASS_OBJECTS)
        return "";
    return mp_text_clean(load->heap->arena, (const char *)bytes, length);
}

static void
define_text(struct mp_heap_loading *load, struct mp_cursor *cursor)
{
    const char *text = take_text(load, cursor);

    if (load->pass != MP_PASS_OBJECTS || cursor->problem)
        return;
    load->texts = mp_arena_grow(load->arena, load->texts, load->n_texts, &load->texts_room, sizeof *load->texts);
    load->texts[load->n_texts++] = text;
}

/* ------------------------------------------------------------ definitions */

static void
take_fact(struct mp_heap_loading *load, struct mp_cursor *cursor, bool is_text)
{
    uint64_t fact = mp_cursor_varint(cursor);
    const char *text = is_text ? text_of(load, cursor) : "";
    uint64_t value = is_text ? 0 : mp_cursor_varint(cursor);

    if (cursor->problem || fact >= MP_FACTS)    /* a later mprof may write more facts */
        return;
    if (is_text)
        load->heap->texts[fact] = text;
    else
        load->heap->facts[fact] = value;
}

static void
define_type(struct mp_heap_loading *load, struct mp_cursor *cursor)
{
    struct mp_heap *heap = load->heap;
    struct mp_heap_type type = {.shape = mp_cursor_below(cursor, MP_SHAPES), .name = text_of(load, cursor)};

    type.n_slots = mp_cursor_count(cursor, 1);
    load->n_slots += type.n_slots;
    if (load->n_slots > MOST_SLOTS)
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "types have too many slots");
    if (cursor->problem)
        return;
    type.slots = mp_arena_alloc(heap->arena, ((size_t)type.n_slots + 1) * sizeof *type.slots);
    for (uint32_t i = 0; i < type.n_slots; i++)
        type.slots[i] = text_of(load, cursor);
    if (cursor->problem)
        return;
    heap->types = mp_arena_grow(heap->arena, heap->types, heap->n_types, &load->types_room, sizeof *heap->types);
    heap->types[heap->n_types++] = type;
}

static void
define_site(struct mp_heap_loading *load, struct mp_cursor *cursor)
{
    struct mp_heap *heap = load->heap;
    struct mp_heap_site site = {.function = "", .file = ""};

    if (heap->form == MP_HEAP_RAW) {
        site.context = mp_cursor_varint(cursor);
    } else {
        site.caller = mp_cursor_below(cursor, heap->n_sites);
        site.function = text_of(load, cursor);
        site.file = text_of(load, cursor);
        site.line = mp_cursor_varint32(cursor);
        site.internal = site.line % 2 == 1;
        site.line = site.line / 2;
    }
    if (cursor->problem)
        return;
    heap->sites = mp_arena_grow(heap->arena, heap->sites, heap->n_sites, &load->sites_room, sizeof *heap->sites);
    heap->sites[heap->n_sites++] = site;
}

static void
take_root(struct mp_heap_loading *load, struct mp_cursor *cursor)
{
    struct mp_heap *heap = load->heap;
    struct mp_heap_root root = {.kind = mp_cursor_below(cursor, MP_ROOT_KINDS)};

    root.title = text_of(load, cursor);
    root.group = text_of(load, cursor);
    root.place = mp_cursor_varint(cursor);
    root.target = mp_cursor_varint(cursor);
    if (heap->n_roots >= MP_HEAP_MOST_ROOTS)
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "too many roots");
    if (cursor->problem)
        return;
    heap->roots = mp_arena_grow(heap->arena, heap->roots, heap->n_roots, &load->roots_room, sizeof *heap->roots);
    heap->roots[heap->n_roots++] = root;
}

static void
take_beginning(struct mp_heap_loading *load, struct mp_cursor *cursor, bool is_name)
{
    struct mp_heap *heap = load->heap;
    const char *text = take_text(load, cursor);
    uint32_t n = heap->n_beginnings;

    if (load->n_objects == 0)
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "a text of no object");
    else if (load->pass == MP_PASS_OBJECTS && n > 0 && heap->beginnings[n - 1].object == load->n_objects - 1)
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "two texts of one object");
    if (cursor->problem || load->pass != MP_PASS_OBJECTS)
        return;
    heap->beginnings = mp_arena_grow(heap->arena, heap->beginnings, n, &load->beginnings_room,
                                     sizeof *heap->beginnings);
    heap->beginnings[heap->n_beginnings++] = (struct mp_heap_beginning){load->n_objects - 1, is_name, text};
}

static void
take_part(struct mp_heap_loading *load, struct mp_cursor *cursor)
{
    struct mp_heap *heap = load->heap;
    const uint32_t type = mp_cursor_below(cursor, heap->n_types), owner = mp_cursor_below(cursor, heap->n_types);

    if (!cursor->problem && (type == 0 || owner == 0 || type == owner))
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "a part of nothing");
    if (!cursor->problem)
        heap->types[type].owner = owner;
}

/* Stores the keys of the last object. They are decoded when they are used; here they are only validated. */
static void
take_keys(struct mp_heap_loading *load, struct mp_cursor *cursor)
{
    struct mp_heap *heap = load->heap;
    const uint32_t size = mp_cursor_below(cursor, MP_HEAP_MAX_BLOCK);
    const uint8_t *bytes = mp_cursor_bytes(cursor, size);
    struct mp_heap_keys *keys;
    uint8_t *kept;
    struct mp_heap_key key;

    if (load->n_objects == 0)
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "keys of no object");
    if (cursor->problem || load->pass != MP_PASS_OBJECTS)
        return;
    heap->keys = mp_arena_grow(heap->arena, heap->keys, heap->n_keys, &load->keys_room, sizeof *heap->keys);
    keys = &heap->keys[heap->n_keys++];
    kept = mp_arena_alloc(heap->arena, (size_t)size + 1);
    memcpy(kept, bytes, size);
    *keys = (struct mp_heap_keys){load->n_objects - 1, size, kept};
    key = (struct mp_heap_key){.at = keys, .end = keys + 1};
    while (mp_heap_next_key(&key))
        continue;
    if (key.cursor.problem)
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "keys that are not whole");
}

static void
take_free(struct mp_heap_loading *load, struct mp_cursor *cursor)
{
    struct mp_heap *heap = load->heap;
    struct mp_heap_free free = {.number = mp_cursor_varint(cursor), .size = mp_cursor_varint(cursor)};

    free.bytes = mp_cursor_varint(cursor);
    free.places = free.size & 1;
    free.size /= 2;
    if (cursor->problem)
        return;
    heap->free = mp_arena_grow(heap->arena, heap->free, heap->n_free, &load->free_room, sizeof *heap->free);
    heap->free[heap->n_free++] = free;
}

static void
take_end(struct mp_heap_loading *load, struct mp_cursor *cursor)
{
    uint64_t objects = mp_cursor_varint(cursor), references = mp_cursor_varint(cursor);
    uint64_t roots = mp_cursor_varint(cursor), bytes = mp_cursor_varint(cursor);

    if (!cursor->problem && (objects != load->n_objects || references != load->n_references ||
                             roots != load->heap->n_roots || bytes != load->heap->bytes))
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "its sums are not those of its objects");
    else if (mp_cursor_left(cursor) > 0)
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "something stands behind the end");
    load->ended = true;
}

/* ---------------------------------------------------------------- records */

/* Reads one record. Texts, texts of objects and keys take effect in the first pass only; later passes skip their
 * bytes. */
static void
take_record(struct mp_heap_loading *load, struct mp_cursor *cursor)
{
    const uint8_t *tag = mp_cursor_bytes(cursor, 1);

    switch (tag ? *tag : 0) {
    case MP_HEAP_FACT: take_fact(load, cursor, false); return;
    case MP_HEAP_FACT_TEXT: take_fact(load, cursor, true); return;
    case MP_HEAP_TEXT: define_text(load, cursor); return;
    case MP_HEAP_TYPE: define_type(load, cursor); return;
    case MP_HEAP_SITE: define_site(load, cursor); return;
    case MP_HEAP_ROOT: take_root(load, cursor); return;
    case MP_HEAP_OBJECT: mp_heap_take_object(load, cursor); return;
    case MP_HEAP_MORE: mp_heap_take_more(load, cursor); return;
    case MP_HEAP_BEGINNING: take_beginning(load, cursor, false); return;
    case MP_HEAP_NAME: take_beginning(load, cursor, true); return;
    case MP_HEAP_PART: take_part(load, cursor); return;
    case MP_HEAP_KEYS: take_keys(load, cursor); return;
    case MP_HEAP_FREE: take_free(load, cursor); return;
    case MP_HEAP_END: take_end(load, cursor); return;
    default: mp_cursor_fail(cursor, MP_ERR_DAMAGED, "there is no such record"); return;
    }
}

/* Reads one record in later passes. Only objects and their references matter; other records are skipped. */
static void
pass_over(struct mp_heap_loading *load, struct mp_cursor *cursor)
{
    uint8_t tag = cursor->at < cursor->end ? *cursor->at : 0;
    uint32_t n;

    if (tag == MP_HEAP_OBJECT || tag == MP_HEAP_MORE || tag == MP_HEAP_BEGINNING || tag == MP_HEAP_NAME ||
        tag == MP_HEAP_KEYS || tag == MP_HEAP_END || tag == MP_HEAP_TEXT) {
        take_record(load, cursor);
        return;
    }
    mp_cursor_bytes(cursor, 1);
    switch (tag) {
    case MP_HEAP_FACT:
    case MP_HEAP_FACT_TEXT:
    case MP_HEAP_PART: n = 2; break;
    case MP_HEAP_FREE: n = 3; break;
    case MP_HEAP_TYPE:
        mp_cursor_varint(cursor), mp_cursor_varint(cursor);
        n = mp_cursor_count(cursor, 1);
        break;
    case MP_HEAP_SITE: n = load->heap->form == MP_HEAP_RAW ? 1 : 4; break;
    case MP_HEAP_ROOT: n = 5; break;
    default: mp_cursor_fail(cursor, MP_ERR_DAMAGED, "there is no such record"); return;
    }
    while (n-- > 0)
        mp_cursor_varint(cursor);
}

static bool
read_blocks(struct mp_heap_loading *load, struct mp_heap_stream *stream, struct mp_error *error)
{
    struct mp_blocks *blocks = &stream->blocks;

    while (mp_heap_stream_more(stream)) {
        struct mp_cursor *cursor = &blocks->cursor;

        if (load->ended)
            return mp_fail(error, MP_ERR_DAMAGED, blocks->offset, "%s: something stands behind the end",
                           blocks->input->name);
        if (!mp_blocks_next(blocks, error))
            return false;
        while (mp_cursor_left(cursor) > 0) {
            if (load->pass == MP_PASS_OBJECTS)
                take_record(load, cursor);
            else
                pass_over(load, cursor);
        }
        if (!mp_cursor_error(cursor, blocks->input->name, "records", error))
            return false;
        mp_progress(blocks->offset, blocks->input->size);
    }
    return load->ended || mp_fail(error, MP_ERR_TRUNCATED, blocks->offset, "%s: it was not written to its end",
                                  blocks->input->name);
}

/* Reads the file once. TAKE and DATA are used by MP_PASS_EACH only. */
static bool
read_pass(struct mp_heap *heap, enum mp_heap_pass pass, mp_heap_take *take, void *data, struct mp_error *error)
{
    struct mp_heap_loading load = {.heap = heap, .pass = pass, .arena = mp_arena_new(), .take = take, .data = data};
    struct mp_heap_stream stream;
    bool ok = mp_heap_stream_open(&stream, &heap->input, error);

    load.class_map.arena = load.arena;
    load.recent = mp_arena_alloc(load.arena, MP_HEAP_RECENT * sizeof *load.recent);
    if (ok) {
        heap->form = stream.form;
        load.types_room = load.sites_room = load.roots_room = 0;
        mp_heap_pass_begin(&load);
        mp_progress_begin(mp_text_basename(heap->input.name));
        ok = read_blocks(&load, &stream, error) && mp_heap_pass_end(&load, error);
        mp_progress_end();
        mp_blocks_end(&stream.blocks);
    }
    mp_arena_free(load.arena);
    return ok;
}

/* ------------------------------------------------------------------- heap */

static struct mp_heap *
new_heap(void)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_heap *heap = mp_arena_alloc(arena, sizeof *heap);

    heap->arena = arena;
    heap->input.fd = -1;
    for (unsigned i = 0; i < MP_FACTS; i++)
        heap->texts[i] = "";
    return heap;
}

static struct mp_heap *
load(struct mp_heap *heap, struct mp_error *error)
{
    heap->file_size = heap->input.size;
    if (read_pass(heap, MP_PASS_OBJECTS, NULL, NULL, error)) {
        mp_heap_make_index(heap);
        mp_heap_make_tops(heap);
        if (mp_heap_recall_references(heap, error))
            return heap;
    }
    mp_heap_free(heap);
    return NULL;
}

struct mp_heap *
mp_heap_load(const char *path, struct mp_error *error)
{
    struct mp_heap *heap = new_heap();

    if (mp_input_open(&heap->input, mp_arena_strdup(heap->arena, path), error))
        return load(heap, error);
    mp_heap_free(heap);
    return NULL;
}

struct mp_heap *
mp_heap_load_open(int fd, const char *name, struct mp_error *error)
{
    struct mp_heap *heap = new_heap();

    heap->input = (struct mp_input){.name = mp_arena_strdup(heap->arena, name), .fd = fd};
    if (mp_input_measure(&heap->input, error))
        return load(heap, error);
    mp_heap_free(heap);
    return NULL;
}

struct mp_heap *
mp_heap_load_bytes(const uint8_t *bytes, size_t size, const char *name, struct mp_error *error)
{
    static const uint8_t none[1];
    struct mp_heap *heap = new_heap();

    heap->input = (struct mp_input){.name = mp_arena_strdup(heap->arena, name), .bytes = bytes ? bytes : none,
                                    .fd = -1, .size = size};
    return load(heap, error);
}

void
mp_heap_forget_slots(struct mp_heap *heap)
{
    free(heap->slots);
    free(heap->wide);
    heap->slots = NULL;
    heap->wide = NULL;
}

void
mp_heap_forget_references(struct mp_heap *heap)
{
    mp_heap_forget_slots(heap);
    free(heap->first);
    free(heap->to);
    heap->first = heap->to = NULL;
}

bool
mp_heap_recall_references(struct mp_heap *heap, struct mp_error *error)
{
    if (heap->first || read_pass(heap, MP_PASS_REFERENCES, NULL, NULL, error))
        return true;
    mp_heap_forget_references(heap);
    return false;
}

bool
mp_heap_each_reference(struct mp_heap *heap, mp_heap_take *take, void *data, struct mp_error *error)
{
    return read_pass(heap, MP_PASS_EACH, take, data, error);
}

void
mp_heap_free(struct mp_heap *heap)
{
    if (!heap)
        return;
    mp_heap_forget_references(heap);
    free(heap->passing);
    free(heap->offsets);
    free(heap->class_of);
    free(heap->index);
    mp_input_close(&heap->input);
    mp_arena_free(heap->arena);
}

bool
mp_heap_is_snapshot(const char *path)
{
    struct mp_error ignored = {0};
    struct mp_input input;
    char magic[8];
    bool is;

    if (!mp_input_open(&input, path, &ignored))
        return false;
    is = input.size >= sizeof magic && mp_input_read(&input, 0, magic, sizeof magic, &ignored) &&
         memcmp(magic, MP_HEAP_MAGIC, sizeof magic) == 0;
    mp_input_close(&input);
    return is;
}
