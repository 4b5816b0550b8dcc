/* SPDX-License-Identifier: MIT */
/*
 * unite.h -- makes one profile of several. Items (modules, functions, frames, contexts, kinds of objects, cells) that
 * are the same in several profiles become one item.
 *
 * reporter/unite/ owns the rules by which items of different processes are the same. There are two sets of rules:
 *
 * - Exact, for sums (merge.h): two items are the same if all properties are equal that do not change from one process
 *   to the next. For a function these are its module, name, parameters and file; functions without a name must also be
 *   from the same build of the module. Frames are the same if their functions, lines and distances from the start of
 *   the function are equal. If equal items differ in another property, such as a function's start, one of the values is
 *   chosen by comparing the values. So the result does not depend on the order of the profiles, nor on numbers that a
 *   process assigned.
 * - Tolerant, for differences (reporter/diff/): profiles of different builds are united. Modules are the same in all
 *   versions, functions are matched by match.h, and frames are the same if their functions are.
 *
 *     mp_unite_init(&unite, how, arena);
 *     for each profile:
 *         mp_unite_add(&unite, profile, ...);          then it may be freed
 *     result = mp_unite_ordered(&unite, ...);
 */
#ifndef MP_UNITE_H
#define MP_UNITE_H

#include "match.h"
#include "reporter/profile/profile.h"

/* ---------------------------------------------------------------- contexts and cells */

/* A tree of contexts as in a profile: 0 is the root, and parents have lower numbers than children. A frame is a united
 * frame, or a label with the bit MP_UNITE_LABEL. */
struct mp_unite_tree {
    struct mp_arena *arena;     /* contains the maps */
    struct mp_map context_keys, cell_keys, form_keys, bad_free_keys;
    struct mp_context *contexts;            /* malloc()ed, as are cells */
    struct mp_cell *cells;
    struct mp_bad_free *bad_frees;          /* in the arena */
    uint32_t n_contexts, contexts_room, n_cells, cells_room, bad_frees_room;
    uint32_t last_context, last_cell;       /* those that were looked up last. Trees of one program are similar, so the
                                               next lookup usually finds the one that follows */
    uint32_t by_size;           /* cells of kinds below this are also distinguished by size, because they are samples:
                                   0, MP_KIND_LISP or UINT32_MAX */
};

#define MP_UNITE_LABEL 0x80000000u

void mp_unite_tree_init(struct mp_unite_tree *tree, uint32_t by_size);
void mp_unite_tree_free(struct mp_unite_tree *tree);

/* Returns the context of FRAME called by PARENT, adding it if it is new. */
uint32_t mp_unite_context(struct mp_unite_tree *tree, uint32_t parent, uint32_t frame);

/* Adds the figures of CELL or PLACE to those of the same context (and kind), or as new ones. */
void mp_unite_add_cell(struct mp_unite_tree *tree, const struct mp_cell *cell);
void mp_unite_add_bad_free(struct mp_unite_tree *tree, const struct mp_bad_free *place);

/* Replaces the frame of each context by FRAMES[context]. A context whose new frame is MP_NO_ID becomes one with its
 * parent. Contexts that became equal are one. */
void mp_unite_replace_frames(struct mp_unite_tree *tree, const uint32_t frames[]);

/* ---------------------------------------------------------------- keys */

/*
 * What profiles refer to is identified by keys, which consist of 32-bit words: numbers, ids of other keys, and ids of
 * strings. A letter describes each word: 's' is a string, or MP_NO_ID for NULL, 'f' a function, 'n' a name of the
 * language, '.' a number. The last four letters of a frame's key are repeated for each of its locations.
 */
#define MP_UNITE_MODULE "ss"            /* path, build */
#define MP_UNITE_NAME "ss..."           /* name, file, position (two words), flags */
enum { MP_UNITE_KIND_NAME, MP_UNITE_KIND_CATEGORY, MP_UNITE_KIND_BASE, MP_UNITE_KIND_IS_BASE };
#define MP_UNITE_KIND "s.s."
enum {
    MP_UNITE_FUNCTION_MODULE, MP_UNITE_FUNCTION_NAME, MP_UNITE_FUNCTION_PARAMETERS, MP_UNITE_FUNCTION_RUNTIME,
    MP_UNITE_FUNCTION_FILE, MP_UNITE_FUNCTION_UNIT, MP_UNITE_FUNCTION_BUILD, MP_UNITE_FUNCTION_HIGH,
    MP_UNITE_FUNCTION_LOW, MP_UNITE_FUNCTION_WORDS
};
#define MP_UNITE_FUNCTION "sssssss.."
enum {
    MP_UNITE_FRAME_FLAGS, MP_UNITE_FRAME_N, MP_UNITE_FRAME_NAME, MP_UNITE_FRAME_BUILD, MP_UNITE_FRAME_HIGH,
    MP_UNITE_FRAME_LOW, MP_UNITE_FRAME_WORDS
};
enum { MP_UNITE_AT_FUNCTION, MP_UNITE_AT_LINE, MP_UNITE_AT_FILE, MP_UNITE_AT_INLINED, MP_UNITE_AT_WORDS };
#define MP_UNITE_FRAME "..ns..f.s."

/* Returns the words of key ID in MAP. */
static inline const uint32_t *
mp_unite_key(const struct mp_map *map, uint32_t id)
{
    return (const uint32_t *)(const void *)mp_map_key(map, id);
}

/* ---------------------------------------------------------------- all of it */

/* The kind of a cell is MP_UNITE_TAG(run) | kind in a tolerant union. */
#define MP_UNITE_TAG(run) ((run) << 16)
#define MP_UNITE_TAGGED 0xffffu         /* the bits of the kind */

enum mp_unite_how { MP_UNITE_EXACT, MP_UNITE_TOLERANT };

struct mp_unite {
    struct mp_arena *arena;     /* not owned; contains everything except the tree */
    enum mp_unite_how how;
    struct mp_map strings;
    /* Keys of what the profiles refer to. They consist of numbers, of ids of other keys, and of ids of strings. What a
     * key identifies has the same id in `sum`. */
    struct mp_map modules, functions, frames, names, kinds;
    struct mp_profile sum;      /* modules, functions, frames, locations, names, kinds, in the order of addition; and
                                   the sums of bins and faulty frees */
    struct mp_bad_frees bad_frees;
    uint32_t modules_room, functions_room, frames_room, locations_room, names_room, kinds_room;
    struct mp_map types;        /* size << 32 | string */
    struct mp_unite_tree tree;
    bool any;                   /* a profile was added */
};

/* Where the chains of a profile begin in the united one. */
struct mp_unite_labels {
    uint32_t root;              /* label below which the profile's chains are placed, or MP_NO_ID */
    const uint32_t *of_frames;  /* by frame: the label that it represents, or MP_NO_ID; NULL if there are none */
};

void mp_unite_init(struct mp_unite *unite, enum mp_unite_how how, struct mp_arena *arena);
void mp_unite_free(struct mp_unite *unite);

/* Returns a copy of TEXT, which may be NULL, in the arena. */
const char *mp_unite_text(struct mp_unite *unite, const char *text);

/* Returns the united module for MODULE of PROFILE, or MP_NO_ID if MODULE is none. */
uint32_t mp_unite_module(struct mp_unite *unite, const struct mp_profile *profile, uint32_t module);

/* Adds PROFILE, which is symbolised. TAG is added to the kinds of its cells, and to nothing else. */
void mp_unite_add(struct mp_unite *unite, const struct mp_profile *profile, const struct mp_unite_labels *labels,
                  uint32_t tag);

/* Matches the functions of a tolerant union, to which the cells of run r were added with the tag MP_UNITE_TAG(r). SIDES
 * are the sides of the runs. Afterwards there is one frame with one location for each function, and their ids are
 * equal. */
void mp_unite_match(struct mp_unite *unite, const enum mp_side sides[]);

/* Returns a profile of everything in UNITE, in an order that depends on names and figures only. UNITE continues to own
 * strings and cells. N_LABELS frames for the labels are appended; that of label i is number LABEL_TO[i] among them, and
 * its function has no name yet. Returns NULL and fills *ERROR if there are too many kinds of objects. */
struct mp_profile *mp_unite_ordered(struct mp_unite *unite, const uint32_t label_to[], uint32_t n_labels,
                                    struct mp_error *error);

#endif
