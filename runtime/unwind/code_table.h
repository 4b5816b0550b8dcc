/* SPDX-License-Identifier: MIT */
/*
 * code_table.h -- the table of all code addresses that were met on a chain, with their rules and frames.
 *
 * It is a hash table, read without a lock on the hot path. Writers hold the gate's lock. Entries are never removed.
 * An entry whose code is gone gets a key that is never looked up. Growing makes a new table and leaves the old one
 * unchanged for threads that still read it.
 *
 * A key is a return address, or, with MP_KEY_EXACT, the address at which a signal interrupted the code. The code of
 * a return address is looked up one byte lower, at the call; that of an exact address is looked up there.
 */
#ifndef MP_CODE_TABLE_H
#define MP_CODE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/compiler.h"
#include "runtime/format.h"
#include "runtime/system/hash.h"

#define MP_KEY_EXACT ((uint64_t)1 << 63)

/* Key of an interpreted function: the address of its object. With MP_KEY_EXACT as well, key of a thread's name. */
#define MP_KEY_INTERPRETED ((uint64_t)1 << 62)

/* Returns the key of the code address KEY, which is a number from a stack and may be invalid. No address has the
 * bit MP_KEY_INTERPRETED. If KEY has it, the next lower bit is set instead. The result is still not a valid
 * address, and not 0, which marks an empty entry. */
MP_INLINE uint64_t
mp_code_address(uint64_t key)
{
    return (key & ~MP_KEY_INTERPRETED) | (key & MP_KEY_INTERPRETED) >> 1;
}

struct mp_code {
    uint64_t key;               /* written last; 0 for an empty entry, MP_KEY_DEAD for code that is gone */
    uint32_t rule;              /* see rule.h; 0 on machines without rules */
    uint32_t frame;             /* id in the store */
};
#define MP_KEY_DEAD UINT64_MAX

struct mp_code_table {
    unsigned shift;             /* 64 - log2 of the number of entries */
    uint32_t used;
    uint32_t file;              /* the data file that the table was made for */
    struct mp_code_table *next; /* next in the list of used or of unused tables */
    struct mp_code entries[];
};

extern MP_HIDDEN struct mp_code_table *mp_code_table;     /* NULL before the first recording */

/* Returns the entry of KEY, or NULL if KEY is not in the table. Needs no lock. */
MP_INLINE struct mp_code *
mp_code_look_up(uint64_t key)
{
    struct mp_code_table *table = __atomic_load_n(&mp_code_table, __ATOMIC_ACQUIRE);
    uint64_t at = mp_hash(key, table->shift), mask = ~(uint64_t)0 >> table->shift;

    for (;; at = (at + 1) & mask) {
        uint64_t found = __atomic_load_n(&table->entries[at].key, __ATOMIC_ACQUIRE);

        if (MP_LIKELY(found == key))
            return &table->entries[at];
        if (found == 0)
            return NULL;
    }
}

/* Entry for an address that could not be recorded. The chain is cut there. */
extern MP_HIDDEN const struct mp_code mp_code_no_memory;

/* ---- Callers of the functions below hold the gate's lock. */

/* Makes space for one more entry and takes a new frame for it. Returns the frame, or 0 if there is no memory. */
uint32_t mp_code_table_new_frame(void);

/* Writes RECORD to FRAME, a new frame, and adds an entry for KEY with RULE. */
const struct mp_code *mp_code_table_put(uint64_t key, uint32_t rule, uint32_t frame,
                                        const struct mp_live_frame *record);

/* Makes an entry for KEY and FRAME, whose former entry mp_code_table_forget() removed. FRAME represents the code at
 * IP and has no caller. Returns NULL if there is no memory. */
const struct mp_code *mp_code_table_put_again(uint64_t key, uint32_t frame, uintptr_t ip);

/* Makes CODE impossible to find, because the code is gone. */
void mp_code_table_forget(struct mp_code *code);

/* mp_code_table_hide() makes the code of MODULE impossible to find. mp_code_table_show() makes it possible again. */
void mp_code_table_hide(uint32_t module);
void mp_code_table_show(uint32_t module);

/* Forgets code from START to END that was in no module. Returns whether there was any. */
bool mp_code_table_forget_generated(uintptr_t start, uintptr_t end);

/* Forgets the interpreted functions that are not ALIVE, and calls FORGOTTEN with the frame of each. Returns whether
 * there were any. */
bool mp_code_table_forget_dead(bool (*alive)(const void *object),
                               void (*forgotten)(uint32_t frame));

/* Empties the table, because a new file begins. Returns 0 or -ENOMEM. */
int mp_code_table_reset(void);

#endif
