/* SPDX-License-Identifier: MIT */
/*
 * module.h -- finds and records the ELF objects that have code on a chain.
 *
 * A module is recorded when one of its addresses is first met. glibc's _dl_find_object() finds the object of an
 * address without a lock and safely in a signal handler.
 */
#ifndef MP_MODULE_H
#define MP_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#include "eh_object.h"
#include "runtime/system/gate.h"

struct mp_code_place {
    uint32_t module;            /* id in the store; 0 if the address is in no object, or there is no memory for it */
    struct mp_eh_object object; /* `start` is NULL if the address is in no object; `eh_frame_hdr` is NULL if the
                                   object has no unwind information */
    bool libc;                  /* the address is in libc or the loader */
    bool program;               /* the address is in the program; with `libc`, it is statically linked */
};

/* Finds the object that contains PC, and records it if necessary. Fills *PLACE, with zeros if no object contains
 * PC. Lock held. */
void mp_module_find(uintptr_t pc, struct mp_code_place *place);

/* Returns whether PC is in libc's or the loader's code. Takes no lock. */
bool mp_module_is_libc(uintptr_t pc);

/* Returns whether both addresses are in the same ELF object. Takes no lock. */
bool mp_module_same(uintptr_t a, uintptr_t b);

/* Returns whether PC is in the monitor's own code. Takes no lock. */
bool mp_module_is_own(uintptr_t pc);

/* Finds the unwind tables in memory of the object that contains PC. Returns false if it has none. Takes no lock. */
bool mp_module_tables(uintptr_t pc, struct mp_eh_object *object);

/* Finds the unwind tables in the file of the object that contains PC, which is recorded, for mp_debug_frame_find() as
 * well. Returns false if it has none. Lock held. */
bool mp_module_debug_tables(uintptr_t pc, struct mp_eh_object *object);

/* Writes the address and the program headers of the object that contains PC to *INFO, as dl_iterate_phdr() does.
 * Returns false if no object contains PC. Takes no lock. */
struct dl_phdr_info;
bool mp_module_info(uintptr_t pc, struct dl_phdr_info *info);

/* Sets the functions that mp_module_find() calls. NEW is called with the addresses of an object that was recorded.
 * BACK is called with the id of an unloaded object that is loaded again from the same file at the same place, so
 * that its addresses keep their meaning. */
void mp_module_tell(void (*new)(uintptr_t start, uintptr_t end), void (*back)(uint32_t module));

/* Finds recorded modules that were unloaded and calls GONE for each. Returns whether there were any. Lock held. */
bool mp_module_sweep(void (*gone)(uint32_t module));

/* Forgets all modules, because a new file begins. Lock held. */
void mp_module_reset(void);

/* Sets *START and *END to the address range of the dynamic loader's code. The C bridge needs it, because a free() from
 * there may belong to a dlclose(). */
void mp_module_loader(uintptr_t *start, uintptr_t *end);

/* Does the same for the object that contains libc. */
void mp_module_libc(uintptr_t *start, uintptr_t *end);

#endif
