#include "owners.h"

#include <stddef.h>

#include "ecl.h"
#include "kinds.h"
#include "runtime/heap/heap.h"

#define MAX_OUTWARD 256         /* maximum number of frames */

/* Functions of libecl that allocate data or call a static function that does. */
static const struct { const char *name; unsigned kind; } owners[] = {
#define OWNER(function, kind) { function, kind },
#include "owners.def"
#undef OWNER
};

#define N (sizeof owners / sizeof *owners)

static const char *const allocators[] = {
    "ecl_alloc", "ecl_alloc_atomic", "ecl_alloc_unprotected", "ecl_alloc_atomic_unprotected",
    "alloc_pointerfull_memory",
};
#define N_ALLOCATORS (sizeof allocators / sizeof *allocators)

static uintptr_t starts[N], allocator_starts[N_ALLOCATORS];

void
mp_lisp_owners_open(void)
{
    for (size_t i = 0; i < N; i++)
        starts[i] = mp_ecl_function(owners[i].name).start;
    for (size_t i = 0; i < N_ALLOCATORS; i++)
        allocator_starts[i] = mp_ecl_function(allocators[i]).start;
}

/* Returns the kind for the function that starts at START, or 0. */
static unsigned
find(uintptr_t start)
{
    for (size_t i = 0; i < N; i++)
        if (starts[i] && starts[i] == start)
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

/* The innermost function of the list decides. Static functions cannot be identified, so their callers are searched
 * too. The search ends at the first exported function that is not in the list. */
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
        kind = find(start);
        if (kind == MP_LISP_BIGNUM_DATA) {      /* used unless a caller owns the block */
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
