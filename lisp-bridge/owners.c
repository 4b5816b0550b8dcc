#include "owners.h"

#include <stddef.h>

#include "ecl.h"
#include "kinds.h"
#include "runtime/monitor.h"

#define MOST_OUTWARD 6          /* frames; static functions of libecl have no names */

/* Functions of libecl that allocate data, or call a static function that does. */
static const struct { const char *name; unsigned kind; } owners[] = {
#define OWNER(function, kind) { function, kind },
#include "owners.def"
#undef OWNER
};

#define N (sizeof owners / sizeof *owners)

static uintptr_t starts[N];

void
mp_lisp_owners_open(void)
{
    for (size_t i = 0; i < N; i++)
        starts[i] = mp_ecl_function(owners[i].name).start;
}

/* The kind for the function that starts at START; 0: none. */
static unsigned
find(uintptr_t start)
{
    for (size_t i = 0; i < N; i++)
        if (starts[i] && starts[i] == start)
            return owners[i].kind;
    return 0;
}

unsigned
mp_lisp_owner(uint32_t context)
{
    for (unsigned i = 0; context && i < MOST_OUTWARD; i++) {
        uintptr_t ip;
        unsigned kind;

        context = mp_monitor_outer(context, &ip);
        if (!mp_within(&mp_ecl.libecl_code, ip))
            break;
        kind = find(mp_monitor_function(ip));
        if (kind)
            return kind;
    }
    return MP_LISP_PAYLOAD;
}
