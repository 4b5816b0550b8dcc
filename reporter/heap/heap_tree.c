/* SPDX-License-Identifier: MIT */
#include "heap_tree.h"

#include <stdlib.h>
#include <string.h>

#include "heap_texts.h"
#include "reporter/base/search.h"
#include "retained.h"

/* A branch before the largest ones are chosen. */
struct grown {
    uint32_t parent, depth;     /* depth: levels of types, including itself */
    uint32_t tag;               /* the text of its type; or the number of texts + its top; or the number of texts and
                                   tops, for objects that are shared */
    uint32_t kept;              /* its index in the result, or MP_NO_ID */
    uint64_t objects, bytes, retained;
};

/* A node whose subtree is being visited. */
struct visited {
    uint32_t end, branch;       /* end: position after its subtree */
};

struct growing {
    const struct mp_heap *heap;
    const struct mp_dominators *dominators;
    struct mp_arena *arena;     /* owns memory needed only while the tree is made */
    struct mp_map texts;        /* texts of types; types with the same text share their branches */
    uint32_t *text_of;          /* by type: its text */
    struct mp_map keys;         /* parent and tag, by branch */
    struct grown *branches;
    uint32_t room;
};

/* ------------------------------------------------------------------ growing */

/* Returns the branch with TAG below PARENT, and adds it if it is new. */
static uint32_t
branch_of(struct growing *growing, uint32_t parent, uint32_t tag, uint32_t depth)
{
    const uint32_t n = growing->keys.count;
    const uint32_t id = mp_map_add_u64(&growing->keys, (uint64_t)parent << 32 | tag);

    if (id == n) {
        growing->branches = mp_arena_grow(growing->arena, growing->branches, n, &growing->room,
                                          sizeof *growing->branches);
        growing->branches[id] = (struct grown){.parent = parent, .depth = depth, .tag = tag};
    }
    return id;
}

/* Returns the top of BRANCH, or NULL if it has none. */
static const struct mp_heap_top *
top_of(const struct growing *growing, const struct grown *branch)
{
    const uint32_t n_texts = growing->texts.count;

    return branch->tag >= n_texts && branch->tag - n_texts < growing->heap->n_tops
               ? &growing->heap->tops[branch->tag - n_texts] : NULL;
}

/* Returns whether BRANCH is the branch of all roots or of a kind of roots. */
static bool
is_kind(const struct growing *growing, const struct grown *branch)
{
    const struct mp_heap_top *top = top_of(growing, branch);

    return top && top->level != MP_TOP_ROOT;
}

/* Adds the object NODE at POSITION to the branch of its type below PARENT. Returns that branch, or MP_NO_ID if it
 * would be too deep. */
static uint32_t
add_object(struct growing *growing, uint32_t parent, uint32_t node, uint32_t position)
{
    const struct mp_heap *heap = growing->heap;
    const uint32_t text = growing->text_of[mp_heap_whole_type(heap, mp_heap_class(heap, node)->type)];
    const bool joins = growing->branches[parent].tag == text, part = mp_heap_is_part(heap, node);
    const uint32_t depth = growing->branches[parent].depth + 1;
    const uint32_t id = joins ? parent
                        : depth > MP_HEAP_TREE_DEEPEST ? MP_NO_ID : branch_of(growing, parent, text, depth);

    if (id == MP_NO_ID)
        return id;
    growing->branches[id].objects += !part;
    growing->branches[id].bytes += mp_heap_size(heap, node);
    growing->branches[id].retained += joins ? 0 : mp_retained(growing->dominators, position);
    return id;
}

/* Adds an object that several roots hold together. PARENT is the branch of their kind, or of all roots. */
static uint32_t
add_shared(struct growing *growing, uint32_t parent, uint32_t node, uint32_t position)
{
    const uint32_t id = branch_of(growing, parent, growing->texts.count + growing->heap->n_tops, 0);

    growing->branches[id].objects += !mp_heap_is_part(growing->heap, node);
    growing->branches[id].bytes += mp_heap_size(growing->heap, node);
    growing->branches[id].retained += mp_retained(growing->dominators, position);
    return add_object(growing, id, node, position);
}

/* Adds the node at POSITION below the branch PARENT. Returns the branch below which the nodes that it dominates
 * are added, or MP_NO_ID if they have no branches. */
static uint32_t
add_node(struct growing *growing, uint32_t parent, uint32_t position)
{
    const struct mp_heap *heap = growing->heap;
    const uint32_t node = growing->dominators->at[position];
    uint32_t id;

    if (node < heap->n_objects)
        return is_kind(growing, &growing->branches[parent]) ? add_shared(growing, parent, node, position)
                                                            : add_object(growing, parent, node, position);
    if (heap->tops[node - heap->n_objects].level == MP_TOP_GROUP)
        return parent;
    id = branch_of(growing, parent, growing->texts.count + node - heap->n_objects, 0);
    growing->branches[id].retained = mp_retained(growing->dominators, position);
    return id;
}

/* Visits the dominator tree in preorder. */
static void
grow(struct growing *growing)
{
    const struct mp_dominators *dominators = growing->dominators;
    const uint32_t all = growing->texts.count + growing->heap->n_tops - 1;
    struct visited *stack = NULL;
    uint32_t n = 0, room = 0, position = 1;

    branch_of(growing, 0, all, 0);
    growing->branches[0].retained = mp_retained(dominators, 0);
    while (position < dominators->n) {
        const uint32_t end = position + dominators->span[position];
        uint32_t id;

        while (n > 0 && stack[n - 1].end <= position)
            n--;
        id = add_node(growing, n > 0 ? stack[n - 1].branch : 0, position);
        position = id == MP_NO_ID ? end : position + 1;
        if (position == end)
            continue;
        if (n > 0 && stack[n - 1].end == end)   /* then the stack does not grow along a list */
            n--;
        stack = mp_arena_grow(growing->arena, stack, n, &room, sizeof *stack);
        stack[n++] = (struct visited){end, id};
    }
}

/* Sets objects and bytes of the branches of tops. */
static void
add_tops(struct growing *growing)
{
    const struct mp_heap *heap = growing->heap;
    static const enum mp_heap_level levels[] = {MP_TOP_ROOT, MP_TOP_KIND, MP_TOP_ALL};
    const struct mp_heap_row **of = mp_arena_alloc(growing->arena, heap->n_tops * sizeof *of);
    struct mp_heap_rows rows[3];

    for (unsigned i = 0; i < 3; i++) {
        rows[i] = mp_heap_top_rows(heap, growing->dominators, levels[i], MP_NO_ID);
        for (uint32_t j = 0; j < rows[i].n; j++)
            of[rows[i].list[j].id] = &rows[i].list[j];
    }
    for (uint32_t i = 0; i < growing->keys.count; i++) {
        struct grown *branch = &growing->branches[i];
        const struct mp_heap_top *top = top_of(growing, branch);
        const struct mp_heap_row *row = top ? of[top - heap->tops] : NULL;

        if (row) {
            branch->objects = row->objects;
            branch->bytes = row->bytes;
        }
    }
    for (unsigned i = 0; i < 3; i++)
        mp_heap_rows_free(&rows[i]);
}

/* ----------------------------------------------------------------- choosing */

struct rank {
    uint64_t retained;
    uint32_t branch;
};

/* Sorts by retained bytes. A branch retains at least as much as each branch below it, and has a lower number, so it
 * precedes them. For kinds, `retained` is UINT64_MAX, so that they precede all others. */
static int
by_retained(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;

    return x->retained != y->retained ? mp_order(y->retained, x->retained) : mp_order(x->branch, y->branch);
}

static struct mp_heap_branch
finished(const struct growing *growing, const struct grown *branch, struct mp_arena *arena)
{
    const struct mp_heap *heap = growing->heap;
    const struct mp_heap_top *top = top_of(growing, branch);
    struct mp_heap_branch made = {
        .sort = MP_BRANCH_SHARED, .parent = growing->branches[branch->parent].kept, .name = "", .group = "",
        .objects = branch->objects, .bytes = branch->bytes, .retained = branch->retained};

    if (branch->tag < growing->texts.count) {
        made.sort = MP_BRANCH_TYPE;
        made.name = mp_arena_strdup(arena, mp_map_key(&growing->texts, branch->tag));
    } else if (top) {
        made.sort = top->level == MP_TOP_ROOT ? MP_BRANCH_ROOT
                    : top->level == MP_TOP_KIND ? MP_BRANCH_KIND : MP_BRANCH_ALL;
        made.name = mp_arena_strdup(arena, mp_heap_top_text(heap, (uint32_t)(top - heap->tops)));
        made.group = mp_arena_strdup(arena, top->group);
    }
    return made;
}

/* Returns whether BRANCH is a top without objects. Nothing is below it. */
static bool
is_empty(const struct growing *growing, const struct grown *branch)
{
    return top_of(growing, branch) && branch->objects == 0 && branch->retained == 0;
}

/* Adds BRANCH, which is left out, to the sum of the branches left out below PARENT. OTHERS is indexed by parent and
 * contains the index of the sum in TREE, or 0 if there is no sum yet. */
static void
leave_out(struct mp_heap_tree *tree, uint32_t *others, const struct grown *branch, uint32_t parent)
{
    struct mp_heap_branch *sum;

    if (others[parent] == 0) {
        others[parent] = tree->n++;
        tree->list[others[parent]] =
            (struct mp_heap_branch){.sort = MP_BRANCH_OTHERS, .parent = parent, .name = "", .group = ""};
    }
    sum = &tree->list[others[parent]];
    sum->left++;
    sum->objects += branch->objects;
    sum->bytes += branch->bytes;
    sum->retained += branch->retained;
}

static struct mp_heap_tree
choose(struct growing *growing, uint32_t most, struct mp_arena *arena)
{
    const uint32_t n = growing->keys.count, kept = n < most ? n : most;
    struct rank *ranks = mp_arena_alloc(growing->arena, n * sizeof *ranks);
    uint32_t *others = mp_arena_alloc(growing->arena, ((size_t)kept + 1) * sizeof *others);
    struct mp_heap_tree tree = {mp_arena_alloc(arena, ((size_t)kept * 2 + 1) * sizeof *tree.list), 0};

    for (uint32_t i = 0; i < n; i++) {
        struct grown *branch = &growing->branches[i];

        branch->kept = MP_NO_ID;
        ranks[i] = (struct rank){is_kind(growing, branch) ? UINT64_MAX : branch->retained, i};
    }
    qsort(ranks, n, sizeof *ranks, by_retained);
    growing->branches[0].kept = 0;
    for (uint32_t i = 0; i < kept; i++) {
        struct grown *branch = &growing->branches[ranks[i].branch];

        if (ranks[i].branch > 0 && is_empty(growing, branch))
            continue;
        branch->kept = tree.n;
        tree.list[tree.n++] = finished(growing, branch, arena);
    }
    for (uint32_t i = kept; i < n; i++) {
        const struct grown *branch = &growing->branches[ranks[i].branch];
        const uint32_t parent = growing->branches[branch->parent].kept;

        if (parent != MP_NO_ID && !is_empty(growing, branch))
            leave_out(&tree, others, branch, parent);
    }
    return tree;
}

struct mp_heap_tree
mp_heap_tree(const struct mp_heap *heap, const struct mp_dominators *dominators, uint32_t most,
             struct mp_arena *arena)
{
    struct mp_arena *own = mp_arena_new();
    struct growing growing = {.heap = heap, .dominators = dominators, .arena = own, .texts = {.arena = own},
                              .keys = {.arena = own}};
    struct mp_heap_tree tree;

    growing.text_of = mp_arena_alloc(own, ((size_t)heap->n_types + 1) * sizeof *growing.text_of);
    for (uint32_t i = 0; i < heap->n_types; i++) {
        const char *text = mp_heap_type_text(heap, i);

        growing.text_of[i] = mp_map_add(&growing.texts, text, strlen(text));
    }
    grow(&growing);
    add_tops(&growing);
    tree = choose(&growing, most > 0 ? most : 1, arena);
    mp_arena_free(own);
    return tree;
}
