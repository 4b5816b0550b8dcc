/* SPDX-License-Identifier: MIT */
#include "graph_state.h"

#include <errno.h>
#include <string.h>

#include "functions.h"
#include "print_object.h"
#include "runtime/heap/heap_record.h"
#include "runtime/system/sys.h"

/* ------------------------------------------------------------------ one root */

void
mp_graph_root(struct mp_object_graph *g, enum mp_heap_root_kind kind, uint32_t title, uint32_t group, uintptr_t place,
              uintptr_t word)
{
    if (word - g->heap.low >= g->heap.span || !mp_graph_visit(g, word))
        return;
    mp_stream_root(g->stream, kind, title, group, place, word);
    mp_graph_follow(g);
}

void
mp_graph_root_words(struct mp_object_graph *g, enum mp_heap_root_kind kind, uint32_t title, uint32_t group,
                    uintptr_t start, uintptr_t end)
{
    const uintptr_t align = sizeof(uintptr_t) - 1;

    for (uintptr_t at = (start + align) & ~align; at + sizeof(uintptr_t) <= end; at += sizeof(uintptr_t))
        mp_graph_root(g, kind, title, group, at, *(const uintptr_t *)at);
}

/* ------------------------------------------------------------------ symbols */

void
mp_graph_binding(struct mp_object_graph *g, cl_object symbol)
{
    const cl_index index = MP_ADDRESS(symbol, symbol_binding);
    uint32_t *title = index < MP_GRAPH_BINDINGS ? mp_graph_key(g, MP_GRAPH_KEY_BINDING, index) : NULL;
    char room[512];
    struct mp_text text = mp_text_begin(room, sizeof room);

    if (!title || *title)
        return;
    mp_text_print(&text, symbol);
    *title = mp_stream_text(g->stream, room, strlen(room));
}

static void
symbol_roots(struct mp_object_graph *g, cl_object symbol)
{
    static const cl_object none;
    const struct ecl_symbol *s = &symbol->symbol;
    const struct { enum mp_heap_root_kind kind; const cl_object *word; } parts[] = {
        { MP_ROOT_VALUE, &s->value }, { MP_ROOT_FUNCTION, &s->gfdef }, { MP_ROOT_PLIST, &MP_MEMBER(s, symbol_plist) },
        { MP_ROOT_FUNCTION, mp_ecl.at.symbol_setf ? &MP_MEMBER(s, symbol_setf) : &none },
        { MP_ROOT_FUNCTION, mp_ecl.at.symbol_macfun ? &MP_MEMBER(s, symbol_macfun) : &none },
    };
    uint32_t title = 0, group = 0;
    char room[512];

    mp_graph_binding(g, symbol);
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        const uintptr_t word = (uintptr_t)*parts[i].word;
        struct mp_text text = mp_text_begin(room, sizeof room);

        if (word == (uintptr_t)symbol)  /* in some builds, a symbol without a function has itself there */
            continue;
        if (word - g->heap.low >= g->heap.span || !mp_graph_visit(g, word))
            continue;
        if (!title) {
            mp_text_print(&text, symbol);
            title = mp_stream_text(g->stream, room, strlen(room));
            group = mp_graph_package_text(g, MP_MEMBER(s, symbol_hpack));
        }
        mp_stream_root(g->stream, parts[i].kind, title, group, (uintptr_t)parts[i].word, word);
        mp_graph_follow(g);
    }
}

/* Adds the roots of libecl's own symbols, which are not in the heap. */
static void
static_symbols(struct mp_object_graph *g)
{
    const uintptr_t end = mp_ecl.symbols.start + mp_ecl.symbols.size;
    const size_t size = mp_ecl.at.symbol_size;
    const uint32_t core = mp_graph_text(g, "symbols of ECL");

    for (uintptr_t at = mp_ecl.symbols.start; at + size <= end; at += size) {
        cl_object symbol = (cl_object)at;

        if (symbol->d.t != t_symbol)
            continue;
        if (mp_graph_is_symbol(g, symbol))
            symbol_roots(g, symbol);
        mp_graph_root_words(g, MP_ROOT_CORE, core, 0, (uintptr_t)&MP_MEMBER(symbol, symbol_name),
                            (uintptr_t)&MP_MEMBER(symbol, symbol_binding));
    }
}

static void
table_symbols(struct mp_object_graph *g, cl_object table, cl_object package)
{
    if (!mp_graph_is(g, table, t_hashtable) ||
        !mp_graph_is_readable(g, (uintptr_t)table->hash.data, table->hash.size * sizeof *table->hash.data))
        return;
    for (cl_index i = 0; i < table->hash.size; i++) {
        cl_object symbol = table->hash.data[i].value;
        struct mp_graph_block block;

        if (table->hash.data[i].key && symbol && mp_graph_refers(g, (uintptr_t)symbol, &block) &&
            mp_graph_is_symbol(g, symbol) && MP_MEMBER(symbol, symbol_hpack) == package)
            symbol_roots(g, symbol);
    }
}

static void
package_symbols(struct mp_object_graph *g)
{
    unsigned n = 0;

    for (cl_object list = mp_ecl.core->packages; list && ECL_CONSP(list) && n < 100000; n++) {
        cl_object package;

        if (!mp_graph_is_readable(g, (uintptr_t)list - t_list, sizeof(struct ecl_cons)))
            break;
        package = ECL_CONS_CAR(list);
        if (mp_graph_is(g, package, t_package)) {
            table_symbols(g, package->pack.internal, package);
            table_symbols(g, package->pack.external, package);
        }
        list = ECL_CONS_CDR(list);
    }
}

/* ------------------------------------------------------------------ compiled files */

static void
constants(struct mp_object_graph *g, cl_object block)
{
    const struct ecl_codeblock *b = &block->cblock;
    char room[1024];
    struct mp_text text = mp_text_begin(room, sizeof room);
    uint32_t title = 0;
    cl_object name = b->source;

    if (mp_graph_is(g, name, t_pathname))
        mp_text_path(&text, name);
    else if (mp_graph_is_string(g, b->name))
        mp_text_princ(&text, b->name);
    if (room[0])
        title = mp_stream_text(g->stream, room, strlen(room));
    if (b->data_size > 0 && mp_graph_is_readable(g, (uintptr_t)b->data, (size_t)b->data_size * sizeof *b->data))
        mp_graph_root_words(g, MP_ROOT_CONSTANT, title, 0, (uintptr_t)b->data,
                            (uintptr_t)(b->data + b->data_size));
}

/* Handles all compiled files found so far. More may be found meanwhile. */
static void
all_constants(struct mp_object_graph *g)
{
    while (g->n_blocks_done < g->n_blocks)
        constants(g, g->blocks[g->n_blocks_done++]);
}

void
mp_graph_lisp_roots(struct mp_object_graph *g)
{
    const uint32_t core = mp_graph_text(g, "cl_core");

    static_symbols(g);
    package_symbols(g);
    mp_graph_root_words(g, MP_ROOT_CORE, core, 0, mp_ecl.core_words.start,
                        mp_ecl.core_words.start + mp_ecl.core_words.size);
    all_constants(g);
}

/* ------------------------------------------------------------------ C variables and blocks */

static uintptr_t last_page;     /* the last page of libgc that was examined and has no uncollectable blocks */

/* Returns whether an uncollectable block is free although it is marked. Before the first collection, free blocks are
 * marked, too. A free block contains zeros, except for its first word, a link to the next free block. */
static bool
is_unused(const struct mp_graph_block *block)
{
    const uintptr_t *words = (const uintptr_t *)block->base;

    for (uint64_t i = 1; i < block->size / sizeof *words; i++)
        if (words[i])
            return false;
    return block->size < MP_GC_PAGE && mp_heap_site((const void *)block->base) == 0;
}

static void
foreign(void *object, size_t size, void *data)
{
    const uintptr_t address = (uintptr_t)object, page = address & ~(uintptr_t)(MP_GC_PAGE - 1);
    struct mp_object_graph *g = data;
    struct mp_graph_block block;

    g->live += size;
    if (page == last_page)
        return;
    if (!mp_graph_find(&g->heap, address, &block) || block.kind < MP_GC_UNCOLLECTABLE) {
        last_page = page;
        return;
    }
    if (is_unused(&block))
        return;
    if (!*block.type)
        mp_graph_mark(g, &block, mp_graph_fixed_type(g, block.kind == MP_GC_UNCOLLECTABLE
                                                            ? MP_GRAPH_FIXED_UNCOLLECTABLE : MP_GRAPH_WITHOUT));
    mp_stream_root(g->stream, MP_ROOT_FOREIGN, 0, 0, 0, address);
    mp_graph_follow(g);
}

/* Copies words of the mapping M from AT on, and returns their number. Uses zeros if the memory is missing, because
 * the file was truncated or another thread has unmapped it. If the kernel does not allow a process to read itself,
 * reads directly. */
static uint32_t
copy_words(struct mp_object_graph *g, const struct mp_graph_mapping *m, uintptr_t at)
{
    uintptr_t *const words = g->buffer.words;
    const size_t size = m->end - at < sizeof g->buffer.words ? m->end - at : sizeof g->buffer.words;
    const long result = mp_sys_peek(at, words, size);

    if (result == -EFAULT)
        memset(words, 0, size);
    else if (result != 0)
        memcpy(words, (const void *)at, size);
    return (uint32_t)(size / sizeof *words);
}

static bool
is_table_of_libgc(const struct mp_object_graph *g, uintptr_t word)
{
    for (uint32_t i = 0; i < g->n_tables; i++)
        if (g->tables[i] == word)
            return true;
    return false;
}

/* Adds a word of a C variable as a root, except words of libecl that were handled as cl_core or symbols, and libgc's
 * own words. */
static void
variable(struct mp_object_graph *g, const struct mp_graph_mapping *m, uintptr_t at, uintptr_t word)
{
    if (!mp_within(&mp_ecl.core_words, at) && !mp_within(&mp_ecl.symbols, at) &&
        !(m->has_libgc && (mp_within(&mp_ecl.gc_variables, at) || is_table_of_libgc(g, word))))
        mp_graph_root(g, MP_ROOT_GLOBAL, 0, m->file, at, word);
}

/* Calls FUNCTION for each nonzero word of M. */
static void
each_word(struct mp_object_graph *g, const struct mp_graph_mapping *m,
          void (*function)(struct mp_object_graph *g, const struct mp_graph_mapping *m, uintptr_t at, uintptr_t word))
{
    uint32_t n;

    for (uintptr_t at = m->start; at + sizeof(uintptr_t) <= m->end; at += n * sizeof(uintptr_t)) {
        n = copy_words(g, m, at);
        for (uint32_t i = 0; i < n; i++)
            if (g->buffer.words[i])
                function(g, m, at + i * sizeof(uintptr_t), g->buffer.words[i]);
    }
}

void
mp_graph_c_roots(struct mp_object_graph *g)
{
    last_page = 0;
    g->live = 0;
    if (mp_ecl.gc_each_marked)
        mp_ecl.gc_each_marked(foreign, g);
    for (uint32_t i = 0; i < g->n_mappings; i++)
        if (g->mappings[i].file && g->mappings[i].readable && g->mappings[i].writable && !g->mappings[i].ours)
            each_word(g, &g->mappings[i], variable);
    all_constants(g);
}

/* ------------------------------------------------------------------ finalizers */

#define MAX_LIST 1000000u       /* maximum number of elements in a list */

static bool
is_entry(struct mp_object_graph *g, const struct mp_gc_entry *e, struct mp_graph_block *object)
{
    struct mp_graph_block block;

    return mp_graph_find(&g->heap, (uintptr_t)e, &block) && block.base == (uintptr_t)e &&
           block.size >= MP_GC_FINALIZER_SIZE && block.kind == MP_GC_NORMAL &&
           mp_within(&mp_ecl.libecl_code, e->finalizer.function) &&
           mp_graph_find(&g->heap, ~e->hidden, object) && object->base == ~e->hidden;
}

static bool
is_link(struct mp_object_graph *g, const struct mp_gc_entry *l)
{
    struct mp_graph_block block, object;

    return mp_graph_find(&g->heap, (uintptr_t)l, &block) && block.base == (uintptr_t)l &&
           block.size >= MP_GC_LINK_SIZE && block.size < MP_GC_FINALIZER_SIZE && block.kind == MP_GC_NORMAL &&
           ~l->hidden % sizeof(void *) == 0 && mp_graph_is_readable(g, ~l->hidden, sizeof(void *)) &&
           mp_graph_find(&g->heap, ~l->hidden_object, &object) && object.base == ~l->hidden_object;
}

/* Marks the block at ADDRESS as libgc's own. */
static void
own(struct mp_object_graph *g, uintptr_t address, enum mp_graph_fixed type)
{
    struct mp_graph_block block;

    if (mp_graph_find(&g->heap, address, &block) && !*block.type)
        mp_graph_mark(g, &block, mp_graph_fixed_type(g, type));
}

/* Adds a finalizer's data, then its object if nothing else refers to it. The data stays alive as long as the
 * finalizer exists. */
static void
finalizer(struct mp_object_graph *g, const struct mp_gc_entry *e, const struct mp_graph_block *object)
{
    const uint32_t function = mp_graph_text(g, "finalizer"), waiting = mp_graph_text(g, "to be finalized");
    uint16_t type;

    mp_graph_root(g, MP_ROOT_FINALIZER, function, 0, (uintptr_t)&e->finalizer.data, e->finalizer.data);
    if (*object->type)
        return;
    type = mp_graph_type(g, object);
    if (!type)
        return;
    mp_graph_mark(g, object, type);
    mp_stream_root(g->stream, MP_ROOT_FINALIZER, waiting, 0, (uintptr_t)&e->hidden, object->base);
    mp_graph_follow(g);
}

/* Marks the elements of LIST if they are finalizers or weak links. Returns false if they are neither. */
static bool
own_list(struct mp_object_graph *g, uintptr_t list)
{
    struct mp_graph_block object;
    unsigned n = 0;

    for (const struct mp_gc_entry *e = (const void *)list; n < MAX_LIST && is_entry(g, e, &object); n++, e = e->next)
        own(g, (uintptr_t)e, MP_GRAPH_LIBGC_FINALIZER);
    if (n == 0)
        for (const struct mp_gc_entry *l = (const void *)list; n < MAX_LIST && is_link(g, l); n++, l = l->next)
            own(g, (uintptr_t)l, MP_GRAPH_LIBGC_LINK);
    return n > 0;
}

/* Finds libgc's tables of finalizers and weak links. Some word of its variables refers to each table, which is
 * recognised by its contents. */
static void
table_at(struct mp_object_graph *g, const struct mp_graph_mapping *m, uintptr_t at, uintptr_t word)
{
    const uintptr_t *heads = (const uintptr_t *)word;
    struct mp_graph_block block;
    bool is_table = false;

    (void)m;
    if (!mp_graph_find(&g->heap, word, &block) || block.base != word || block.kind != MP_GC_NORMAL ||
        *block.type || g->n_tables == MP_GRAPH_TABLES)
        return;
    if (!own_list(g, word)) {                           /* a list that own_list() accepts is that of the finalizers
                                                           about to run */
        for (uint64_t i = 0; i < block.size / sizeof *heads; i++)
            is_table |= heads[i] && own_list(g, heads[i]);
        if (!is_table)
            return;
        own(g, word, MP_GRAPH_LIBGC_TABLE);
    }
    g->tables[g->n_tables++] = word;
    mp_stream_root(g->stream, MP_ROOT_CORE, mp_graph_text(g, "finalizers and weak links of libgc"), 0, at, word);
    mp_graph_follow(g);
}

void
mp_graph_libgc(struct mp_object_graph *g)
{
    for (uint32_t i = 0; i < g->n_mappings; i++)
        if (g->mappings[i].has_libgc && g->mappings[i].writable && g->mappings[i].readable)
            each_word(g, &g->mappings[i], table_at);
}

static void
finalizers(struct mp_object_graph *g, uintptr_t list)
{
    const struct mp_gc_entry *e = (const void *)list;
    struct mp_graph_block object;

    for (unsigned n = 0; n < MAX_LIST && is_entry(g, e, &object); n++, e = e->next)
        finalizer(g, e, &object);
}

void
mp_graph_finalizers(struct mp_object_graph *g)
{
    for (uint32_t i = 0; i < g->n_tables; i++) {
        const uintptr_t *heads = (const uintptr_t *)g->tables[i];
        struct mp_graph_block block, object;

        if (!mp_graph_find(&g->heap, g->tables[i], &block))
            continue;
        if (is_entry(g, (const void *)heads, &object))
            finalizers(g, g->tables[i]);
        else
            for (uint64_t k = 0; k < block.size / sizeof *heads; k++)
                finalizers(g, heads[k]);
    }
}
