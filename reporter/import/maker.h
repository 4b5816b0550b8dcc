/*
 * maker.h -- a profile made piece by piece, by those who read what other tools wrote.
 *
 *     struct mp_maker *maker = mp_maker_new();
 *     module = mp_maker_module(maker, path, size);
 *     function = mp_maker_function(maker, name, file, module);
 *     frame = mp_maker_frame(maker, module, offset);  mp_maker_line(maker, frame, function, line); ...
 *     context = mp_maker_context(maker, parent, frame);       // parent 0: the outermost call
 *     mp_maker_cell(maker, context, size, &counts);
 *     profile = mp_maker_end(maker);
 *
 * Texts are bytes as the file has them: they are made fit to be printed here.
 */
#ifndef MP_IMPORT_MAKER_H
#define MP_IMPORT_MAKER_H

#include "reporter/profile/profile.h"

#define MP_SIZE_UNKNOWN UINT64_MAX

struct mp_maker;

struct mp_bytes {
    const char *text;           /* without a NUL */
    size_t size;
};

struct mp_maker *mp_maker_new(void);

/* For its meta, and the arena; the rest is filled by what follows. */
struct mp_profile *mp_maker_profile(struct mp_maker *maker);

/* A file that code came from; the same path is the same module. */
uint32_t mp_maker_module(struct mp_maker *maker, struct mp_bytes path);

/* One that is called NAME, of a source file ("": not known) and a module, or MP_NO_ID.  Equal ones are one; of those
 * that have the name only in common, the later get names that tell them apart. */
uint32_t mp_maker_function(struct mp_maker *maker, struct mp_bytes name, struct mp_bytes file,
                           uint32_t module);

/* A new frame, whose instruction is at OFFSET of MODULE, or at that address.  With lines it is named, innermost
 * inlined function first; they are to be added before the next frame is made. */
uint32_t mp_maker_frame(struct mp_maker *maker, uint32_t module, uint64_t offset);
void mp_maker_line(struct mp_maker *maker, uint32_t frame, uint32_t function, uint32_t line,
                   struct mp_bytes file);

/* What FRAME calls itself if it has no line: its place, "libfoo.so+0x1234". */
void mp_maker_place(struct mp_maker *maker, uint32_t frame);

uint32_t mp_maker_context(struct mp_maker *maker, uint32_t parent, uint32_t frame);

/* Blocks of SIZE bytes each, or MP_SIZE_UNKNOWN: on the average then as large as COUNTS say. */
void mp_maker_cell(struct mp_maker *maker, uint32_t context, uint64_t size,
                   const struct mp_counts *counts);

/* NAMED: all frames have lines.  Frees the maker. */
struct mp_profile *mp_maker_end(struct mp_maker *maker, bool named);

/* The same without a profile. */
void mp_maker_free(struct mp_maker *maker);

#endif
