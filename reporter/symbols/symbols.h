/*
 * symbols.h -- names for a profile: functions, inlined calls, source lines, types.
 *
 * Reads ELF and DWARF through libdw, debug files by build-id (/usr/lib/debug, debuginfod when
 * DEBUGINFOD_URLS is set), demangles with libiberty.
 *
 * A frame is named by DWARF; else by an ELF symbol that covers its address; else it is
 * `libfoo.so+0x<start of its function>` by the unwind table, or `libfoo.so+0x<offset>`.  A file
 * whose build-id is not the recorded one names nothing.
 *
 * With DWARF, a function is one declaration (name, file, line) in one module: its inlined calls,
 * clones (foo.constprop.0, foo.part.0, foo.cold) and copies in several units are the same function,
 * and `start` is where the first of its copies begins (0: it was only ever inlined).  So a frame
 * may lie before `start`.  Without DWARF a clone is its function where it is sure which one.
 *
 * Names that would be shared get what tells the functions apart: C++ parameters, else
 * `program!init` and `libx.so!init`, else `init@queue.c`, else `init@0x1234`; `plain` is `init` for
 * each of them.  Where the language's runtime has named a frame of the function, `plain` and `file`
 * are what the runtime says.
 */
#ifndef MP_SYMBOLS_H
#define MP_SYMBOLS_H

#include "reporter/profile/profile.h"

struct mp_symbol_options {
    bool inlines;               /* expand inlined calls */
    bool types;                 /* names of types for the bins */
    bool places;                /* where variables are */
    bool cache;                 /* keep what files tell on disk, for the next time */
    const char *executable;     /* NULL, or the program's file if not at its recorded path */
    /* May be NULL.  Called with each module's name and the frames done before it, at the end with
     * "" and all of them. */
    void (*progress)(const char *what, uint32_t done, uint32_t total);
};

/* Fill functions, locations, types and the modules' `problem`.  Missing files are no error: their
 * frames get names like libfoo.so+0x1234 and the module says why.  Does nothing if symbolised. */
bool mp_symbolise(struct mp_profile *profile, const struct mp_symbol_options *options,
                  struct mp_error *error);

/* Calls IS with DATA and the name of each function among the ELF symbols of PROFILE's modules until it returns true.
 * Returns whether it did.  A file that is not there any more, or was changed, has no symbols. */
bool mp_symbols_any(const struct mp_profile *profile, bool (*is)(void *data, const char *name), void *data);

/* While WANTED, files stay open from one profile to the next: for many data files of one run.
 * False closes them. */
void mp_symbols_keep_files(bool wanted);
#endif
