/*
 * GC_is_marked() checks one object at a time, which takes longer than the rest of the sweep. libgc has a mark byte
 * for every 16 bytes of a page, in a header that it finds by the page's address (libgc 8.2, gc_priv.h and gc_hdrs.h).
 * It exports no function to get the header.
 *
 * So the index of headers is searched in libgc's variables and must prove right. Until ENOUGH marked and unmarked
 * objects have been compared with GC_is_marked(), memory is read only by functions that tolerate invalid addresses,
 * and the result of GC_is_marked() is used. After that, one object of each page is compared. At the first difference,
 * header access is disabled permanently.
 */
#include "marks.h"

#include <stdbool.h>
#include <string.h>

#include "alive.h"
#include "ecl.h"
#include "libgc.h"
#include "runtime/compiler.h"

#define WORDS       (MP_GC_MARKS / 64)  /* 64-bit words of a page's mark bits */
#define ENOUGH      1000u       /* minimum number of compared objects, marked and unmarked */

/* Number of compared objects: unmarked, marked. Guarded by libgc's lock. */
static uint32_t agreed[2];
static bool given_up;

static bool
is_trusted(void)
{
    return agreed[0] >= ENOUGH && agreed[1] >= ENOUGH;
}

static const struct mp_gc_header *
header_of(uintptr_t page)
{
    return given_up ? NULL : mp_gc_header(page, is_trusted());
}

/* ------------------------------------------------------------------ marks */

/* Compresses the mark bytes to bits. Returns false if a byte is neither 0 nor 1. */
static bool
read_marks(const struct mp_gc_header *header, uint64_t marked[WORDS])
{
    uint64_t all = 0, eight;

    for (unsigned i = 0; i < WORDS; i++)
        for (unsigned j = 0; j < 64; j += 8) {
            memcpy(&eight, &header->marks[64 * i + j], sizeof eight);
            all |= eight;
            marked[i] |= (eight * 0x0102040810204080 >> 56) << j;
        }
    return !(all & ~(uint64_t)0x0101010101010101);
}

/* Calls GC_is_marked() for each object. */
static void
ask(uintptr_t page, const uint64_t of[WORDS], uint64_t marked[WORDS])
{
    for (unsigned i = 0; i < WORDS; i++, page += 64 * MP_GC_GRANULE) {
        marked[i] = 0;
        for (uint64_t look = of[i]; look; look &= look - 1) {
            unsigned bit = (unsigned)__builtin_ctzll(look);

            if (mp_ecl.gc_is_marked((const void *)(page + bit * MP_GC_GRANULE)))
                marked[i] |= (uint64_t)1 << bit;
        }
    }
}

/* Compares the results of GC_is_marked(), MARKED, for the objects OF the page with the page's header. Does so only
 * while objects of either kind are still needed. If nearly all objects die, or nearly none, header access never
 * becomes trusted. */
static void
compare(uintptr_t page, const uint64_t of[WORDS], const uint64_t marked[WORDS])
{
    unsigned n[2] = { 0, 0 };
    uint64_t read[WORDS] = { 0 };
    const struct mp_gc_header *header;
    bool same;

    for (unsigned i = 0; i < WORDS; i++) {
        n[0] += (unsigned)__builtin_popcountll(of[i] & ~marked[i]);
        n[1] += (unsigned)__builtin_popcountll(marked[i]);
    }
    if (!(n[0] && agreed[0] < ENOUGH) && !(n[1] && agreed[1] < ENOUGH))
        return;
    header = header_of(page);
    if (!header)
        return;
    same = read_marks(header, read);
    for (unsigned i = 0; i < WORDS; i++)
        same &= marked[i] == (read[i] & of[i]);
    if (same)
        agreed[0] += n[0], agreed[1] += n[1];
    else
        given_up = true;
}

/* Returns the index of the first bit that is set in OF, or 0 if no bit is set. */
static unsigned
first_of(const uint64_t of[WORDS])
{
    unsigned i = 0;

    while (i < WORDS - 1 && !of[i])
        i++;
    return of[i] ? 64 * i + (unsigned)__builtin_ctzll(of[i]) : 0;
}

void
mp_lisp_find_marked(uintptr_t page, const uint64_t of[WORDS], uint64_t marked[WORDS])
{
    const unsigned first = first_of(of);
    const void *block = (const void *)(page + first * MP_GC_GRANULE);
    const struct mp_gc_header *header;

    memset(marked, 0, WORDS * sizeof *marked);
    if (!mp_lisp_is_in_use(block))
        return;
    if (!is_trusted()) {
        ask(page, of, marked);
        compare(page, of, marked);
        return;
    }
    header = header_of(page);
    if (header && read_marks(header, marked) &&
        !mp_ecl.gc_is_marked(block) == !(marked[first / 64] >> first % 64 & 1))
        return;
    given_up |= header != NULL;
    ask(page, of, marked);
}

bool
mp_lisp_marks_are_read(void)
{
    return !given_up && is_trusted();
}
