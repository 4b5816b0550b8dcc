/* sum.h -- the sum of profiles while they are merged. merge.c adds profiles, merge_names.c and merge_tree.c contain
 * the tables of the sum, and order.c makes a profile from it. */
#ifndef MP_MERGE_SUM_H
#define MP_MERGE_SUM_H

#include "merge.h"

/* ---------------------------------------------------------------- names */

/*
 * Tables of what merged profiles refer to: strings, modules, functions, frames, names of the
 * language, kinds of objects.
 *
 * Each thing has a key made of names, never of numbers that a process assigned. So things of different processes
 * are the same if their names are. The key of a function contains the name of its module, its own name and the file
 * that declares it. A function without a name (libfoo.so+0x1234) has the build of its module instead. The key of a
 * frame contains its functions, their lines, and its distance from the start of the function. If processes differ in
 * a property that is not in the key, such as a function's start, one of its values is chosen by comparing the values,
 * so that the result does not depend on the order of the profiles.
 */

/* Words of keys. A word for a string is MP_NO_ID if the string is NULL. */
enum { MP_KEY_MODULE_PATH, MP_KEY_MODULE_BUILD, MP_KEY_MODULE_WORDS };
enum {
    MP_KEY_FUNCTION_MODULE, MP_KEY_FUNCTION_PLAIN, MP_KEY_FUNCTION_PARAMETERS, MP_KEY_FUNCTION_RUNTIME_NAME,
    MP_KEY_FUNCTION_FILE, MP_KEY_FUNCTION_UNIT, MP_KEY_FUNCTION_BUILD, MP_KEY_FUNCTION_STRINGS,
    MP_KEY_FUNCTION_HIGH = MP_KEY_FUNCTION_STRINGS, MP_KEY_FUNCTION_LOW, MP_KEY_FUNCTION_WORDS
};
enum {
    MP_KEY_NAME_TEXT, MP_KEY_NAME_FILE, MP_KEY_NAME_HIGH, MP_KEY_NAME_LOW, MP_KEY_NAME_FLAGS,
    MP_KEY_NAME_WORDS
};
enum {
    MP_KEY_KIND_NAME, MP_KEY_KIND_CATEGORY, MP_KEY_KIND_BASE, MP_KEY_KIND_IS_BASE,
    MP_KEY_KIND_WORDS
};
/* Words of a frame's key. The words MP_KEY_AT_... follow for each location. The flags are in MP_KEY_FRAME_FLAGS. */
enum {
    MP_KEY_FRAME_FLAGS, MP_KEY_FRAME_N, MP_KEY_FRAME_NAME, MP_KEY_FRAME_BUILD, MP_KEY_FRAME_HIGH,
    MP_KEY_FRAME_LOW, MP_KEY_FRAME_WORDS
};
enum { MP_KEY_AT_FUNCTION, MP_KEY_AT_LINE, MP_KEY_AT_FILE, MP_KEY_AT_INLINED, MP_KEY_AT_WORDS };
enum {
    MP_KEY_FRAME_EXACT = 1, MP_KEY_FRAME_RUNTIME = 2, MP_KEY_FRAME_INTERPRETED = 4,
    MP_KEY_FRAME_UNPROVED = 8,
    MP_KEY_FRAME_TAIL = 16,
    MP_KEY_FRAME_MARK = 32      /* multiplied by the mark */
};

struct mp_merged_module {
    uint8_t build_id[32];
    uint32_t build_id_size;
    bool unloaded;              /* in at least one process */
    uint32_t problem;           /* id of a string */
};

struct mp_merged_function {
    uint32_t module;            /* MP_NO_ID if none */
    uint64_t start;             /* the smallest known start, or 0 */
    uint32_t line;              /* the smallest */
    enum mp_function_kind kind;
    uint16_t language, clone;
};

struct mp_merge_names {
    struct mp_arena *arena;     /* not owned */
    struct mp_map strings;
    struct mp_map module_keys, function_keys, name_keys, kind_keys, frame_keys;
    struct mp_merged_module *modules;       uint32_t modules_room;
    struct mp_merged_function *functions;   uint32_t functions_room;
    uint32_t *frame_modules;                uint32_t frames_room;   /* by frame: the module */
    uint32_t *kind_numbers;                 uint32_t kinds_room;    /* by kind: its smallest number */
};

/* Maps the ids of one profile to ids of the tables. */
struct mp_merge_translation {
    uint32_t *frame_to;         /* by frame: the merged frame, or MP_NO_ID for labels */
    uint32_t *kind_to;          /* merged kind, indexed like the profile's kinds */
};

void mp_merge_names_init(struct mp_merge_names *names, struct mp_arena *arena);

/* Returns the id of the string TEXT, or MP_NO_ID if TEXT is NULL. */
uint32_t mp_merge_string(struct mp_merge_names *names, const char *text);
const char *mp_merge_text(const struct mp_merge_names *names, uint32_t string);

/* Returns the words of key ID in MAP. */
const uint32_t *mp_merge_key(const struct mp_map *map, uint32_t id);

/* Adds the modules, functions, frames, names and kinds of PROFILE. The translation is allocated in SCRATCH. */
struct mp_merge_translation mp_merge_translate(struct mp_merge_names *names,
                                               const struct mp_profile *profile,
                                               struct mp_arena *scratch);

/* ---------------------------------------------------------------- contexts */

/* A tree of contexts as in a profile: 0 is the root, and parents have lower numbers than children. A frame is a merged
 * frame, or a label with the bit MP_MERGE_LABEL. */
struct mp_merge_tree {
    struct mp_arena *arena;     /* contains the maps */
    struct mp_map context_keys, cell_keys, form_keys, bad_free_keys;
    struct mp_context *contexts;            /* malloc()ed, as are cells */
    struct mp_cell *cells;
    struct mp_bad_free *bad_frees;          /* in the arena */
    uint32_t n_contexts, contexts_room, n_cells, cells_room, bad_frees_room;
    uint32_t last_context, last_cell;       /* those that were looked up last. Trees of one program are similar, so the
                                               next lookup usually finds the one that follows */
    bool by_size;               /* cells of C blocks are also distinguished by size, because they are samples */
};

#define MP_MERGE_LABEL 0x80000000u

void mp_merge_tree_init(struct mp_merge_tree *tree, bool by_size);
void mp_merge_tree_free(struct mp_merge_tree *tree);

/* Returns the context of FRAME called by PARENT, adding it if it is new. */
uint32_t mp_merge_tree_context(struct mp_merge_tree *tree, uint32_t parent, uint32_t frame);

/* Adds the counts of CELL to the tree's cell of the same context and kind. */
void mp_merge_tree_add(struct mp_merge_tree *tree, const struct mp_cell *cell);

/* Adds PLACE to the faulty frees of the same kind and context. */
void mp_merge_tree_add_bad_free(struct mp_merge_tree *tree, const struct mp_bad_free *place);

/* Records that CONTEXT leads to a recorded form, see struct mp_profile. */
void mp_merge_tree_add_form(struct mp_merge_tree *tree, uint32_t context);

/* ---------------------------------------------------------------- sum */

struct mp_merge {
    struct mp_arena *arena;
    struct mp_merge_options options;
    struct mp_merge_names names;
    struct mp_merge_tree tree;
    struct mp_member *members;  uint32_t n_members, members_room;  /* in the order in which they were added */
    struct mp_map member_keys;  /* strings that identify processes, as they were recorded */
    uint32_t *keyed;            /* by key: the index of the member */
    uint32_t keyed_room;
    struct mp_map label_keys;   /* by label: a string that identifies it */
    enum mp_label_level level;
    struct mp_bin bins[MP_BINS];
    struct mp_map types;        /* size << 32 | string */
    uint64_t left_out;          /* number of files that earlier merges could not add */
    bool lifetimes;             /* at least one process has lifetimes */
    enum mp_sentinel sentinel;  /* value of all processes, or MP_SENTINEL_NONE if they differ */
    uint64_t bad_frees[MP_BAD_FREES];       /* number of faulty frees by enum mp_bad_free_kind */
};

/* Returns a profile of everything in MERGE, in an order that depends on names and figures only. Returns NULL and
 * fills *ERROR if there are too many kinds of objects. */
struct mp_profile *mp_merge_order(struct mp_merge *merge, struct mp_error *error);

#endif
