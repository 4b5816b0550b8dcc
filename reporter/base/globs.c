/* SPDX-License-Identifier: MIT */
#include "globs.h"

#include <string.h>

#include "map.h"

struct glob {
    const char *pattern, *part;         /* part: its longest part without wildcards */
    size_t length;                      /* of the part */
    uint32_t id, node;                  /* node: that of the part */
    uint32_t next;                      /* next pattern with this node, or MP_NO_ID */
    uint64_t tried;                     /* number of the last text that was compared with the pattern */
};

/* A node is a text with which at least one part begins; node 0 is the empty text. */
struct node {
    uint32_t shorter;                   /* its longest proper suffix that is a node */
    uint32_t first;                     /* first pattern whose part it is, or MP_NO_ID */
    uint32_t ends;                      /* its longest suffix, maybe itself, that is a part; 0 if there is none */
};

struct mp_globs {
    struct mp_arena *arena;
    struct glob *list;          uint32_t n, room;
    struct node *nodes;         uint32_t n_nodes, nodes_room;
    struct mp_map children;             /* by node and byte; the child of id N is node N + 1 */
    uint32_t first[256];                /* children of node 0, or 0 */
    uint32_t without;                   /* first pattern without a part, or MP_NO_ID */
    uint64_t texts;                     /* number of texts that were compared */
};

struct mp_globs *
mp_globs_new(struct mp_arena *arena)
{
    struct mp_globs *globs = mp_arena_alloc(arena, sizeof *globs);

    *globs = (struct mp_globs){.arena = arena, .children.arena = arena, .without = MP_NO_ID};
    return globs;
}

void
mp_globs_add(struct mp_globs *globs, const char *pattern, uint32_t id)
{
    struct glob glob = {.pattern = pattern, .id = id, .next = MP_NO_ID};

    for (const char *at = pattern; *at;) {
        const size_t length = strcspn(at, "*?");

        if (length > glob.length) {
            glob.part = at;
            glob.length = length;
        }
        at += length + strspn(at + length, "*?");
    }
    globs->list = mp_arena_grow(globs->arena, globs->list, globs->n, &globs->room, sizeof *globs->list);
    globs->list[globs->n++] = glob;
}

/* ---------------------------------------------------------------- one pattern */

/* Returns the number of bytes of the character at TEXT, which has LENGTH > 0 bytes. */
static size_t
character_size(const char *text, size_t length)
{
    size_t n = 1;

    if ((unsigned char)*text >= 0xc0)
        while (n < length && n < 4 && ((unsigned char)text[n] & 0xc0) == 0x80)
            n++;
    return n;
}

bool
mp_glob_matches(const char *pattern, const char *text, size_t length)
{
    const char *const end = text + length;
    const char *star = NULL, *from = NULL;      /* behind the last `*`, and the text compared from there on */

    for (;;) {
        if (*pattern == '*') {
            star = ++pattern;
            from = text;
            if (!*star)
                return true;
        } else if (text == end) {
            return !*pattern;
        } else if (*pattern == '?') {
            pattern++;
            text += character_size(text, (size_t)(end - text));
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star;
            text = ++from;
        } else {
            return false;
        }
    }
}

/* ---------------------------------------------------------------- the automaton */

static uint32_t
child_of(const struct mp_globs *globs, uint32_t node, unsigned char byte)
{
    return node == 0 ? globs->first[byte] : mp_map_find_u64(&globs->children, (uint64_t)node << 8 | byte) + 1;
}

/* Returns the longest node that ends with BYTE behind NODE or behind one of its suffixes. */
static uint32_t
follow(const struct mp_globs *globs, uint32_t node, unsigned char byte)
{
    uint32_t child;

    while ((child = child_of(globs, node, byte)) == 0 && node != 0)
        node = globs->nodes[node].shorter;
    return child;
}

static void
add_node(struct mp_globs *globs, uint32_t shorter)
{
    globs->nodes = mp_arena_grow(globs->arena, globs->nodes, globs->n_nodes, &globs->nodes_room, sizeof *globs->nodes);
    globs->nodes[globs->n_nodes++] =
        (struct node){.shorter = shorter, .first = MP_NO_ID, .ends = shorter ? globs->nodes[shorter].ends : 0};
}

/* Moves GLOB from its node to the child for the byte at DEPTH of its part. All nodes of less depth exist. */
static void
extend(struct mp_globs *globs, struct glob *glob, size_t depth)
{
    const unsigned char byte = (unsigned char)glob->part[depth];
    const uint32_t parent = glob->node, child = mp_map_add_u64(&globs->children, (uint64_t)parent << 8 | byte) + 1;

    if (child == globs->n_nodes) {
        add_node(globs, parent == 0 ? 0 : follow(globs, globs->nodes[parent].shorter, byte));
        if (parent == 0)
            globs->first[byte] = child;
    }
    glob->node = child;
}

/* Builds the automaton, one depth after the other. */
static void
build(struct mp_globs *globs)
{
    uint32_t *left = mp_arena_alloc(globs->arena, globs->n * sizeof *left), n = 0;

    add_node(globs, 0);
    for (uint32_t i = 0; i < globs->n; i++)
        left[n++] = i;
    for (size_t depth = 0; n > 0; depth++) {
        uint32_t longer = 0;

        for (uint32_t i = 0; i < n; i++) {
            struct glob *glob = &globs->list[left[i]];
            struct node *node = &globs->nodes[glob->node];
            uint32_t *first = glob->node ? &node->first : &globs->without;

            if (glob->length > depth) {
                left[longer++] = left[i];
                continue;
            }
            glob->next = *first;
            *first = left[i];
            node->ends = glob->node;
        }
        n = longer;
        for (uint32_t i = 0; i < n; i++)
            extend(globs, &globs->list[left[i]], depth);
    }
}

/* Compares TEXT with the pattern FIRST and those after it in its list. */
static void
compare(struct mp_globs *globs, uint32_t first, const char *text, size_t length, uint64_t *found)
{
    for (uint32_t i = first; i != MP_NO_ID; i = globs->list[i].next) {
        struct glob *glob = &globs->list[i];
        const uint64_t bit = UINT64_C(1) << glob->id % 64;

        if (glob->tried == globs->texts)
            return;             /* and so were those after it */
        glob->tried = globs->texts;
        if (!(found[glob->id / 64] & bit) && mp_glob_matches(glob->pattern, text, length))
            found[glob->id / 64] |= bit;
    }
}

void
mp_globs_match(struct mp_globs *globs, const char *text, size_t length, uint64_t *found)
{
    uint32_t node = 0;

    if (globs->n_nodes == 0)
        build(globs);
    globs->texts++;
    compare(globs, globs->without, text, length, found);
    for (size_t i = 0; i < length; i++) {
        node = follow(globs, node, (unsigned char)text[i]);
        for (uint32_t end = globs->nodes[node].ends; end != 0; end = globs->nodes[globs->nodes[end].shorter].ends)
            compare(globs, globs->nodes[end].first, text, length, found);
    }
}
