#include "graph_write.h"

#include <string.h>

#include "graph_mark.h"
#include "print.h"
#include "runtime/compiler.h"
#include "runtime/heap/heap.h"
#include "runtime/system/sys.h"

#define SITES_BITS 16u
#define BEGINNING  40u          /* characters of a string */

/* ------------------------------------------------------------------ sites */

static uint32_t
site_of(struct mp_graph *g, uintptr_t object)
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

/* References are gathered first: their number stands before them.  Of objects with more than there is room for they
 * are gathered twice. */
static uint64_t
count_more(struct mp_graph *g, const struct mp_graph_block *block, uint64_t from)
{
    uint64_t n = 0, some;

    while ((some = mp_graph_references(g, block, &from, g->more_references, MP_STREAM_SOME)) > 0)
        n += some;
    return n;
}

static void
write_references(struct mp_graph *g, const struct mp_graph_block *block, struct mp_stream_object *o)
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

/* The first N characters of a string into ROOM, if all of them are of ASCII and stand for themselves. */
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

/* How a string begins; its data may be another's. */
static void
write_beginning(struct mp_graph *g, cl_object string)
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

static void
write_object(struct mp_graph *g, const struct mp_graph_block *block)
{
    struct mp_stream_object o = { block->base, block->size, *block->type, site_of(g, block->base), false, 0 };
    const unsigned tag = g->types[o.type].tag;

    g->without_site += !o.site;
    write_references(g, block, &o);
    if (g->strings && (tag == t_string || tag == t_base_string))
        write_beginning(g, (cl_object)block->base);
}

void
mp_graph_write(struct mp_graph *g)
{
    struct mp_graph_block block;
    struct mp_graph_walk walk = { 0 };

    while (mp_stream_error(g->stream) == 0 && mp_graph_next(&g->heap, &walk, &block))
        write_object(g, &block);
    for (uint32_t i = 0; i < sizeof g->sites / sizeof *g->sites; i++)
        if (g->sites[i])
            mp_sys_unmap(g->sites[i], sizeof(uint32_t) << SITES_BITS);
}
