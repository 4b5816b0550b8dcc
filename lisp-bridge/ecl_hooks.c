/* SPDX-License-Identifier: MIT */
/*
 * Compiled with frame pointers, because the monitor starts each chain at the hook's frame.
 */
#include "ecl_hooks.h"

#include <dlfcn.h>

#include "deferred.h"
#include "ecl.h"
#include "entries.h"
#include "kinds.h"
#include "layout.h"
#include "libgc.h"
#include "names.h"
#include "runtime/compiler.h"
#include "runtime/heap/heap_quick.h"
#include "runtime/monitor.h"

/* Attributes of a hook that does nothing but jump to a function with the same parameters, which then is the hook. */
#ifdef __clang__
#define JUMPING_HOOK MP_NOINLINE
#else
#define JUMPING_HOOK MP_NOINLINE __attribute__((optimize("O2", "optimize-sibling-calls", "omit-frame-pointer")))
#endif

#define FRAME  __builtin_frame_address(0)
#define CALLER ((uintptr_t)__builtin_return_address(0))

_Static_assert(MP_GC_PAGE == MP_HEAP_PAGE && MP_GC_GRANULE == MP_HEAP_GRANULE, "the sweep goes by libgc's pages");

/* type of a finalizer (GC_finalization_proc of libgc) */
typedef void mp_finalizer(void *object, void *data);

uint32_t mp_lisp_recorded, mp_lisp_recording;

static uint16_t real_sizes[MP_GC_SMALL + 1];  /* 0 if not known yet */

static void use_linked_hooks(void);
static void *hook_malloc(size_t size);
static void *hook_malloc_atomic(size_t size);
static void *hook_malloc_ignore(size_t size);
static void *hook_malloc_atomic_ignore(size_t size);
static void *hook_malloc_uncollectable(size_t size);
static void hook_free(void *block);
static void *hook_dlopen(const char *path, int flags);
static cl_object hook_alloc_object(cl_type type);
static cl_object hook_alloc_compact_object(cl_type type, cl_index extra);
static void hook_finalizer(void *object, mp_finalizer *function, void *data, mp_finalizer **old, void **old_data);
static void hook_late_finalizer(void *object, mp_finalizer *function, void *data, mp_finalizer **old,
                                void **old_data);
static int hook_link(void **link, const void *object);

enum { MALLOC, MALLOC_ATOMIC, MALLOC_IGNORE, MALLOC_ATOMIC_IGNORE, MALLOC_UNCOLLECTABLE, FREE_BLOCK,
       DLOPEN, ALLOC_OBJECT, ALLOC_COMPACT_OBJECT, IMPORTS,
       PLAIN_IMPORTS = ALLOC_OBJECT };          /* imports of an unknown ECL */
static size_t n_imports;                        /* IMPORTS or PLAIN_IMPORTS */

#define IMPORT(function, hook) { .name = function, .ours = (void *)(uintptr_t)hook }
static struct mp_import imports[IMPORTS] = {
    [MALLOC] = IMPORT("GC_malloc", hook_malloc),
    [MALLOC_ATOMIC] = IMPORT("GC_malloc_atomic", hook_malloc_atomic),
    [MALLOC_IGNORE] = IMPORT("GC_malloc_ignore_off_page", hook_malloc_ignore),
    [MALLOC_ATOMIC_IGNORE] = IMPORT("GC_malloc_atomic_ignore_off_page", hook_malloc_atomic_ignore),
    [MALLOC_UNCOLLECTABLE] = IMPORT("GC_malloc_uncollectable", hook_malloc_uncollectable),
    [FREE_BLOCK] = IMPORT("GC_free", hook_free),
    [DLOPEN] = IMPORT("GC_dlopen", hook_dlopen),
    [ALLOC_OBJECT] = IMPORT("ecl_alloc_object", hook_alloc_object),
    [ALLOC_COMPACT_OBJECT] = IMPORT("ecl_alloc_compact_object", hook_alloc_compact_object),
};

/* Functions in which libgc allocates for itself. Each ECL imports only some of them. */
enum { FINALIZER, LATE_FINALIZER, LINK, OWN_IMPORTS };
static struct mp_import own_imports[OWN_IMPORTS] = {
    [FINALIZER] = IMPORT("GC_register_finalizer_no_order", hook_finalizer),
    [LATE_FINALIZER] = IMPORT("GC_register_finalizer_unreachable", hook_late_finalizer),
    [LINK] = IMPORT("GC_general_register_disappearing_link", hook_link),
};

/* The original functions with their types. */
static struct {
    void *(*malloc[MALLOC_UNCOLLECTABLE + 1])(size_t);
    void (*free)(void *);
    void *(*dlopen)(const char *, int);
    cl_object (*alloc_object)(cl_type);
    cl_object (*alloc_compact_object)(cl_type, cl_index);
    void (*finalizer[LATE_FINALIZER + 1])(void *, mp_finalizer *, void *, mp_finalizer **, void **);
    int (*link)(void **, const void *);
} next;

#define FIND_IN(field, import) __builtin_memcpy(&next.field, &(import).theirs, sizeof(void *))
#define FIND(field, import) FIND_IN(field, imports[import])

/* Returns whether the imports with the numbers FIRST to END - 1 were found. */
static bool
are_found(size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (!imports[i].word || !imports[i].theirs)
            return false;
    return true;
}

/* Finds the words to change in libecl, or creates them if libecl and libgc are linked into one program. Returns NULL,
 * or the reason why this is impossible. */
static const char *
find_words(void)
{
    struct mp_range functions[PLAIN_IMPORTS];

    if (mp_ecl.gc_linked_in) {
        for (int i = MALLOC; i < PLAIN_IMPORTS; i++) {
            functions[i] = mp_ecl_function(imports[i].name);
            if (i < DLOPEN && !functions[i].size)
                return "its libgc lacks functions";
        }
        return mp_entries_redirect(imports, functions, PLAIN_IMPORTS);
    }
    mp_ecl_imports(imports, n_imports);
    mp_ecl_imports(own_imports, OWN_IMPORTS);
    /* A libecl in the program calls its own functions directly. Without GC_dlopen(), only names are missing. */
    if (!are_found(MALLOC, DLOPEN) || !(mp_ecl.linked_in || are_found(ALLOC_OBJECT, n_imports)))
        return "its calls of libgc cannot be redirected";
    return NULL;
}

bool
mp_lisp_hooks_find(void)
{
    const char *reason;

    n_imports = mp_ecl.known ? IMPORTS : PLAIN_IMPORTS;
    if (mp_ecl.linked_in)
        use_linked_hooks();
    reason = find_words();
    if (reason) {
        mp_ecl_leave(reason);
        return false;
    }
    for (int i = MALLOC; i <= MALLOC_UNCOLLECTABLE; i++)
        FIND(malloc[i], i);
    FIND(free, FREE_BLOCK);
    FIND(dlopen, DLOPEN);
    for (int i = FINALIZER; i <= LATE_FINALIZER; i++)
        FIND_IN(finalizer[i], own_imports[i]);
    FIND_IN(link, own_imports[LINK]);
    if (!mp_ecl.known)
        return true;
    FIND(alloc_object, ALLOC_OBJECT);
    FIND(alloc_compact_object, ALLOC_COMPACT_OBJECT);
    return true;
}

void
mp_lisp_hooks_set(bool on)
{
    mp_imports_set(imports, n_imports, on);
    mp_imports_set(own_imports, OWN_IMPORTS, on);
}

void
mp_lisp_finish(void)
{
    mp_deferred_look(&mp_lisp_thread, FRAME);
}

/* ------------------------------------------------------------------ common parts of the hooks */

static MP_COLD size_t
ask_size(const void *block, size_t requested)
{
    size_t size = mp_ecl.gc_size(block);

    if (requested <= MP_GC_SMALL)
        real_sizes[requested] = (uint16_t)size;
    return size;
}

MP_INLINE size_t
real_size(const void *block, size_t requested)
{
    if (MP_LIKELY(requested <= MP_GC_SMALL && real_sizes[requested]))
        return real_sizes[requested];
    return ask_size(block, requested);
}

static MP_COLD bool
is_left_out(const struct mp_lisp_thread *self)
{
    return mp_lisp_recorded == MP_LISP_NONE || self->recording != mp_lisp_recording;
}

/* Returns whether the thread's allocation is to be recorded. */
MP_INLINE bool
wanted(struct mp_lisp_thread *self, const void *block)
{
    return MP_LIKELY(block != NULL) &&
           (MP_LIKELY(!mp_lisp_recorded) || !is_left_out(self));
}

/* Examines the waiting objects of this thread, which is done before the next object is recorded. Returns whether the
 * next object is to be recorded. Called if not all threads are recorded, or if objects of this thread are waiting. */
static MP_NOINLINE bool
ready(struct mp_lisp_thread *self, const void *frame)
{
    if (mp_lisp_recorded && is_left_out(self))
        return false;
    if (self->n)
        mp_deferred_look(self, frame);
    return true;
}

/* Properties of a type's objects. Filled when the type is first met; `size` is written last. */
struct type_facts {
    uint16_t requested;         /* bytes that libecl requests, without the trailing bytes of a compact object; 0 if
                                 * not known yet */
    uint16_t size;              /* bytes that libgc allocates for the request; 0 if unknown */
    uint16_t kind;
    bool deferred;              /* the objects must wait (deferred.h) */
};
static MP_LARGE struct type_facts types[UINT8_MAX + 1];

/* Fills types[TYPE]. If libecl's size of the objects differs from that of the layout, refuses the layout, so that no
 * object is examined any more. */
static MP_COLD void
learn_type(cl_type type)
{
    size_t size = mp_ecl.object_size(type);

    if (mp_ecl.known && !mp_layout_has_size(type, size))
        mp_layout_refuse();
    types[type].kind = (uint16_t)mp_lisp_type_kind((int)type);
    types[type].deferred = mp_deferred_needed((int)type);
    types[type].requested = (uint16_t)size;
}

/* Records an object of TYPE for which REQUESTED bytes were requested. TYPE is a tag, or -1 if unknown. */
static MP_NOINLINE void
record_object(struct mp_lisp_thread *self, const void *block, size_t requested, int type,
              const void *frame)
{
    size_t size;
    uint32_t cell;

    if (MP_UNLIKELY(mp_lisp_recorded | self->n) && !ready(self, frame))
        return;
    self->last_kind = mp_lisp_type_kind(type);
    size = real_size(block, requested);
    cell = mp_heap_alloc_quick(block, size, requested, self->last_kind, frame);
    if (mp_deferred_needed(type) && mp_ecl.known)
        mp_deferred_put(self, block, type, cell, size, requested, frame);
}

/* Records an object of a known TYPE. A compact object has EXTRA trailing bytes. */
static MP_NOINLINE void
record_typed(struct mp_lisp_thread *self, cl_object object, cl_type type, size_t extra,
             const void *frame)
{
    struct type_facts *facts = &types[type & UINT8_MAX];

    if (!object || ECL_IMMEDIATE(object))
        return;
    if (MP_UNLIKELY(!facts->requested))
        learn_type(type & UINT8_MAX);
    record_object(self, object, facts->requested + extra, (int)type, frame);
    if (facts->requested <= MP_GC_SMALL)
        __atomic_store_n(&facts->size, real_sizes[facts->requested], __ATOMIC_RELEASE);
}

/* Fast path of record_typed() for types whose size is known. */
MP_INLINE void
record_known(struct mp_lisp_thread *self, cl_object object, cl_type type, const void *frame)
{
    const struct type_facts *facts = &types[type & UINT8_MAX];
    const size_t size = __atomic_load_n(&facts->size, __ATOMIC_ACQUIRE);
    uint32_t cell;

    if (MP_UNLIKELY(!size) || MP_UNLIKELY(!object)) {
        record_typed(self, object, type, 0, frame);
        return;
    }
    if (MP_UNLIKELY(mp_lisp_recorded | self->n) && !ready(self, frame))
        return;
    self->last_kind = facts->kind;
    cell = mp_heap_alloc_quick(object, size, facts->requested, facts->kind, frame);
    if (MP_UNLIKELY(facts->deferred) && mp_ecl.known)
        mp_deferred_put(self, object, (int)type, cell, size, facts->requested, frame);
}

static MP_NOINLINE void
record_cons_slowly(const void *block, size_t requested, const void *frame)
{
    if (block)
        record_object(&mp_lisp_thread, block, requested, t_list, frame);
}

MP_INLINE void
record_cons(const void *block, size_t requested, const void *frame)
{
    struct mp_lisp_thread *self = &mp_lisp_thread;
    const size_t size = MP_LIKELY(requested <= MP_GC_SMALL) ? real_sizes[requested] : 0;

    if (MP_UNLIKELY(!block) || MP_UNLIKELY(!size) || MP_UNLIKELY(mp_lisp_recorded | self->n)) {
        record_cons_slowly(block, requested, frame);
        return;
    }
    self->last_kind = MP_LISP_KIND(t_list);
    mp_heap_alloc_known(block, size, requested, MP_LISP_KIND(t_list), frame);
}

/* Records a block allocated by libecl if ECL is unknown. */
static MP_COLD void
record_plain(struct mp_lisp_thread *self, const void *block, size_t requested, unsigned kind,
             const void *frame)
{
    if (wanted(self, block))
        mp_heap_alloc(block, real_size(block, requested), requested, kind, frame);
}

/* Records a block that is data of some object. PLAIN is its kind if ECL is unknown. */
static MP_NOINLINE void
record_data(struct mp_lisp_thread *self, const void *block, size_t requested, unsigned plain,
            const void *frame)
{
    uint32_t cell;

    if (MP_UNLIKELY(!mp_ecl.known)) {
        record_plain(self, block, requested, plain, frame);
        return;
    }
    if (!wanted(self, block))
        return;
    cell = mp_heap_alloc_quick(block, real_size(block, requested), requested,
                               MP_KIND_OF_OWNER + self->last_kind, frame);
    if (MP_UNLIKELY(self->n) && !mp_deferred_payload(self, block, cell, requested))
        mp_deferred_look(self, frame);
}

MP_INLINE bool
in_object_allocator(uintptr_t caller)
{
    return mp_within(&mp_ecl.alloc_object, caller) ||
           mp_within(&mp_ecl.alloc_compact_object, caller);
}

MP_INLINE bool
is_cons(uintptr_t caller)
{
    return mp_within(&mp_ecl.cons, caller) || mp_within(&mp_ecl.list1, caller);
}

/* Records a block that is not a cons, by its caller in libecl. PLAIN is its kind if ECL is unknown. */
static MP_NOINLINE void
record(const void *block, size_t requested, unsigned plain, uintptr_t caller, const void *frame)
{
    struct mp_lisp_thread *self = &mp_lisp_thread;

    if (!block)
        return;
    if (in_object_allocator(caller))
        record_object(self, block, requested, -1, frame);
    else if (MP_UNLIKELY(mp_within(&mp_ecl.make_weak_pointer, caller)))
        record_object(self, block, requested, t_weak_pointer, frame);
    else
        record_data(self, block, requested, plain, frame);
}

/* Returns whether our wrapper of ecl_alloc_object() is active and will record the object. */
MP_INLINE bool
is_typed(uintptr_t caller)
{
    struct mp_lisp_thread *self = &mp_lisp_thread;

    if (MP_LIKELY(!self->typed) || !in_object_allocator(caller))
        return false;
    self->typed = 0;
    return true;
}

/* ------------------------------------------------------------------ libgc's functions */

static MP_NOINLINE void *
malloc_for_others(size_t size, uintptr_t caller, const void *frame)
{
    void *block = next.malloc[MALLOC](size);

    record(block, size, MP_LISP_GC_POINTERS, caller, frame);
    return block;
}

static MP_NOINLINE void *
recorded_malloc(size_t size)
{
    void *block;

    if (is_typed(CALLER))
        return next.malloc[MALLOC](size);
    if (!is_cons(CALLER))
        return malloc_for_others(size, CALLER, FRAME);
    block = next.malloc[MALLOC](size);
    record_cons(block, size, FRAME);
    return block;
}

/* Called in a sampled recording before an object of KIND and REQUESTED bytes is allocated. Counts the object if it is
 * no sample and no waiting object must be examined. (While the newest waiting object is an instance that is about to
 * get its slots, waiting objects need not be examined.) Returns whether it was counted; then the hook has only to
 * allocate the object. */
MP_INLINE bool
counts_unsampled(struct mp_lisp_thread *self, size_t requested, unsigned kind)
{
    size_t size;

    if (MP_UNLIKELY(requested > MP_GC_SMALL) || MP_UNLIKELY(mp_lisp_recorded))
        return false;
    if (MP_UNLIKELY(self->n) && !(kind == MP_KIND_OF_OWNER && mp_deferred_needs_slots(self)))
        return false;
    size = real_sizes[requested];
    return MP_LIKELY(size) && mp_heap_count_unsampled(size, kind);
}

/* Only jumps to other functions, so that it need not save registers. */
static MP_NOINLINE WITH_JUMPS void *
sampled_malloc(size_t size)
{
    struct mp_lisp_thread *self = &mp_lisp_thread;

    if (is_typed(CALLER))
        JUMP next.malloc[MALLOC](size);
    if (!is_cons(CALLER) || !counts_unsampled(self, size, MP_LISP_KIND(t_list)))
        JUMP recorded_malloc(size);
    self->last_kind = MP_LISP_KIND(t_list);
    JUMP next.malloc[MALLOC](size);
}

static JUMPING_HOOK void *
hook_malloc(size_t size)
{
    if (MP_UNLIKELY(mp_heap_is_sampled()))
        JUMP sampled_malloc(size);
    JUMP recorded_malloc(size);
}

static MP_NOINLINE void *
malloc_atomic_for_others(size_t size, uintptr_t caller, const void *frame)
{
    void *block = next.malloc[MALLOC_ATOMIC](size);

    if (block && in_object_allocator(caller))
        ((struct ecl_dummy *)block)->t = 0;     /* clear the tag, because old contents are no type */
    record(block, size, MP_LISP_GC_ATOMIC, caller, frame);
    return block;
}

static MP_NOINLINE void *
hook_malloc_atomic(size_t size)
{
    if (!is_typed(CALLER))
        return malloc_atomic_for_others(size, CALLER, FRAME);
    return next.malloc[MALLOC_ATOMIC](size);
}

/* Allocates data of some object with FUNCTION. PLAIN is its kind if ECL is unknown. */
MP_INLINE void *
malloc_data(int function, size_t size, unsigned plain, const void *frame)
{
    void *block;

    if (MP_UNLIKELY(mp_heap_is_sampled()) && mp_ecl.known &&
        counts_unsampled(&mp_lisp_thread, size, MP_KIND_OF_OWNER))
        return next.malloc[function](size);
    block = next.malloc[function](size);

    record_data(&mp_lisp_thread, block, size, plain, frame);
    return block;
}

static MP_NOINLINE void *
hook_malloc_ignore(size_t size)
{
    return malloc_data(MALLOC_IGNORE, size, MP_LISP_GC_POINTERS, FRAME);
}

static MP_NOINLINE void *
hook_malloc_atomic_ignore(size_t size)
{
    return malloc_data(MALLOC_ATOMIC_IGNORE, size, MP_LISP_GC_ATOMIC, FRAME);
}

static MP_NOINLINE void *
hook_malloc_uncollectable(size_t size)
{
    return malloc_data(MALLOC_UNCOLLECTABLE, size, MP_LISP_GC_UNCOLLECTABLE, FRAME);
}

static MP_NOINLINE void
hook_free(void *block)
{
    if (block)
        mp_heap_free(block);
    next.free(block);
}

/* ------------------------------------------------------------------ what libgc allocates for itself */

/* Records a block of libgc's own. */
static void
record_own(const void *block, size_t requested, unsigned kind, const void *frame)
{
    if (wanted(&mp_lisp_thread, block))
        mp_heap_alloc(block, mp_ecl.gc_size(block), requested, kind, frame);
}

/* Records the entry that libgc has made for KEY and VALUE (libgc.h). Also records the table of entries if libgc has
 * replaced the table PREVIOUS, which was full, by a new one. PREVIOUS is NULL if unknown. */
static MP_NOINLINE void
record_entry(enum mp_gc_table which, uintptr_t key, uintptr_t value, const void *previous, const void *frame)
{
    static const void *recorded[MP_GC_TABLES];
    const void *table;
    const struct mp_gc_entry *entry = mp_gc_find_entry(which, key, value, &table);

    if (!entry)
        return;
    if (which == MP_GC_FINALIZERS)
        record_own(entry, MP_GC_FINALIZER_SIZE, MP_LISP_FINALIZER, frame);
    else
        record_own(entry, MP_GC_LINK_SIZE, MP_LISP_WEAK_LINK, frame);
    if (previous && table != previous && __atomic_exchange_n(&recorded[which], table, __ATOMIC_RELAXED) != table)
        record_own(table, mp_ecl.gc_size(table), MP_LISP_GC_TABLE, frame);
}

/* Registers a finalizer with IMPORT. The object has no entry yet if the previous finalizer is NULL. */
MP_INLINE void
set_finalizer(int import, void *object, mp_finalizer *function, void *data, mp_finalizer **old, void **old_data,
              const void *frame)
{
    mp_finalizer *const unset = (mp_finalizer *)(uintptr_t)-1, *previous = unset;
    const void *table = mp_gc_entries(MP_GC_FINALIZERS);

    next.finalizer[import](object, function, data, &previous, old_data);
    if (old && previous != unset)
        *old = previous;
    if (function && !previous)
        record_entry(MP_GC_FINALIZERS, (uintptr_t)object, (uintptr_t)function, table, frame);
}

static MP_NOINLINE void
hook_finalizer(void *object, mp_finalizer *function, void *data, mp_finalizer **old, void **old_data)
{
    set_finalizer(FINALIZER, object, function, data, old, old_data, FRAME);
}

static MP_NOINLINE void
hook_late_finalizer(void *object, mp_finalizer *function, void *data, mp_finalizer **old, void **old_data)
{
    set_finalizer(LATE_FINALIZER, object, function, data, old, old_data, FRAME);
}

static MP_NOINLINE int
hook_link(void **link, const void *object)
{
    const void *table = mp_gc_entries(MP_GC_LINKS);
    const int result = next.link(link, object);

    if (result == 0)            /* GC_SUCCESS: the link is new */
        record_entry(MP_GC_LINKS, (uintptr_t)link, (uintptr_t)object, table, FRAME);
    return result;
}

/* ------------------------------------------------------------------ hooks for a linked-in libecl */

/* Counts the thread's previous object with the type in its header. When the object was allocated, its type was unknown,
 * because calls of ecl_alloc_object() within the program cannot be hooked and may be inlined. Now the header has the
 * type, because ECL writes it before the thread allocates again. */
static void
resolve(const void *frame)
{
    if (mp_lisp_thread.n)
        mp_deferred_resolve(&mp_lisp_thread, frame);
}

/* Records a block of ecl_alloc_instance(), into which ecl_alloc_object() is inlined. It allocates first the instance
 * and then its slots. */
static MP_COLD void
record_instance(const void *block, size_t requested, const void *frame)
{
    struct mp_lisp_thread *self = &mp_lisp_thread;
    const struct mp_deferred *last = self->n ? &self->waiting[self->n - 1] : NULL;

    if (!block)
        return;
    if (last && last->type == t_instance && !last->payload.block)
        record_data(self, block, requested, MP_LISP_GC_POINTERS, frame);
    else
        record_object(self, block, requested, t_instance, frame);
}

static MP_NOINLINE void *
linked_malloc(size_t size)
{
    void *block;

    resolve(FRAME);
    block = next.malloc[MALLOC](size);
    if (is_cons(CALLER) && !mp_heap_is_sampled())
        record_cons(block, size, FRAME);
    else if (is_cons(CALLER))
        record_cons_slowly(block, size, FRAME);
    else if (mp_within(&mp_ecl.alloc_instance, CALLER))
        record_instance(block, size, FRAME);
    else
        record(block, size, MP_LISP_GC_POINTERS, CALLER, FRAME);
    return block;
}

static MP_NOINLINE void *
linked_malloc_atomic(size_t size)
{
    resolve(FRAME);
    return malloc_atomic_for_others(size, CALLER, FRAME);
}

static MP_NOINLINE void *
linked_malloc_ignore(size_t size)
{
    resolve(FRAME);
    return malloc_data(MALLOC_IGNORE, size, MP_LISP_GC_POINTERS, FRAME);
}

static MP_NOINLINE void *
linked_malloc_atomic_ignore(size_t size)
{
    resolve(FRAME);
    return malloc_data(MALLOC_ATOMIC_IGNORE, size, MP_LISP_GC_ATOMIC, FRAME);
}

static void
use_linked_hooks(void)
{
    imports[MALLOC].ours = (void *)(uintptr_t)linked_malloc;
    imports[MALLOC_ATOMIC].ours = (void *)(uintptr_t)linked_malloc_atomic;
    imports[MALLOC_IGNORE].ours = (void *)(uintptr_t)linked_malloc_ignore;
    imports[MALLOC_ATOMIC_IGNORE].ours = (void *)(uintptr_t)linked_malloc_atomic_ignore;
}

/* ------------------------------------------------------------------ libecl's functions */

/* Does what counts_unsampled() does, for an object of TYPE with EXTRA trailing bytes. */
MP_INLINE bool
counts_unsampled_type(struct mp_lisp_thread *self, cl_type type, size_t extra)
{
    const struct type_facts *facts = &types[type & UINT8_MAX];

    if (MP_UNLIKELY(!__atomic_load_n(&facts->size, __ATOMIC_ACQUIRE)) || MP_UNLIKELY(facts->deferred) ||
        !counts_unsampled(self, facts->requested + extra, facts->kind))
        return false;
    self->last_kind = facts->kind;
    return true;
}

/* Lets ECL allocate an object of TYPE. The hook of malloc, which ECL calls for it, does not record it. */
MP_INLINE cl_object
allocate(struct mp_lisp_thread *self, cl_type type)
{
    cl_object object;

    self->typed = 1;
    object = next.alloc_object(type);
    self->typed = 0;
    return object;
}

static MP_NOINLINE cl_object
recorded_alloc_object(cl_type type)
{
    struct mp_lisp_thread *self = &mp_lisp_thread;
    const cl_object object = allocate(self, type);

    record_known(self, object, type, FRAME);
    return object;
}

static MP_NOINLINE cl_object
counted_alloc_object(cl_type type)
{
    return allocate(&mp_lisp_thread, type);
}

/* Only jumps, as sampled_malloc(). */
static MP_NOINLINE WITH_JUMPS cl_object
sampled_alloc_object(cl_type type)
{
    if (!counts_unsampled_type(&mp_lisp_thread, type, 0))
        JUMP recorded_alloc_object(type);
    JUMP counted_alloc_object(type);
}

static JUMPING_HOOK cl_object
hook_alloc_object(cl_type type)
{
    if (MP_UNLIKELY(mp_heap_is_sampled()))
        JUMP sampled_alloc_object(type);
    JUMP recorded_alloc_object(type);
}

static MP_NOINLINE cl_object
hook_alloc_compact_object(cl_type type, cl_index extra)
{
    struct mp_lisp_thread *self = &mp_lisp_thread;
    const bool is_counted = MP_UNLIKELY(mp_heap_is_sampled()) && counts_unsampled_type(self, type, extra);
    cl_object object;

    self->typed = 1;
    object = next.alloc_compact_object(type, extra);
    self->typed = 0;
    if (!is_counted)
        record_typed(self, object, type, extra, FRAME);
    return object;
}

static MP_NOINLINE void *
hook_dlopen(const char *path, int flags)
{
    void *handle = next.dlopen(path, flags);
    struct link_map *map;

    if (handle && path && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0) {
        uint32_t saved = mp_monitor_pause();

        mp_lisp_name_file(path, map->l_addr);
        mp_monitor_resume(saved);
    }
    return handle;
}
