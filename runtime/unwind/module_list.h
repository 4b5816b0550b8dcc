/*
 * module_list.h -- what module.c knows of each ELF object that it recorded.
 *
 * Objects are found by their address and the beginning of their build-id, because a program may
 * load thousands that differ, one after the other, at one address.  Those that were unloaded are
 * kept: they often come back.  The list grows as long as there is memory.
 *
 * Pointers are good until the next mp_module_list_new().  The gate's lock is held for all of these.
 */
#ifndef MP_MODULE_LIST_H
#define MP_MODULE_LIST_H

#include <stdbool.h>
#include <stdint.h>

struct mp_module {
    uintptr_t start;            /* of its addresses */
    const void *link_map;
    uint32_t id;                /* of its record */
    bool libc;
    bool gone;                  /* unloaded */
    uint32_t hash;              /* the rest is the list's own */
    uint32_t next, loaded_next, loaded_before;
};

/* Room for one more, zeroed, which is not in the list before mp_module_list_add(); NULL: no
 * memory. */
struct mp_module *mp_module_list_new(void);

/* Add MODULE, whose start is set.  BUILD_ID: at least 8 bytes, zero if it has none. */
void mp_module_list_add(struct mp_module *module, const uint8_t *build_id);

/* The modules with the hash of START and BUILD_ID, one after the other; NULL: no more.  The caller
 * compares. */
struct mp_module *mp_module_list_first(uintptr_t start, const uint8_t *build_id);
struct mp_module *mp_module_list_next(const struct mp_module *module);

/* The loaded ones: the first (MODULE NULL), the one after MODULE; NULL: no more. */
struct mp_module *mp_module_list_loaded(const struct mp_module *module);

/* MODULE was unloaded: it is kept to be found if it comes back, unless KEEP is false.  And: it
 * is loaded again. */
void mp_module_list_gone(struct mp_module *module, bool keep);
void mp_module_list_back(struct mp_module *module);

/* Forget all. */
void mp_module_list_reset(void);

#endif
