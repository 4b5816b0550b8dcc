#include "marks.h"

#include <string.h>

#include "alive.h"
#include "ecl.h"

#define WORDS    4              /* of bits, 64 each */
#define GRANULE  16u            /* bytes that a bit stands for */

/* Where the first object of OF begins. */
static uintptr_t
first_of(uintptr_t page, const uint64_t of[WORDS])
{
    unsigned i = 0;

    while (i < WORDS - 1 && !of[i])
        i++;
    return page + (64 * i + (of[i] ? (unsigned)__builtin_ctzll(of[i]) : 0)) * GRANULE;
}

/* One after the other. */
static void
ask(uintptr_t page, const uint64_t of[WORDS], uint64_t marked[WORDS])
{
    for (unsigned i = 0; i < WORDS; i++, page += 64 * GRANULE)
        for (uint64_t look = of[i]; look; look &= look - 1) {
            unsigned bit = (unsigned)__builtin_ctzll(look);

            if (mp_ecl.gc_is_marked((const void *)(page + bit * GRANULE)))
                marked[i] |= (uint64_t)1 << bit;
        }
}

void
mp_lisp_find_marked(uintptr_t page, const uint64_t of[WORDS], uint64_t marked[WORDS])
{
    memset(marked, 0, WORDS * sizeof *marked);
    if (mp_lisp_is_in_use((const void *)first_of(page, of)))
        ask(page, of, marked);
}
