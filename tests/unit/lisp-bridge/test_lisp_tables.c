#include "tests/unit/tap.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "lisp-bridge/ecl.h"
#include "lisp-bridge/hash_tables.h"

/* The functions of libecl and libgc that hash_tables.h calls. */
struct mp_ecl mp_ecl;

#define MOST 4096
static struct ecl_hashtable_entry memory[2][MOST];
static cl_index sizes[2];               /* capacity of each `memory`, in entries */

static size_t
gc_size(const void *block)
{
    return sizes[block == memory[1]] * sizeof memory[0][0];
}

static union mp_lisp_object table, symbols[64], names[64];

static cl_object
key_of(unsigned i)
{
    return (cl_object)(uintptr_t)(0x10000 + 16 * i);
}

static void
put(struct ecl_hashtable_entry *entries, cl_index n, cl_object key, cl_object value)
{
    cl_index at = ((uintptr_t)key >> 2) % n;

    while (entries[at].key)
        at = (at + 1) % n;
    entries[at].value = value;
    entries[at].key = key;
}

static void
setup(void)
{
    memset(memory, 0, sizeof memory);
    memset(&table, 0, sizeof table);
    mp_ecl.gc_size = gc_size;
    mp_ecl.at.symbol_name = offsetof(union mp_lisp_object, symbol.gfdef) + sizeof(cl_object);
    sizes[0] = sizes[1] = 64;
    table.hash.t = t_hashtable;
    table.hash.data = memory[0];
    table.hash.size = 64;
    for (unsigned i = 0; i < 40; i++) {
        put(memory[0], 64, key_of(i), &symbols[i]);
        symbols[i].d.t = t_symbol;
        MP_MEMBER(&symbols[i], symbol_name) = &names[i];
        names[i].base_string = (struct ecl_base_string){ .t = t_base_string, .fillp = i };
    }
}

static bool
has_length(cl_object name, const void *data)
{
    return name->base_string.fillp == *(const cl_index *)data;
}

FIXTURE(setup, NULL)

TEST(finds_what_is_there)
{
    const cl_index there = 39, absent = 40;

    for (unsigned i = 0; i < 40; i++) {
        ck_assert_ptr_eq(mp_lisp_table_get(&table, key_of(i)), &symbols[i]);
        ck_assert(mp_lisp_table_has(&table, &symbols[i]));
    }
    ck_assert_ptr_null(mp_lisp_table_get(&table, key_of(40)));
    ck_assert(!mp_lisp_table_has(&table, &symbols[40]));
    ck_assert(mp_lisp_table_any(&table, has_length, &there));
    ck_assert(!mp_lisp_table_any(&table, has_length, &absent));
}

TEST(no_table)
{
    ck_assert_ptr_null(mp_lisp_table_get(ECL_NIL, key_of(0)));
    ck_assert_ptr_null(mp_lisp_table_get(NULL, key_of(0)));
    table.hash.size = 0;
    ck_assert_ptr_null(mp_lisp_table_get(&table, key_of(0)));
}

/* While a table grows, its size is already the new one, and its entries are NULL or still the old ones. */
TEST(half_grown)
{
    table.hash.size = MOST;
    ck_assert_ptr_null(mp_lisp_table_get(&table, key_of(0)));
    ck_assert(!mp_lisp_table_has(&table, &symbols[0]));
    table.hash.data = NULL;
    ck_assert_ptr_null(mp_lisp_table_get(&table, key_of(0)));
    ck_assert(!mp_lisp_table_has(&table, &symbols[0]));
}

/* An entry that is being written has its key but no value yet. An entry that was removed may still have its value. */
TEST(half_written)
{
    const cl_index absent = 40;

    put(memory[0], 64, key_of(41), OBJNULL);
    ck_assert_ptr_null(mp_lisp_table_get(&table, key_of(41)));
    ck_assert(!mp_lisp_table_any(&table, has_length, &absent));
    for (unsigned i = 0; i < 64; i++)
        if (memory[0][i].key == key_of(3))
            memory[0][i].key = OBJNULL;
    ck_assert_ptr_null(mp_lisp_table_get(&table, key_of(3)));
    ck_assert(!mp_lisp_table_has(&table, &symbols[3]));
    for (unsigned i = 4; i < 40; i++)
        ck_assert_ptr_eq(mp_lisp_table_get(&table, key_of(i)), &symbols[i]);
}

TEST(full)
{
    for (unsigned i = 40; i < 64; i++)
        put(memory[0], 64, key_of(i), &symbols[i]);
    ck_assert_ptr_eq(mp_lisp_table_get(&table, key_of(63)), &symbols[63]);
    ck_assert_ptr_null(mp_lisp_table_get(&table, key_of(64)));
}

/* Changes the table to the larger memory and back, in the order of ecl_extend_hashtable(), while the test's thread
 * looks up keys. */
static bool done;

static void *
grow(void *unused)
{
    for (unsigned round = 0; !__atomic_load_n(&done, __ATOMIC_RELAXED); round++) {
        const unsigned next = round % 2;

        __atomic_store_n(&table.hash.data, NULL, __ATOMIC_SEQ_CST);
        __atomic_store_n(&table.hash.size, sizes[next], __ATOMIC_SEQ_CST);
        __atomic_store_n(&table.hash.data, memory[next], __ATOMIC_SEQ_CST);
    }
    return unused;
}

TEST(while_it_grows)
{
    pthread_t thread;
    unsigned found = 0;

    sizes[1] = MOST;
    for (unsigned i = 0; i < 40; i++)
        put(memory[1], MOST, key_of(i), &symbols[i]);
    ck_assert_int_eq(pthread_create(&thread, NULL, grow, NULL), 0);
    /* The other thread may be interrupted while there are no entries, for any number of rounds. */
    for (unsigned i = 0; i < 100000 || found == 0; i++) {
        cl_object value = mp_lisp_table_get(&table, key_of(i % 40));

        ck_assert(!value || value == &symbols[i % 40]);
        found += value != OBJNULL;
    }
    __atomic_store_n(&done, true, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
}
/* SPDX-License-Identifier: MIT */
