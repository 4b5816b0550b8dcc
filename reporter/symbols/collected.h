/* SPDX-License-Identifier: MIT */
/* collected.h -- the functions and locations of one profile, while it is symbolised. */
#ifndef MP_SYMBOLS_COLLECTED_H
#define MP_SYMBOLS_COLLECTED_H

#include "answers.h"
#include "symbols.h"
#include "texts.h"

/* A function that will be added to the profile. Its strings are in `names` or `files`. */
struct mp_symbol_function {
    struct mp_function is;
    bool filled;
    bool wanted;                /* the function is inlined somewhere, or names a frame without a Lisp name */
    const char *lisp;           /* its Lisp name; NULL = unknown */
    bool made;                  /* `lisp` was derived from its C name */
};

struct mp_symboliser {
    struct mp_profile *profile;
    const struct mp_symbol_options *options;
    struct mp_arena *scratch;   /* freed with the symboliser */
    struct mp_texts names, files;       /* in the profile's arena */
    struct mp_map keys;         /* identities of functions; the number of a key is the function's id */
    struct mp_symbol_function *functions;
    uint32_t functions_room;    /* capacity; keys.count functions are in use */
    struct mp_location *locations;
    uint32_t n_locations, locations_room;
    struct mp_types *types;
    struct mp_tail_calls *tail_calls;
    bool named;                 /* the frame being symbolised has a name from its language */
    bool closed;                /* functions are only searched, not added */
    uint32_t n_made;            /* number of functions with `made` set */
    const bool *better;         /* modules whose names may become better; NULL = the profile has no names yet */
};

/* A frame that will be symbolised. */
struct mp_symbol_frame {
    uint32_t module;            /* for several loads of one file, the first one */
    uint32_t frame;
    uint64_t address;           /* of the instruction, as an offset in the module */
    bool entry;                 /* no context has it; it only names the function that starts there */
};

/* Finds or adds the function with identity KEY in MODULE, and returns its id. If *FUNCTION is not `filled`, the
 * function is new, and the caller must fill it in. Returns MP_NO_ID if the function is unknown and the symboliser
 * closed. */
uint32_t mp_symbols_function(struct mp_symboliser *symboliser, uint32_t module, const char *key,
                             struct mp_symbol_function **function);

/* Like mp_symbols_function(), for KNOWN from the answers of MODULE. Fills a new function in. */
uint32_t mp_symbols_known(struct mp_symboliser *symboliser, uint32_t module,
                          struct mp_known_function *known);

/* Appends LOCATION to the frame being symbolised. */
void mp_symbols_locate(struct mp_symboliser *symboliser, struct mp_location location);

#endif
