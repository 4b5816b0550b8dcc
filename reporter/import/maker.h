/* SPDX-License-Identifier: MIT */
/*
 * maker.h -- builds a profile piece by piece, for readers of other tools' files.
 *
 *     struct mp_maker *maker = mp_maker_new();
 *     path = mp_maker_text(maker, bytes);  name = ...;  file = ...;
 *     module = mp_maker_module(maker, path);
 *     function = mp_maker_function(maker, name, file, module);
 *     frame = mp_maker_frame(maker, module, offset);  mp_maker_line(maker, frame, function, line, file); ...
 *     context = mp_maker_context(maker, parent, frame);       // parent is 0 for the outermost call
 *     mp_maker_cell(maker, context, size, &counts);
 *     profile = mp_maker_end(maker, named);
 */
#ifndef MP_IMPORT_MAKER_H
#define MP_IMPORT_MAKER_H

#include "reporter/base/text.h"
#include "reporter/profile/profile.h"

#define MP_SIZE_UNKNOWN UINT64_MAX

struct mp_maker;

struct mp_maker *mp_maker_new(void);

/* Returns the profile, so that the caller can fill its `meta` and use its arena. The functions below fill the rest. */
struct mp_profile *mp_maker_profile(struct mp_maker *maker);

/* Returns the bytes of a text in the file in printable form, which the profile owns. Equal bytes yield the same
 * address, so a text that a file refers to a million times is stored once. All texts below come from this function or
 * are "". */
const char *mp_maker_text(struct mp_maker *maker, struct mp_piece bytes);

/* Returns the module of a code file. The same path always yields the same module. */
uint32_t mp_maker_module(struct mp_maker *maker, const char *path);

/* Returns the function NAME of source file FILE ("" if unknown) and MODULE (or MP_NO_ID). Equal arguments yield the
 * same function. */
uint32_t mp_maker_function(struct mp_maker *maker, const char *name, const char *file, uint32_t module);

/* Adds a frame whose instruction is at OFFSET of MODULE, or at address OFFSET if MODULE is MP_NO_ID. mp_maker_line()
 * adds its functions and lines, the innermost inlined function first. All lines of a frame must be added before the
 * next frame. */
uint32_t mp_maker_frame(struct mp_maker *maker, uint32_t module, uint64_t offset);
void mp_maker_line(struct mp_maker *maker, uint32_t frame, uint32_t function, uint32_t line, const char *file);

/* Names a FRAME without lines by its address: "libfoo.so+0x1234". */
void mp_maker_place(struct mp_maker *maker, uint32_t frame);

uint32_t mp_maker_context(struct mp_maker *maker, uint32_t parent, uint32_t frame);

/* Adds a cell for blocks of SIZE bytes. SIZE may be MP_SIZE_UNKNOWN. Then the mean size according to COUNTS
 * determines the size class. */
void mp_maker_cell(struct mp_maker *maker, uint32_t context, uint64_t size,
                   const struct mp_counts *counts);

/* Marks the profile as the live memory at one point in time, for files without totals of allocations. */
void mp_maker_at_moment(struct mp_maker *maker);

/* Frees the maker and returns the profile. NAMED states that all frames have lines. */
struct mp_profile *mp_maker_end(struct mp_maker *maker, bool named);

/* Frees the maker and its profile. */
void mp_maker_free(struct mp_maker *maker);

#endif
