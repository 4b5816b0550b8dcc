/* collected.h -- functions and locations of one profile, while they are being collected. */
#ifndef MP_SYMBOLS_COLLECTED_H
#define MP_SYMBOLS_COLLECTED_H

#include "answers.h"
#include "symbols.h"
#include "texts.h"

/* A function on its way into the profile; its strings live in `scratch`. */
struct mp_symbol_function {
    const char *name;           /* without parameters */
    const char *full;           /* with them; equal to name if there are none */
    const char *unique;         /* by unique.c, at the end: what no other function is called */
    const char *file;           /* source file; "" not known */
    bool declared;              /* the debug information declares it in `file` */
    bool is_place;              /* the name is an address: another build has another one */
    bool nameless;              /* "libfoo.so+0x1234": the name holds the module already */
    uint32_t module;            /* MP_NO_ID: none */
    uint64_t start;             /* 0 not known */
    bool wanted;                /* it is inlined somewhere, or names a frame without a Lisp name */
    const char *lisp;           /* what the language calls it, NULL: not known */
    bool made;                  /* and that was made of its name in C */
};

struct mp_symboliser {
    struct mp_profile *profile;
    const struct mp_symbol_options *options;
    struct mp_arena *scratch;   /* dies with the symboliser */
    struct mp_texts names;      /* in scratch */
    struct mp_texts files;      /* in the profile's arena */
    struct mp_map keys;         /* identities of functions; a key's number is its function's id */
    struct mp_symbol_function *functions;
    uint32_t functions_room;    /* keys.count of them are in use */
    struct mp_location *locations;
    uint32_t n_locations, locations_room;
    struct mp_types *types;     /* NULL: nobody wants types */
    bool named;                 /* the frame that is looked up has a name of its language's */
    bool closed;                /* only functions that are there already are looked for */
    uint32_t n_made;            /* functions that are `made` */
};

/* A frame on its way to a name. */
struct mp_symbol_frame {
    uint32_t module;            /* first one that is the same file */
    uint32_t frame;
    uint64_t address;           /* of the instruction: an offset in the module */
    bool entry;                 /* no context has it: it names the function that starts there */
};

/* The function with identity KEY in MODULE; *FUNCTION is new if its name is NULL: fill it then.
 * MP_NO_ID: it is new, and the symboliser is closed. */
uint32_t mp_symbols_function(struct mp_symboliser *symboliser, uint32_t module, const char *key,
                             struct mp_symbol_function **function);

/* The same for KNOWN, which MODULE's file told of; fills it in. */
uint32_t mp_symbols_known(struct mp_symboliser *symboliser, uint32_t module,
                          struct mp_known *known);

/* Append LOCATION to the frame that is being looked up. */
void mp_symbols_locate(struct mp_symboliser *symboliser, struct mp_location location);

#endif
