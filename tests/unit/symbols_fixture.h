/* symbols_fixture.h -- what the symboliser's tests share: one profile, made by hand, and its names. */
#ifndef MP_TEST_SYMBOLS_FIXTURE_H
#define MP_TEST_SYMBOLS_FIXTURE_H

#include "reporter/symbols/symbols.h"

/* The programs' labels (see tests/programs/symbols.h) play the part of calls to malloc. */
#define C_PROGRAM    PROGRAMS "/symbols_c"
#define CXX_PROGRAM  PROGRAMS "/symbols_cxx"
#define TWIN_PROGRAM PROGRAMS "/symbols_twin"

extern struct mp_profile *profile;

/* An empty one, with room for a few of each. */
void begin_profile(void);
void end_profile(void);

uint32_t add_module(const char *path);

/* A module with the build-id of its file. */
uint32_t add_file(const char *path);
void record_build_id(struct mp_module *module, const char *path);

/* Address of symbol NAME in the program at PATH. */
uint64_t address_of(const char *path, const char *name);

uint32_t add_frame(uint32_t module, uint64_t offset);

/* A call at label NAME of the program at PATH: it returns behind the label's one byte. */
uint32_t add_site(uint32_t module, const char *path, const char *name);

/* One allocation of SIZE bytes in FRAME, called by CALLER (MP_NO_ID: nobody). */
void add_allocation(uint32_t frame, uint32_t caller, uint32_t size);

/* Find the names, and see that all ids are in range and all names unique. */
void symbolise_with(const struct mp_symbol_options *options);
void symbolise(void);

const struct mp_location *location(uint32_t frame, uint32_t index);
const char *name_of(uint32_t frame, uint32_t index);

extern char folder[64];         /* a new one for each test that asks in_folder() */

/* Path of NAME in a folder of this test's own; begins with an empty one. */
const char *in_folder(const char *name);
void remove_folder(void);
void shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
