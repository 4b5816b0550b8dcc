/* SPDX-License-Identifier: MIT */
#include "kinds.h"

#include <string.h>

#include "ecl.h"
#include "layout.h"
#include "print_object.h"
#include "runtime/compiler.h"
#include "runtime/format.h"
#include "runtime/heap/heap_record.h"
#include "runtime/language/language.h"
#include "runtime/system/gate.h"
#include "runtime/system/hash.h"
#include "runtime/system/sys.h"

#define TABLE_BITS  15u
#define TABLE_SIZE  (1u << TABLE_BITS)
#define MAX_CLASSES (MP_KIND_END - MP_KIND_CLASS)
#define NAME_SIZE   256

static const struct mp_kind_name types[MP_LISP_KINDS] = {
#define TYPE(tag, name, category) [MP_LISP_KIND(tag)] = { name, MP_LISP_KIND(tag), category },
#define EXTRA(id, name, category) [MP_LISP_##id] = { name, MP_LISP_##id, category },
#include "types.def"
#undef TYPE
#undef EXTRA
};

_Static_assert(MP_LISP_KINDS - MP_KIND_LISP <= MP_OBJECT_TYPES, "a sampled recording counts each built-in kind");

#define METHODS_BIT (1u << 16)

/* The tables of classes. They are mapped when ECL is found, and never unmapped. They are no variables of the library,
 * because a program without ECL may lock all variables in memory. They are written under the gate's lock. Only `table`
 * is read without the lock. */
static struct {
    /* Classes by address. Each slot is one word:
     *
     *     bits 63-17  address of the class (never 0)
     *     bit  16     its instances are methods (METHODS_BIT)
     *     bits 15-0   kind */
    uint64_t table[TABLE_SIZE];
    uint16_t taken[TABLE_SIZE / 2];     /* indices of used slots */
    uint64_t kept[TABLE_SIZE / 2];      /* temporary, for mp_lisp_forget_classes() */

    /* Kinds from MP_KIND_CLASS on. A kind is kept even if its class is dead. */
    struct class { const char *name; unsigned base; } classes[MAX_CLASSES];
    char names[1u << 20];               /* names, never freed */
} *all;
static uint32_t n_taken, n_classes;
static size_t names_used;

bool
mp_lisp_kinds_open(void)
{
    if (!all)
        all = mp_sys_map_sparse(sizeof *all);
    return all != NULL;
}

unsigned
mp_lisp_base_kind(unsigned kind)
{
    return kind >= MP_KIND_CLASS ? all->classes[kind - MP_KIND_CLASS].base : kind;
}

void
mp_lisp_describe_kind(unsigned kind, struct mp_kind_name *name)
{
    if (kind >= MP_KIND_CLASS && kind - MP_KIND_CLASS < n_classes)
        *name = (struct mp_kind_name){ all->classes[kind - MP_KIND_CLASS].name,
                                       all->classes[kind - MP_KIND_CLASS].base, 's' };
    else if (kind < MP_LISP_KINDS && types[kind].name)
        *name = types[kind];
}

bool
mp_lisp_is_provisional(unsigned kind)
{
    return kind == MP_LISP_KIND(t_instance) || kind == MP_LISP_OBJECT;
}

/* ------------------------------------------------------------------ classes */

static bool
is_instance(cl_object o)
{
    return o && !ECL_IMMEDIATE(o) && o->d.t == t_instance && o->instance.slots;
}

static bool
is_structure_class(cl_object class)
{
    cl_object meta = ECL_CLASS_OF(class);
    char name[32] = "";
    struct mp_text text = mp_text_begin(name, sizeof name);

    if (is_instance(meta))
        mp_text_print(&text, ECL_CLASS_NAME(meta));
    return strcmp(name, "STRUCTURE-CLASS") == 0;
}

static bool
inherits_method(cl_object class, unsigned depth)
{
    char name[32] = "";
    struct mp_text text = mp_text_begin(name, sizeof name);

    if (!is_instance(class) || class->instance.length <= MP_CLASS_SUPERIORS || depth == 16)
        return false;
    mp_text_print(&text, ECL_CLASS_NAME(class));
    if (strcmp(name, "METHOD") == 0)
        return true;
    for (cl_object list = ECL_CLASS_SUPERIORS(class); list && ECL_CONSP(list);
         list = ECL_CONS_CDR(list))
        if (inherits_method(ECL_CONS_CAR(list), depth + 1))
            return true;
    return false;
}

static inline uintptr_t
class_of(uint64_t slot)
{
    return (uintptr_t)(slot >> 17);
}

/* Returns the slot of the class at ADDRESS, or the free slot for it. */
static uint64_t *
place_of(uintptr_t address)
{
    uint32_t at = (uint32_t)mp_hash(address, 64 - TABLE_BITS);

    for (;; at = (at + 1) % TABLE_SIZE) {
        uint64_t slot = __atomic_load_n(&all->table[at], __ATOMIC_RELAXED);

        if (slot == 0 || class_of(slot) == address)
            return &all->table[at];
    }
}

static uint64_t
find(cl_object class)
{
    uint64_t slot = __atomic_load_n(place_of((uintptr_t)class), __ATOMIC_RELAXED);

    return class_of(slot) == (uintptr_t)class ? slot : 0;
}

/* Adds SLOT, which describes a class, to the table. If the table is full, leaves it out, and the class is examined
 * again for each instance. */
static void
put(uint64_t slot)
{
    uint64_t *place = place_of(class_of(slot));

    if (*place == 0 && n_taken < TABLE_SIZE / 2) {
        all->taken[n_taken++] = (uint16_t)(place - all->table);
        __atomic_store_n(place, slot, __ATOMIC_RELAXED);
    }
}

static unsigned
base_of(cl_object class)
{
    return is_structure_class(class) ? MP_LISP_STRUCTURE : MP_LISP_KIND(t_instance);
}

/* Returns a kind for CLASS. If a class with the same name exists, which was redefined, its kind is reused. Gate's
 * lock held. */
static unsigned
add(cl_object class)
{
    MP_LOCK_HELD();
    char name[NAME_SIZE];
    struct mp_text text = mp_text_begin(name, sizeof name);
    unsigned base = base_of(class);
    size_t size;

    mp_text_print(&text, ECL_CLASS_NAME(class));
    size = strlen(name) + 1;
    for (uint32_t i = 0; i < n_classes; i++)
        if (all->classes[i].base == base && strcmp(all->classes[i].name, name) == 0)
            return MP_KIND_CLASS + i;
    if (n_classes == MAX_CLASSES || size > sizeof all->names - names_used)
        return base;
    memcpy(all->names + names_used, name, size);
    all->classes[n_classes] = (struct class){ all->names + names_used, base };
    names_used += size;
    return MP_KIND_CLASS + n_classes++;
}

/* Adds CLASS to the table and returns its slot. If the lock is unavailable, returns the base kind. */
static MP_COLD uint64_t
learn(cl_object class)
{
    struct mp_gate_hold hold;
    uint64_t slot;

    if (mp_gate_lock(&hold)) {
        slot = (uint64_t)(uintptr_t)class << 17 | add(class);
        if (inherits_method(class, 0))
            slot |= METHODS_BIT;
        put(slot);
    } else {
        slot = base_of(class);
    }
    mp_gate_unlock(&hold);
    return slot;
}

unsigned
mp_lisp_class_kind(cl_object class, bool *of_methods)
{
    uint64_t slot = find(class);

    *of_methods = false;
    if (MP_UNLIKELY(!slot)) {
        if (!mp_layout_has_symbols() || !is_instance(class) || class->instance.length <= MP_CLASS_SUPERIORS)
            return MP_LISP_KIND(t_instance);
        slot = learn(class);
    }
    *of_methods = slot & METHODS_BIT;
    return slot & UINT16_MAX;
}

/* Rebuilds the table without dead classes. A concurrent reader may miss a class and then adds it again. */
void
mp_lisp_forget_classes(bool (*marked)(const void *object))
{
    MP_LOCK_HELD();
    uint32_t n = 0;

    for (uint32_t i = 0; i < n_taken; i++)
        if (marked((const void *)class_of(all->table[all->taken[i]])))
            all->kept[n++] = all->table[all->taken[i]];
    if (n == n_taken)
        return;
    while (n_taken > 0)
        __atomic_store_n(&all->table[all->taken[--n_taken]], 0, __ATOMIC_RELAXED);
    while (n > 0)
        put(all->kept[--n]);
}

/* ------------------------------------------------------------------ owners of data */

#define MAX_OUTWARD 256         /* maximum number of frames */

/*
 * Functions of libecl that allocate data or call a static function that does, with the kind that owns the data.
 *
 * The functions on the chain are searched from the innermost outwards, and the first one found in this list
 * determines the owner. Arrays, vectors, strings and bit vectors allocate their data in the same functions, so the
 * kind of the thread's last object decides among them. A buffer, which receives results of system calls, belongs to
 * no object.
 */
static const struct { const char *name; unsigned kind; } owners[] = {
    { "ecl_alloc_instance", MP_LISP_KIND(t_instance) },
    { "ecl_allocate_instance", MP_LISP_KIND(t_instance) },
    { "si_make_structure", MP_LISP_KIND(t_instance) },
    { "cl_copy_structure", MP_LISP_KIND(t_instance) },
    { "si_copy_instance", MP_LISP_KIND(t_instance) },
    { "ecl_array_allocself", MP_LISP_KIND(t_vector) },
    { "ecl_alloc_simple_vector", MP_LISP_KIND(t_vector) },
    { "si_make_pure_array", MP_LISP_KIND(t_array) },
    { "si_make_vector", MP_LISP_KIND(t_vector) },
    { "ecl_alloc_adjustable_base_string", MP_LISP_KIND(t_base_string) },
    { "ecl_alloc_adjustable_extended_string", MP_LISP_KIND(t_string) },
    { "cl__make_hash_table", MP_LISP_KIND(t_hashtable) },
    { "_ecl_sethash", MP_LISP_KIND(t_hashtable) },
    { "ecl_sethash", MP_LISP_KIND(t_hashtable) },
    { "ecl_extend_hashtable", MP_LISP_KIND(t_hashtable) },
    { "cl_clrhash", MP_LISP_KIND(t_hashtable) },
    { "init_read", MP_LISP_KIND(t_readtable) },
    { "ecl_copy_readtable", MP_LISP_KIND(t_readtable) },
    { "cl_copy_readtable", MP_LISP_KIND(t_readtable) },
    { "ecl_allocate_foreign_data", MP_LISP_KIND(t_foreign) },
    { "si_allocate_foreign_data", MP_LISP_KIND(t_foreign) },
    { "si_load_bytecodes", MP_LISP_KIND(t_bytecodes) },
    { "si_bc_compile_from_stream", MP_LISP_KIND(t_bytecodes) },
    { "si_make_lambda", MP_LISP_KIND(t_bytecodes) },
    { "si_eval_with_env", MP_LISP_KIND(t_bytecodes) },
    { "ecl_init_module", MP_LISP_KIND(t_codeblock) },
    { "ecl_alloc_uncollectable", MP_LISP_BIGNUM_DATA },
    { "ecl_make_codeblock", MP_LISP_KIND(t_codeblock) },
    { "duplicate_dispatch_table", MP_LISP_KIND(t_stream) },
    { "ecl_duplicate_dispatch_table", MP_LISP_KIND(t_stream) },
    { "ecl_set_stream_elt_type", MP_LISP_KIND(t_stream) },
    { "si_set_buffering_mode", MP_LISP_KIND(t_stream) },
    { "si_getcwd", MP_LISP_BUFFER },
    { "cl_truename", MP_LISP_BUFFER },
    { "si_readlink", MP_LISP_BUFFER },
    { "si_copy_file", MP_LISP_BUFFER },
    { "si_spawn_subprocess", MP_LISP_BUFFER },
    { "ecl_decode_filename", MP_LISP_BUFFER },
    { "ecl_encode_filename", MP_LISP_BUFFER },
    { "ecl_make_cache", MP_LISP_ENVIRONMENT },
    { "init_stacks", MP_LISP_ENVIRONMENT },
    { "ecl_init_env", MP_LISP_ENVIRONMENT },
    { "mp_process_enable", MP_LISP_ENVIRONMENT },
    { "_ecl_alloc_env", MP_LISP_ENVIRONMENT },
    { "init_threads", MP_LISP_ENVIRONMENT },
    { "ecl_import_current_thread", MP_LISP_ENVIRONMENT },
    { "ecl_stack_set_size", MP_LISP_ENVIRONMENT },
    { "cl_boot", MP_LISP_ENVIRONMENT },
};
#define N_OWNERS (sizeof owners / sizeof *owners)

static const char *const allocators[] = {
    "ecl_alloc", "ecl_alloc_atomic", "ecl_alloc_unprotected", "ecl_alloc_atomic_unprotected",
    "alloc_pointerfull_memory",
};
#define N_ALLOCATORS (sizeof allocators / sizeof *allocators)

static uintptr_t owner_starts[N_OWNERS], allocator_starts[N_ALLOCATORS];

void
mp_lisp_owners_open(void)
{
    for (size_t i = 0; i < N_OWNERS; i++)
        owner_starts[i] = mp_ecl_function(owners[i].name).start;
    for (size_t i = 0; i < N_ALLOCATORS; i++)
        allocator_starts[i] = mp_ecl_function(allocators[i]).start;
}

/* Returns the kind for the function that starts at START, or 0. */
static unsigned
owner_at(uintptr_t start)
{
    for (size_t i = 0; i < N_OWNERS; i++)
        if (owner_starts[i] && owner_starts[i] == start)
            return owners[i].kind;
    return 0;
}

static bool
is_allocator(uintptr_t start)
{
    for (size_t i = 0; i < N_ALLOCATORS; i++)
        if (allocator_starts[i] && allocator_starts[i] == start)
            return true;
    return false;
}

/* Returns the kind of the innermost function on the chain that is in the list. Static functions cannot be identified,
 * so the search continues with their callers. It ends at the first exported function that is not in the list. */
unsigned
mp_lisp_owner(uint32_t context)
{
    bool allocator = true;              /* skip ecl_alloc() and similar functions */
    unsigned otherwise = MP_LISP_PAYLOAD;

    for (unsigned i = 0; context && i < MAX_OUTWARD; i++) {
        uintptr_t ip, start;
        unsigned kind;

        context = mp_heap_outer(context, &ip);
        if (!mp_within(&mp_ecl.libecl_code, ip))
            break;
        start = mp_heap_function(ip);
        kind = owner_at(start);
        if (kind == MP_LISP_BIGNUM_DATA) {      /* the kind is used unless an outer function determines another owner */
            otherwise = kind;
            continue;
        }
        if (kind)
            return kind;
        if (allocator && is_allocator(start))
            continue;
        allocator = false;
        if (mp_ecl_is_exported(start))
            break;
    }
    return otherwise;
}
