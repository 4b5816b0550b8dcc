/* SPDX-License-Identifier: MIT */
/*
 * symbols.h -- gives the addresses of a profile their names: functions, inlined calls, source lines, and types.
 *
 * This directory owns the access to the program and library files that a profile refers to: it finds and verifies
 * them and their debug files, reads ELF and DWARF, and caches the results. mp_load() (load.h) calls mp_symbolise()
 * once, before any table is made. Heap snapshots also use infer.h and variables.h, merging of profiles uses
 * collected.h, and all other headers are internal.
 *
 * A frame is named by DWARF, else by an ELF symbol that covers its address. Otherwise it is called
 * `libfoo.so+0x<start of its function>` by the unwind table, or `libfoo.so+0x<offset>`. A file whose build-id is not
 * the recorded one names nothing.
 *
 * With DWARF, a function is one declaration (name, file, line) in one module. Its inlined calls, clones
 * (foo.constprop.0, foo.part.0, foo.cold) and copies in several units are the same function. `start` is the address of
 * the first of its copies, or 0 if it is only inlined. A frame may therefore be located before `start`. Without DWARF a
 * clone is reported as its function only if its origin is certain.
 *
 * If the language's runtime names a frame of the function, `runtime_name` and `file` come from the runtime.
 */
#ifndef MP_SYMBOLS_H
#define MP_SYMBOLS_H

#include "reporter/profile/profile.h"

struct mp_symbol_options {
    bool places;                /* read locations of variables */
    bool cache;                 /* keep answers on disk for the next time */
    /* Called before each module with the number of frames done, and at the end. May be NULL. */
    void (*progress)(uint64_t done, uint64_t all);
};

/* Fills in functions, locations, types and the modules' `problem`. A missing file is not an error: its frames get
 * names such as libfoo.so+0x1234, and `problem` gives the reason. If PROFILE has names already, adds better ones from
 * files that were not found before, and sets `renamed` if there are any. Returns false and sets *ERROR on failure. */
bool mp_symbolise(struct mp_profile *profile, const struct mp_symbol_options *options,
                  struct mp_error *error);

/* Calls IS with DATA and the name of each function among the ELF symbols of PROFILE's modules until it returns
 * true. Returns whether it did. A file that is missing or was changed has no symbols. */
bool mp_symbols_any(const struct mp_profile *profile, bool (*is)(void *data, const char *name), void *data);

/* Names a file, or a directory with files, that can name functions of the following profiles. A file belongs to the
 * modules with its build-id, or is the program that was recorded without a build-id. */
void mp_symbols_add_file(const char *path);
void mp_symbols_add_folder(const char *path);

/* Returns false and fills *ERROR if a named file or directory cannot be read. mp_symbolise() calls this, too. */
bool mp_symbols_readable(struct mp_error *error);

/* Returns whether a file or directory was named. */
bool mp_symbols_named(void);

/* mp_symbols_ask() asks for better names: mp_symbolise() then also searches for lines where a profile has only names.
 * mp_symbols_asked() returns whether they were asked for. Naming a file or directory asks for them, too. */
void mp_symbols_ask(void);
bool mp_symbols_asked(void);

/* Returns the module that is the program of PROFILE, or NULL. */
const struct mp_module *mp_symbols_program(const struct mp_profile *profile);

/* Returns false and fills *ERROR if a named file belongs to none of the profiles that were symbolised. */
bool mp_symbols_check(struct mp_error *error);

/* Begins a new budget for the symbols of files, PERCENT of the default (budget.h). If PERCENT is 0, and also if this
 * function is never called, the environment's MPROF_SYMBOL_LIMIT is the percentage. Without a call, one budget is used
 * for the whole command. */
void mp_symbols_limit(uint32_t percent);
#define MP_SYMBOLS_MOST_LIMIT 100000u

/* Holds the regular file that the descriptor PLACE, opened with O_PATH, refers to, so that names can be read from it
 * even if it is removed or replaced. At most 256 files are held. */
void mp_symbols_hold(int place);

/* While WANTED, files remain open from one profile to the next, which saves time for the many data files of one
 * run. Closes them if not WANTED. */
void mp_symbols_keep_files(bool wanted);
#endif
