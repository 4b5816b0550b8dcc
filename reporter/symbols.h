/*
 * symbols.h -- names for a profile: functions, inlined calls, source lines, types.
 *
 * Reads ELF and DWARF through libdw, debug files by build-id (/usr/lib/debug, debuginfod when
 * DEBUGINFOD_URLS is set), demangles with libiberty.
 */
#ifndef MP_SYMBOLS_H
#define MP_SYMBOLS_H

#include "profile.h"

struct mp_symbol_options {
    bool inlines;               /* expand inlined calls */
    bool types;                 /* names of types for the bins */
    const char *executable;     /* NULL, or the program's file when it is not at its recorded path */
    void (*progress)(const char *what, uint32_t done, uint32_t total);  /* may be NULL */
};

/* Fill functions, locations, types and the modules' `problem`.  Missing files are no error: their
 * frames get names like libfoo.so+0x1234 and the module says why.  Does nothing if symbolised. */
bool mp_symbolise(struct mp_profile *profile, const struct mp_symbol_options *options,
                  struct mp_error *error);
#endif
