#include "graph_mark.h"

#include "graph_types.h"
#include "runtime/compiler.h"
#include "runtime/heap/heap.h"

#define TAG(word) ((word) % MP_GRAPH_GRANULE)

/* BASE, of a cons with the tag that its references have. */
static inline void
put_off(struct mp_graph *g, uintptr_t base)
{
    if (MP_LIKELY(g->n_to_do < g->room))
        g->to_do[g->n_to_do++] = base;
    else
        g->heap.no_memory = true;
}

void
mp_graph_mark(struct mp_graph *g, const struct mp_graph_block *block, uint16_t type)
{
    const cl_object o = (cl_object)block->base;

    if (type == 0)
        type = mp_graph_fixed_type(g, mp_graph_has_pointers(block) ? MP_GRAPH_WITH_POINTERS : MP_GRAPH_WITHOUT);
    *block->type = type;
    if (g->types[type].tag == t_process && g->n_processes < MP_GRAPH_PROCESSES)
        g->processes[g->n_processes++] = o;
    if (g->types[type].tag == t_codeblock && g->n_blocks < sizeof g->blocks / sizeof *g->blocks)
        g->blocks[g->n_blocks++] = o;
    if (mp_graph_has_pointers(block) && g->types[type].words != 0)
        put_off(g, block->base + (g->types[type].tag == t_list));
}

/* ------------------------------------------------------------------ what a word refers to */

static inline bool
is_cons(const struct mp_graph_block *block)
{
    return block->size == sizeof(struct ecl_cons) && block->kind == MP_GRAPH_NORMAL;
}

static inline bool
refers(struct mp_graph *g, uintptr_t word, struct mp_graph_block *block)
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
mp_graph_refers(struct mp_graph *g, uintptr_t word, struct mp_graph_block *block)
{
    return refers(g, word, block);
}

/* Has the collector, or the monitor, heard of the block?  If not, it may be free. */
static bool
is_known(const struct mp_graph *g, const struct mp_graph_block *block)
{
    return mp_ecl.gc_is_marked((void *)block->base) ||
           (!g->stopped && (!g->has_sites || mp_heap_site((void *)block->base) != 0));
}

/* OWNER: tag of the object that the word stands in; DATA: type of the block that the word is to refer to. */
static inline bool
reach(struct mp_graph *g, uintptr_t word, unsigned owner, uint16_t data)
{
    struct mp_graph_block block;
    uint16_t type = data;

    if (!refers(g, word, &block))
        return false;
    if (*block.type)
        return true;
    if (TAG(word) == t_list) {
        *block.type = g->cons;
        put_off(g, word);
        return true;
    }
    if (!type)
        type = mp_graph_type(g, &block);
    if (!type)
        type = mp_graph_data_type(g, owner, mp_graph_has_pointers(&block));
    mp_graph_mark(g, &block, type);
    return true;
}

bool
mp_graph_visit(struct mp_graph *g, uintptr_t word)
{
    struct mp_graph_block block;

    if (!mp_graph_refers(g, word, &block))
        return false;
    if (*block.type)
        return true;
    if ((g->only_marked && !is_known(g, &block)) || (TAG(word) == 0 && mp_graph_type(g, &block) == 0))
        return false;
    return reach(g, word, 0, 0);
}

bool
mp_graph_visit_any(struct mp_graph *g, uintptr_t word)
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

/* ------------------------------------------------------------------ along references */

/* Words of the data of a displaced array are another's: they may be in the middle of it. */
static bool
is_within(struct mp_graph *g, uintptr_t word, struct mp_graph_block *block)
{
    return mp_graph_find(&g->heap, word, block) && *block->type;
}

static void
follow_cons(struct mp_graph *g, cl_object cons)
{
    reach(g, (uintptr_t)ECL_CONS_CAR(cons), t_list, 0);
    reach(g, (uintptr_t)ECL_CONS_CDR(cons), t_list, 0);
}

static void
follow(struct mp_graph *g, uintptr_t base)
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
            reach(g, words[i], type.tag, i == type.data_word ? type.data : 0);
}

void
mp_graph_follow(struct mp_graph *g)
{
    while (g->n_to_do > 0) {
        const uintptr_t next = g->to_do[--g->n_to_do];

        if (TAG(next) == t_list)
            follow_cons(g, (cl_object)next);
        else
            follow(g, next);
    }
}

uint64_t
mp_graph_references(struct mp_graph *g, const struct mp_graph_block *block, uint64_t *from,
                    struct mp_graph_reference *references, uint64_t room)
{
    const uintptr_t *words = (const uintptr_t *)block->base;
    const struct mp_graph_type *type = &g->types[*block->type];
    const uint64_t n_words = block->size / sizeof *words;
    struct mp_graph_block to;
    uint64_t i = *from, n = 0;

    if (type->words == 0 || !(mp_graph_has_pointers(block) || type->weak))
        i = n_words;
    for (; i < n_words && n < room; i++)
        if ((i >= 32 || type->words >> i & 1) && words[i] - g->heap.low < g->heap.span &&
            (refers(g, words[i], &to) ? *to.type != 0
                                      : i == type->data_word && type->data && is_within(g, words[i], &to)))
            references[n++] = (struct mp_graph_reference){ i, words[i] };
    *from = i;
    return n;
}
