/*
 * code_table.h -- every code address that was met on a chain, with its rule and its frame id.
 *
 * An insert-only hash table, read without a lock on the hot path.  Growing makes a new table and
 * leaves the old one in place for those who still read it.  The key is a return address, or, with
 * MP_KEY_EXACT, the address at which a signal interrupted the code: the first is looked up one
 * byte lower (the call), the second as it is.
 */
#ifndef MP_CODE_TABLE_H
#define MP_CODE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/compiler.h"
#include "runtime/system/gate.h"
#include "runtime/system/hash.h"

#define MP_KEY_EXACT ((uint64_t)1 << 63)

/* An interpreted function: the key is its object's address. */
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
    uint32_t file;              /* the one that it was made for */
    struct mp_code_table *next; /* of those in use, or not */
    struct mp_code entries[];
};

extern struct mp_code_table *mp_code_table;

/* What to use for an address that was not met before.  Takes the gate's lock.  What a damaged stack
 * holds may be any number: only those who made KEY themselves may say that it is INTERPRETED. */
const struct mp_code *mp_code_add(uint64_t key, bool interpreted);

MP_INLINE const struct mp_code *
mp_code_find_kind(uint64_t key, bool interpreted)
{
    const struct mp_code_table *table = __atomic_load_n(&mp_code_table, __ATOMIC_ACQUIRE);
    uint64_t at = mp_hash(key, table->shift), mask = ~(uint64_t)0 >> table->shift;

    for (;; at = (at + 1) & mask) {
        uint64_t found = __atomic_load_n(&table->entries[at].key, __ATOMIC_ACQUIRE);

        if (MP_LIKELY(found == key))
            return &table->entries[at];
        if (found == 0)
            return mp_code_add(key, interpreted);
    }
}

/* The entry of KEY, made if need be; never NULL. */
MP_INLINE const struct mp_code *
mp_code_find(uint64_t key)
{
    return mp_code_find_kind(key, false);
}

/* The same for a key that mp_code_interpreted() gave. */
MP_INLINE const struct mp_code *
mp_code_find_interpreted(uint64_t key)
{
    return mp_code_find_kind(key, true);
}

/* Is KEY in the code that returns from a signal handler?  The next address was interrupted, not called. */
bool mp_code_is_signal_return(uint64_t key);

/* Is the return address IP in an interpreter (MP_RULE_INTERPRETER)? */
bool mp_code_in_interpreter(uintptr_t ip);

/* How far from its CFA a frame of an interpreter with the return address IP has the word that holds its
 * function, bytes; 0: it is not known yet. */
uintptr_t mp_code_word_distance(uintptr_t ip);

/* The key of the function that runs in the interpreter's frame with return address IP, between SP and
 * CFA; 0: not known. */
uint64_t mp_code_interpreted(uintptr_t ip, uintptr_t sp, uintptr_t cfa);

/* The frame that stands for threads called NAME; 0: no space.  Takes the gate's lock. */
uint32_t mp_code_of_thread(const char *name);

/* Is FRAME such a one? */
bool mp_code_is_thread(uint32_t frame);

/* Interpreted functions that are dead: their addresses may come to mean something else.  True if
 * there were some.  Lock held. */
bool mp_code_forget_dead(bool (*marked)(const void *object));

/* The same for FUNCTION, which is freed by hand.  Takes the gate's lock if it was met. */
void mp_code_forget_function(uintptr_t function);

/* An empty table: a new file begins.  0 or -ENOMEM.  Gate's lock held. */
int mp_code_reset(void);

/* KEY has no unwind information: is there an object now where it was generated code?  Then its
 * addresses are forgotten, and the chain is to be captured anew.  Takes the gate's lock if so. */
bool mp_code_look_again(uint64_t key);

/* The code of module MODULE is gone: its addresses may come to mean something else.  Lock held. */
void mp_code_forget(uint32_t module);

#endif
