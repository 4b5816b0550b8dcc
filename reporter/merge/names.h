/*
 * names.h -- tables of what merged profiles refer to: strings, modules, functions, frames, names of the
 * language's, kinds of objects.
 *
 * Each thing has a key made of names, never of numbers that a process assigned. So things of different processes
 * are the same if their names are. The key of a function has its module's name, its own name and the file that
 * declares it. A function without a name (libfoo.so+0x1234) has the build of its module instead. The key of a
 * frame has its functions, their lines, and its distance from the start of the function. Properties that are not
 * in a key, such as starts and modules, are the first of all that were seen, in an order that does not depend on
 * which profile came first.
 */
#ifndef MP_MERGE_NAMES_H
#define MP_MERGE_NAMES_H

#include "reporter/profile/profile.h"

/* Words of keys. MP_NO_ID in place of a string means none. */
enum { MP_KEY_MODULE_PATH, MP_KEY_MODULE_BUILD, MP_KEY_MODULE_WORDS };
enum {
    MP_KEY_FUNCTION_MODULE, MP_KEY_FUNCTION_NAME, MP_KEY_FUNCTION_PLAIN, MP_KEY_FUNCTION_FILE,
    MP_KEY_FUNCTION_BUILD, MP_KEY_FUNCTION_WORDS
};
enum {
    MP_KEY_NAME_TEXT, MP_KEY_NAME_FILE, MP_KEY_NAME_HIGH, MP_KEY_NAME_LOW, MP_KEY_NAME_FLAGS,
    MP_KEY_NAME_WORDS
};
enum {
    MP_KEY_KIND_NAME, MP_KEY_KIND_CATEGORY, MP_KEY_KIND_BASE, MP_KEY_KIND_IS_BASE,
    MP_KEY_KIND_WORDS
};
/* Words of a frame's key. For each location, the words of the second list follow. The third list has the flags. */
enum {
    MP_KEY_FRAME_FLAGS, MP_KEY_FRAME_N, MP_KEY_FRAME_NAME, MP_KEY_FRAME_BUILD, MP_KEY_FRAME_HIGH,
    MP_KEY_FRAME_LOW, MP_KEY_FRAME_WORDS
};
enum { MP_KEY_AT_FUNCTION, MP_KEY_AT_LINE, MP_KEY_AT_FILE, MP_KEY_AT_INLINED, MP_KEY_AT_WORDS };
enum {
    MP_KEY_FRAME_EXACT = 1, MP_KEY_FRAME_RUNTIME = 2, MP_KEY_FRAME_INTERPRETED = 4,
    MP_KEY_FRAME_MARK = 8       /* multiplied by the mark */
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
    uint32_t *kind_to;          /* by index in the profile's kinds: the merged kind */
};

void mp_merge_names_init(struct mp_merge_names *names, struct mp_arena *arena);

/* Returns the id of the string TEXT, or MP_NO_ID if TEXT is NULL. */
uint32_t mp_merge_string(struct mp_merge_names *names, const char *text);
const char *mp_merge_text(const struct mp_merge_names *names, uint32_t string);

/* Returns the words of key ID in MAP. */
const uint32_t *mp_merge_key(const struct mp_map *map, uint32_t id);

/* Adds everything that PROFILE has names for. The translation is in SCRATCH. */
struct mp_merge_translation mp_merge_translate(struct mp_merge_names *names,
                                               const struct mp_profile *profile,
                                               struct mp_arena *scratch);

#endif
