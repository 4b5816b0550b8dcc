/* SPDX-License-Identifier: MIT */
#include "hash_tables.h"

#include "ecl.h"

/* A consistent view of a table, which stays valid if the table changes. The entries stay alive while this is on the
 * stack, where libgc finds the pointer. */
struct view {
    const struct ecl_hashtable_entry *entries;
    cl_index n;
};

#define LOAD(word) __atomic_load_n(&(word), __ATOMIC_ACQUIRE)

static struct view
look_at(cl_object table)
{
    const struct view none = { NULL, 0 };
    struct view view;

    if (!mp_lisp_is(table, t_hashtable))
        return none;
    view.entries = LOAD(table->hash.data);
    view.n = LOAD(table->hash.size);
    if (!view.entries || LOAD(table->hash.data) != view.entries ||
        mp_ecl.gc_size(view.entries) / sizeof *view.entries < view.n)
        return none;
    return view;
}

cl_object
mp_lisp_table_get(cl_object table, cl_object key)
{
    const struct view view = look_at(table);
    cl_index at = view.n ? ((uintptr_t)key >> 2) % view.n : 0;

    for (cl_index i = 0; i < view.n; i++, at = (at + 1) % view.n) {
        const struct ecl_hashtable_entry *entry = &view.entries[at];
        cl_object found = LOAD(entry->key), value = LOAD(entry->value);

        if (found == key)
            return LOAD(entry->key) == key ? value : OBJNULL;   /* another thread may have moved the entries */
        if (!found && !value)
            break;
    }
    return OBJNULL;
}

/* Returns the symbol of an entry, or OBJNULL. A removed entry has no key but may still have a value. */
static cl_object
symbol_of(const struct ecl_hashtable_entry *entry)
{
    return LOAD(entry->key) ? LOAD(entry->value) : OBJNULL;
}

bool
mp_lisp_table_has(cl_object table, cl_object symbol)
{
    const struct view view = look_at(table);

    for (cl_index i = 0; i < view.n; i++)
        if (view.entries[i].value == symbol && symbol_of(&view.entries[i]) == symbol)
            return true;
    return false;
}

bool
mp_lisp_table_any(cl_object table, bool (*is_it)(cl_object name, const void *data),
                  const void *data)
{
    const struct view view = look_at(table);

    for (cl_index i = 0; i < view.n; i++) {
        cl_object symbol = symbol_of(&view.entries[i]);

        if (mp_lisp_is(symbol, t_symbol) && is_it(MP_MEMBER(symbol, symbol_name), data))
            return true;
    }
    return false;
}
