/* SPDX-License-Identifier: MIT */
/*
 * module_list.h -- the list of ELF objects that module.c has recorded.
 *
 * An object is found by its address and the beginning of its build-id, because a program may load thousands of
 * different objects, one after the other, at one address. Unloaded objects are kept, because they often come back.
 * The list grows as long as there is memory.
 *
 * Pointers are valid until the next mp_module_list_new(). Callers hold the gate's lock.
 */
#ifndef MP_MODULE_LIST_H
#define MP_MODULE_LIST_H

#include <stdbool.h>
#include <stdint.h>

struct mp_loaded_module {
    uintptr_t start;            /* start of its addresses */
    const void *link_map;
    uint32_t id;                /* id of its record */
    bool libc;
    bool debug_sought;          /* .debug_frame of its file was looked for; `debug` is what was found, or NULL */
    struct mp_debug_table *debug;
    bool gone;                  /* unloaded */
    uint32_t hash;              /* hash of `start` and the build-id; this and the next members are used by
                                   module_list.c only */
    uint32_t next, loaded_next, loaded_before;
};

/* Returns a new zeroed module, or NULL if there is no memory. It is not in the list before mp_module_list_add(). */
struct mp_loaded_module *mp_module_list_new(void);

/* Adds MODULE, whose `start` is set. BUILD_ID has at least 8 bytes, which are zero if the object has no build-id. */
void mp_module_list_add(struct mp_loaded_module *module, const uint8_t *build_id);

/* Return the modules whose hash is that of START and BUILD_ID, one after the other, and then NULL. Such a module
 * may still have another address or build-id, so the caller compares both. */
struct mp_loaded_module *mp_module_list_first(uintptr_t start, const uint8_t *build_id);
struct mp_loaded_module *mp_module_list_next(const struct mp_loaded_module *module);

/* Returns the first loaded module if MODULE is NULL, and else the one after MODULE. Returns NULL after the last. */
struct mp_loaded_module *mp_module_list_loaded(const struct mp_loaded_module *module);

/* mp_module_list_gone() notes that MODULE was unloaded. If KEEP, the list keeps it, because it may come back.
 * mp_module_list_back() notes that it is loaded again. */
void mp_module_list_gone(struct mp_loaded_module *module, bool keep);
void mp_module_list_back(struct mp_loaded_module *module);

/* Forgets all modules. */
void mp_module_list_reset(void);

#endif
