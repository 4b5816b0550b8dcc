/* SPDX-License-Identifier: MIT */
#include "graph_state.h"

#include "runtime/compiler.h"
#include "runtime/heap/heap_record.h"

#define TAG(word) ((word) % MP_GC_GRANULE)

/* Adds BASE to the list of objects to follow. The address of a cons includes its tag. */
static inline void
put_off(struct mp_object_graph *g, uintptr_t base)
{
    if (MP_LIKELY(g->n_to_do < g->room))
        g->to_do[g->n_to_do++] = base;
    else
        g->heap.no_memory = true;
}

static void
note(struct mp_object_graph *g, cl_object *list, uint32_t *n, uint32_t room, cl_object o)
{
    if (*n < room)
        list[(*n)++] = o;
    else
        g->too_many = true;
}

void
mp_graph_mark(struct mp_object_graph *g, const struct mp_graph_block *block, uint16_t type)
{
    const cl_object o = (cl_object)block->base;

    if (type == 0)
        type = mp_graph_fixed_type(g, mp_graph_has_pointers(block) ? MP_GRAPH_WITH_POINTERS : MP_GRAPH_WITHOUT);
    *block->type = type;
    if (g->types[type].tag == t_process)
        note(g, g->processes, &g->n_processes, MP_GRAPH_PROCESSES, o);
    if (g->types[type].tag == t_codeblock)
        note(g, g->blocks, &g->n_blocks, MP_GRAPH_BLOCKS, o);
    if (mp_graph_has_pointers(block) && g->types[type].words != 0)
        put_off(g, block->base + (g->types[type].tag == t_list));
}

/* ------------------------------------------------------------------ what a word refers to */

static inline bool
is_cons(const struct mp_graph_block *block)
{
    return block->size == sizeof(struct ecl_cons) && block->kind == MP_GC_NORMAL;
}

static inline bool
refers(struct mp_object_graph *g, uintptr_t word, struct mp_graph_block *block)
{
    const uintptr_t tag = TAG(word);

    if (word - g->heap.low >= g->heap.span)
        return false;
    if (tag != 0 && tag != t_list)
        return false;
    if (!mp_graph_find(&g->heap, word, block))
        return false;
    return block->base == word - tag && (tag == 0 || is_cons(block));
}

bool
mp_graph_refers(struct mp_object_graph *g, uintptr_t word, struct mp_graph_block *block)
{
    return refers(g, word, block);
}

/* Returns whether the collector has marked the block or the monitor has recorded it. Other blocks may be free. */
static bool
is_known(const struct mp_object_graph *g, const struct mp_graph_block *block)
{
    return mp_ecl.gc_is_marked((void *)block->base) ||
           (!g->stopped && (!g->has_sites || mp_heap_site((void *)block->base) != 0));
}

/* Marks BLOCK, to which WORD refers. OWNER is the tag of the object that contains the word. TYPE is the block's type
 * if the owner determines it, else 0. */
static inline void
reach(struct mp_object_graph *g, uintptr_t word, const struct mp_graph_block *block, unsigned owner, uint16_t type)
{
    if (*block->type)
        return;
    if (TAG(word) == t_list) {
        *block->type = g->cons;
        put_off(g, word);
        return;
    }
    if (!type)
        type = mp_graph_type(g, block);
    if (!type)
        type = mp_graph_data_type(g, owner, mp_graph_has_pointers(block));
    mp_graph_mark(g, block, type);
}

bool
mp_graph_visit(struct mp_object_graph *g, uintptr_t word)
{
    struct mp_graph_block block;

    if (!mp_graph_refers(g, word, &block))
        return false;
    if (*block.type)
        return true;
    if ((g->only_marked && !is_known(g, &block)) || (TAG(word) == 0 && mp_graph_type(g, &block) == 0))
        return false;
    reach(g, word, &block, 0, 0);
    return true;
}

bool
mp_graph_visit_any(struct mp_object_graph *g, uintptr_t word)
{
    struct mp_graph_block block;

    if (mp_graph_visit(g, word))
        return true;
    if (!mp_graph_find(&g->heap, word, &block))
        return false;
    if (!*block.type && !is_known(g, &block))
        return false;
    if (!*block.type)
        mp_graph_mark(g, &block, 0);
    return true;
}

/* ------------------------------------------------------------------ following references */

/* Finds the marked block that contains the address WORD. Used for displaced arrays, which may refer to the middle of
 * another array's data. */
static bool
is_within(struct mp_object_graph *g, uintptr_t word, struct mp_graph_block *block)
{
    return mp_graph_find(&g->heap, word, block) && *block->type;
}

/* A ring of references that are handled a little later, when the processor has fetched their targets. Waiting for
 * memory takes most of the time of marking. */
#define AHEAD 16u       /* a power of two */

struct ahead {
    struct later { uintptr_t word; struct mp_graph_block block; uint16_t data; uint8_t owner; } ring[AHEAD];
    uint32_t n, first;
};

static inline void
take_first(struct mp_object_graph *g, struct ahead *ahead)
{
    const struct later *later = &ahead->ring[ahead->first++ % AHEAD];

    ahead->n--;
    reach(g, later->word, &later->block, later->owner, later->data);
}

/* Queues the object to which WORD refers. For OWNER and DATA see reach(). */
static inline void
find(struct mp_object_graph *g, struct ahead *ahead, uintptr_t word, unsigned owner, uint16_t data)
{
    struct later *later;

    if (ahead->n == AHEAD)
        take_first(g, ahead);
    later = &ahead->ring[(ahead->first + ahead->n) % AHEAD];
    if (!refers(g, word, &later->block))
        return;
    later->word = word;
    later->owner = (uint8_t)owner;
    later->data = data;
    __builtin_prefetch(later->block.type, 1);
    __builtin_prefetch((const void *)later->block.base);
    ahead->n++;
}

static void
follow_cons(struct mp_object_graph *g, struct ahead *ahead, cl_object cons)
{
    find(g, ahead, (uintptr_t)ECL_CONS_CAR(cons), t_list, 0);
    find(g, ahead, (uintptr_t)ECL_CONS_CDR(cons), t_list, 0);
}

static void
follow(struct mp_object_graph *g, struct ahead *ahead, uintptr_t base)
{
    const uintptr_t *words = (const uintptr_t *)base;
    struct mp_graph_block block;
    struct mp_graph_type type;
    uint64_t n;

    if (!mp_graph_find(&g->heap, base, &block))
        return;
    type = g->types[*block.type];
    n = block.size / sizeof *words;
    for (uint64_t i = 0; i < n; i++)
        if ((i >= 32 || type.words >> i & 1) && words[i] - g->heap.low < g->heap.span && !type.weak)
            find(g, ahead, words[i], type.tag, i == type.data_word ? type.data : 0);
}

void
mp_graph_follow(struct mp_object_graph *g)
{
    struct ahead ahead;

    ahead.n = ahead.first = 0;
    for (;;) {
        if (g->n_to_do > 0) {
            const uintptr_t next = g->to_do[--g->n_to_do];

            if (g->n_to_do > AHEAD)
                __builtin_prefetch((const void *)g->to_do[g->n_to_do - AHEAD]);
            if (TAG(next) == t_list)
                follow_cons(g, &ahead, (cl_object)next);
            else
                follow(g, &ahead, next);
        } else if (ahead.n > 0) {
            take_first(g, &ahead);
        } else {
            return;
        }
    }
}

/* Returns whether WORD refers to the beginning of an object that was found. Called after all strongly referenced
 * objects were found, so that lookups suffice. */
static inline bool
refers_to_known(struct mp_object_graph *g, uintptr_t word)
{
    const uint16_t type = mp_graph_type_at(&g->heap, word);
    struct mp_graph_block block;

    if (MP_LIKELY(TAG(word) == t_list && type == g->cons))
        return true;
    return type != 0 && (TAG(word) == 0 || (TAG(word) == t_list && refers(g, word, &block)));
}

uint64_t
mp_graph_references(struct mp_object_graph *g, const struct mp_graph_block *block, uint64_t *from,
                    struct mp_stream_reference *references, uint64_t room)
{
    const uintptr_t *words = (const uintptr_t *)block->base;
    const struct mp_graph_type *type = &g->types[*block->type];
    const uint64_t n_words = block->size / sizeof *words;
    struct mp_graph_block to;
    uint64_t i = *from, n = 0;

    /* The targets of strong references need no check, because they were found before. Weak references may refer to
     * objects that were not found. */
    if (type->words == 0 || !(mp_graph_has_pointers(block) || type->weak))
        i = n_words;
    for (; i < n_words && n < room; i++)
        if ((i >= 32 || type->words >> i & 1) && words[i] - g->heap.low < g->heap.span &&
            (refers_to_known(g, words[i]) || (i == type->data_word && type->data && is_within(g, words[i], &to))))
            references[n++] = (struct mp_stream_reference){ i, words[i] };
    *from = i;
    return n;
}
