/* symbols_fixture.h -- builds a profile frame by frame and symbolises it, for tests of the symboliser. */
#ifndef MP_TEST_SYMBOLS_FIXTURE_H
#define MP_TEST_SYMBOLS_FIXTURE_H

#include "reporter/symbols/symbols.h"
#include "tests/unit/folder.h"

/* The labels of these programs, see tests/programs/symbols.h, stand for calls of malloc. */
#define C_PROGRAM    PROGRAMS "/symbols_c"
#define CXX_PROGRAM  PROGRAMS "/symbols_cxx"
#define TWIN_PROGRAM PROGRAMS "/symbols_twin"

extern struct mp_profile *profile;

/* Begins an empty profile, which has capacity for a few modules, frames and cells. It is freed when the test ends. */
void begin_profile(void);

uint32_t add_module(const char *path);

/* Adds a module with the build-id of its file. */
uint32_t add_file(const char *path);
void record_build_id(struct mp_module *module, const char *path);

/* Returns the address of symbol NAME in the program at PATH. */
uint64_t address_of(const char *path, const char *name);

uint32_t add_frame(uint32_t module, uint64_t offset);

/* Adds a frame of a call at label NAME of the program at PATH. The call returns after the one byte at the label. */
uint32_t add_site(uint32_t module, const char *path, const char *name);

/* Adds an allocation of SIZE bytes in FRAME, which CALLER calls, unless that is MP_NO_ID. */
void add_allocation(uint32_t frame, uint32_t caller, uint32_t size);

/* Symbolise `profile`. Fail the test if an id is out of range or if two functions have the same name. */
void symbolise_with(const struct mp_symbol_options *options);
void symbolise(void);

const struct mp_location *location(uint32_t frame, uint32_t index);
const char *name_of(uint32_t frame, uint32_t index);

/* Runs a shell command and fails the test if that fails. */
void shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
/* SPDX-License-Identifier: MIT */
