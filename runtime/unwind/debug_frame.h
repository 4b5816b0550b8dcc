/* SPDX-License-Identifier: MIT */
/*
 * debug_frame.h -- reads unwind tables that are not in memory, from .debug_frame of the object's file.
 *
 * Code that was compiled without .eh_frame but with -g has the same information there (DWARF 4, section 6.4). The
 * section is copied when a rule of such code is needed for the first time. The file's name may mean another file by
 * then. Therefore the file's first bytes, and those of the code, are compared with the memory.
 *
 * The copies are kept, and used again if the object is loaded again, because threads read them without a lock.
 */
#ifndef MP_DEBUG_FRAME_H
#define MP_DEBUG_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "eh_object.h"
#include "runtime/compiler.h"

struct mp_debug_table;

/* An object in memory. */
struct mp_debug_source {
    const char *path;           /* path of the object's file */
    uintptr_t start, end;       /* address range of the object */
    uint64_t bias;              /* address in memory minus address in the file */
    uintptr_t pc;               /* address of code in it */
};

/* Returns the table of SOURCE, or NULL if its file has none or cannot be read. Lock held. */
struct mp_debug_table *mp_debug_frame_read(const struct mp_debug_source *source);

/* Note whether the object of TABLE, which may be NULL, is loaded, or that no object is known to be. Lock held. */
#ifdef MP_HAVE_RULES
void mp_debug_frame_loaded(struct mp_debug_table *table, bool loaded);
void mp_debug_frame_reset(void);
#else
static inline void
mp_debug_frame_loaded(struct mp_debug_table *table, bool loaded)
{
    (void)table, (void)loaded;
}

static inline void
mp_debug_frame_reset(void)
{
}
#endif

/* Finds the table for PC among those that were read. Returns false if there is none. Takes no lock. */
bool mp_debug_frame_find(uintptr_t pc, struct mp_eh_object *object);

#endif
