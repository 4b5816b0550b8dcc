/*
 * names.h -- what profiles that are merged call things: strings, modules, functions, frames, names of the
 * language's, kinds of objects.
 *
 * Each thing is known by a key of names, and never by a number that one process gave it, so that things of
 * different processes are the same if they are called the same.  A function is that of a module's name,
 * its own name and the file that declares it; but without a name of its own (libfoo.so+0x1234) that of a build
 * of the module.  A frame is where in which functions it is: lines, and the distance from the function's start.
 * What a key does not say, starts and modules, is of all that were met the first in an order that is the same
 * whichever comes first.
 */
#ifndef MP_MERGE_NAMES_H
#define MP_MERGE_NAMES_H

#include "reporter/profile/profile.h"

/* Words of keys.  MP_NO_ID: nothing, in the place of a string. */
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
/* Of frames; behind them, for each location, the second; and what flags are. */
enum {
    MP_KEY_FRAME_FLAGS, MP_KEY_FRAME_N, MP_KEY_FRAME_NAME, MP_KEY_FRAME_BUILD, MP_KEY_FRAME_HIGH,
    MP_KEY_FRAME_LOW, MP_KEY_FRAME_WORDS
};
enum { MP_KEY_AT_FUNCTION, MP_KEY_AT_LINE, MP_KEY_AT_FILE, MP_KEY_AT_INLINED, MP_KEY_AT_WORDS };
enum {
    MP_KEY_FRAME_EXACT = 1, MP_KEY_FRAME_RUNTIME = 2, MP_KEY_FRAME_INTERPRETED = 4,
    MP_KEY_FRAME_MARK = 8       /* times the mark */
};

struct mp_merged_module {
    uint8_t build_id[32];
    uint32_t build_id_size;
    bool unloaded;              /* in one of the processes */
    uint32_t problem;           /* string */
};

struct mp_merged_function {
    uint32_t module;            /* MP_NO_ID: none */
    uint64_t start;             /* the least that is known; 0: none is */
};

struct mp_merge_names {
    struct mp_arena *arena;     /* not owned */
    struct mp_map strings;
    struct mp_map module_keys, function_keys, name_keys, kind_keys, frame_keys;
    struct mp_merged_module *modules;       uint32_t modules_room;
    struct mp_merged_function *functions;   uint32_t functions_room;
    uint32_t *frame_modules;                uint32_t frames_room;   /* by frame */
    uint32_t *kind_numbers;                 uint32_t kinds_room;    /* by kind: the least */
};

/* From numbers of one profile to ours. */
struct mp_merge_translation {
    uint32_t *frame_to;         /* by frame; of labels MP_NO_ID */
    uint32_t *kind_to;          /* by index in the profile's kinds */
};

void mp_merge_names_init(struct mp_merge_names *names, struct mp_arena *arena);

/* The string TEXT; of NULL MP_NO_ID. */
uint32_t mp_merge_string(struct mp_merge_names *names, const char *text);
const char *mp_merge_text(const struct mp_merge_names *names, uint32_t string);

/* The words of a key in MAP. */
const uint32_t *mp_merge_key(const struct mp_map *map, uint32_t id);

/* Take in all that PROFILE has names for.  The translation is in SCRATCH. */
struct mp_merge_translation mp_merge_translate(struct mp_merge_names *names,
                                               const struct mp_profile *profile,
                                               struct mp_arena *scratch);

#endif
