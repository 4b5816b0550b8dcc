/*
 * if it is only inlined. A frame may therefore be located before `start`. Without DWARF a clone is reported as its
 * function only if its origin is certain.
 *
 * Functions with the same name are distinguished by C++ parameters, else by module (`program!init`,
 * `libx.so!init`), else by source file (`init@queue.c`), else by address (`init@0x1234`). Their `plain` name is
 * `init` in all cases. If the language's runtime names a frame of the function, `plain` and `file` come from the
 * runtime.
 */
#ifndef MP_SYMBOLS_H
#define MP_SYMBOLS_H

#include "reporter/profile/profile.h"

struct mp_symbol_options {
    bool inlines;               /* expand inlined calls */
    bool types;                 /* find names of types for the bins */
    bool places;                /* read locations of variables */
    bool cache;                 /* keep answers on disk for the next time */
    const char *executable;     /* the program's file, if not at its recorded path; or NULL */
    /* Called with each module's name and the number of frames done before it, at the end with "" and all frames.
     * May be NULL. */
    void (*progress)(const char *what, uint32_t done, uint32_t total);
};

/* Fills in functions, locations, types and the modules' `problem`. A missing file is not an error: its frames get
 * names such as libfoo.so+0x1234, and `problem` gives the reason. Does nothing if PROFILE is already symbolised.
 * Returns false and sets *ERROR on failure. */
bool mp_symbolise(struct mp_profile *profile, const struct mp_symbol_options *options,
                  struct mp_error *error);

/* Calls IS with DATA and the name of each function among the ELF symbols of PROFILE's modules until it returns
 * true. Returns whether it did. A file that is missing or was changed has no symbols. */
bool mp_symbols_any(const struct mp_profile *profile, bool (*is)(void *data, const char *name), void *data);

/* While WANTED, files remain open from one profile to the next, which saves time for the many data files of one
 * run. Closes them if not WANTED. */
void mp_symbols_keep_files(bool wanted);
#endif
