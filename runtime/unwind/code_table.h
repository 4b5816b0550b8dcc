/*
 * code_table.h -- the table of all code addresses that were met on a chain, with their rules and
 * frames.
 *
 * A hash table that is read without a lock on the hot path.  Who writes to it holds the gate's
 * lock.  Entries are never taken out: one whose code is gone gets a key that is never looked for.
 * Growing makes a new table, and leaves the old one as it is for threads that still read it.
 *
 * The key is a return address, or, with MP_KEY_EXACT, the address at which a signal interrupted the
 * code: the first is looked up one byte lower (the call), the second as it is.
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

/* An interpreted function: the key is its object's address.  With MP_KEY_EXACT too: a thread's
 * name. */
#define MP_KEY_INTERPRETED ((uint64_t)1 << 62)

/* KEY, which comes from a stack, as that of code.  No address has this bit; a number that has it is
 * still none with the bit one place lower, and is not 0, which stands for an empty entry. */
MP_INLINE uint64_t
mp_code_address(uint64_t key)
{
    return (key & ~MP_KEY_INTERPRETED) | (key & MP_KEY_INTERPRETED) >> 1;
}

struct mp_code {
    uint64_t key;               /* written last; 0 empty, MP_KEY_DEAD: code that is gone */
    uint32_t rule;              /* rule.h; 0 on machines without rules */
    uint32_t frame;             /* id in the store */
};
#define MP_KEY_DEAD UINT64_MAX

struct mp_code_table {
    unsigned shift;             /* 64 - log2 of the number of entries */
    uint32_t used;
    uint32_t file;              /* the data file that it was made for */
    struct mp_code_table *next; /* of those in use, or of those that are not */
    struct mp_code entries[];
};

extern MP_HIDDEN struct mp_code_table *mp_code_table;     /* NULL before the first recording */

/* The entry of KEY, NULL: there is none.  No lock is needed. */
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

/* For an address that could not be recorded: the chain is cut there. */
extern MP_HIDDEN const struct mp_code mp_code_no_memory;

/* ---- the gate's lock is held for all of these */

/* Room for one more entry, and a new frame for it; 0: no memory. */
uint32_t mp_code_table_new_frame(void);

/* That frame gets its RECORD, and an entry with RULE. */
const struct mp_code *mp_code_table_put(uint64_t key, uint32_t rule, uint32_t frame,
                                        const struct mp_live_frame *record);

/* FRAME, whose entry mp_code_table_forget() took away, stands for what is at IP, under KEY, and
 * has no caller.  NULL: no memory. */
const struct mp_code *mp_code_table_put_again(uint64_t key, uint32_t frame, uintptr_t ip);

/* Nobody finds CODE any more. */
void mp_code_table_forget(struct mp_code *code);

/* Nobody finds the code of MODULE any more; it is found again. */
void mp_code_table_hide(uint32_t module);
void mp_code_table_show(uint32_t module);

/* Forget code from START to END that lay in no module; true if there was some. */
bool mp_code_table_forget_generated(uintptr_t start, uintptr_t end);

/* Forget the interpreted functions that are not ALIVE, and call FORGOTTEN with the frame of
 * each; true if there were some. */
bool mp_code_table_forget_dead(bool (*alive)(const void *object),
                               void (*forgotten)(uint32_t frame));

/* An empty table: a new file begins.  0 or -ENOMEM. */
int mp_code_table_reset(void);

#endif
