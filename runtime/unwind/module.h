/*
 * module.h -- the ELF objects that had code on a chain.
 *
 * A module is recorded when one of its addresses is first met.  glibc's _dl_find_object() tells
 * which object holds an address, without a lock and safely in a signal handler.
 */
#ifndef MP_MODULE_H
#define MP_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#include "eh_object.h"
#include "runtime/system/gate.h"

struct mp_code_place {
    uint32_t module;            /* id in the store; 0: in no object, or no memory for it */
    struct mp_eh_object object; /* start NULL: none; eh_frame_hdr NULL: no unwind information */
    bool libc;                  /* in libc or the loader */
};

/* Which object PC lies in; it is recorded if need be.  *PLACE is zeroed if PC is in no object.
 * Gate's lock held. */
void mp_module_find(uintptr_t pc, struct mp_code_place *place);

/* Is PC in libc's or the loader's code?  No lock. */
bool mp_module_is_libc(uintptr_t pc);

/* Do both addresses lie in one ELF object?  No lock. */
bool mp_module_same(uintptr_t a, uintptr_t b);

/* The unwind tables of the object that holds PC; false: there are none.  No lock. */
bool mp_module_tables(uintptr_t pc, struct mp_eh_object *object);

/* Address and program headers of the object that holds PC, as dl_iterate_phdr() would tell them;
 * false: there is none.  No lock. */
struct dl_phdr_info;
bool mp_module_info(uintptr_t pc, struct dl_phdr_info *info);

/* Whom mp_module_find() tells: NEW, with its addresses, that an object was recorded; BACK, with
 * its id, that one which was unloaded is there again: the same file at the same place, so that
 * its addresses mean what they meant. */
void mp_module_tell(void (*new)(uintptr_t start, uintptr_t end), void (*back)(uint32_t module));

/* Look which recorded modules were unloaded, and call GONE for each; true if there were some.  Lock
 * held. */
bool mp_module_sweep(void (*gone)(uint32_t module));

/* Forget all: a new file begins.  Lock held. */
void mp_module_reset(void);

/* Addresses of the dynamic loader's code, for the C bridge: a free() from there may be a
 * dlclose. */
void mp_module_loader(uintptr_t *start, uintptr_t *end);

#endif
