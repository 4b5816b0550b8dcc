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
#include <stddef.h>
#include <string.h>

#include "alive.h"
#include "ecl.h"
#include "runtime/compiler.h"
#include "runtime/system/sys.h"

#define WORDS       4           /* 64-bit words of a page's mark bits */
#define GRANULE     16u         /* bytes per mark bit */
#define PAGE_BITS   12
#define INDEX_BITS  10          /* log2 of the number of pages per index */
#define TOP_BITS    11
#define ENOUGH      1000u       /* minimum number of compared objects, marked and unmarked */
#define MAX_LOOKS   8u          /* maximum number of searches for the top index */
#define MAX_CHAIN   4096u       /* maximum number of indices with the same hash */

/* struct hblkhdr of libgc */
struct header {
    struct header *next, *previous;
    uintptr_t page;
    uint8_t kind, flags;
    uint16_t reclaimed;
    size_t size;
    uintptr_t descriptor;
    const uint16_t *map;
    size_t n_marks;
    uint8_t marks[WORDS * 64];  /* 0 or 1 */
};

/* bottom_index of libgc: the headers of 4 MiB of addresses */
struct index {
    const struct header *headers[1 << INDEX_BITS];
    const struct index *ascending, *descending;
    uintptr_t key;              /* address divided by 4 MiB */
    const struct index *next;   /* next index with the same hash; NULL in the empty index */
};

/* GC_top_index of libgc, by hash; NULL until found. Guarded by libgc's lock, like the variables below. */
static const uintptr_t *top;
static uint32_t looks;
static uint32_t agreed[2];      /* number of compared objects: unmarked, marked */
static bool given_up;

MP_INLINE uintptr_t
key_of(uintptr_t page)
{
    return page >> (PAGE_BITS + INDEX_BITS);
}

MP_INLINE unsigned
place_of(uintptr_t page)
{
    return (unsigned)(page >> PAGE_BITS) % (1u << INDEX_BITS);
}

/* ------------------------------------------------------------------ finding a page's header */

static bool
is_trusted(void)
{
    return agreed[0] >= ENOUGH && agreed[1] >= ENOUGH;
}

/* Reads the word at ADDRESS. Returns false if it is unreadable, which cannot happen once the index is trusted. */
MP_INLINE bool
read_word(uintptr_t address, uintptr_t *word)
{
    if (MP_UNLIKELY(!is_trusted()))
        return address % sizeof *word == 0 && mp_sys_peek(address, word, sizeof *word) == 0;
    *word = *(const uintptr_t *)address;
    return true;
}

/* Returns the header of PAGE by searching INDEX and its successors, or NULL. */
static const struct header *
follow(uintptr_t index, uintptr_t page)
{
    uintptr_t key = 0, header, its_page, last;

    for (unsigned n = 0; n < MAX_CHAIN && index; n++) {
        if (!read_word(index + offsetof(struct index, key), &key))
            return NULL;
        if (key == key_of(page))
            break;
        if (!read_word(index + offsetof(struct index, next), &index))
            return NULL;
    }
    if (!index || key != key_of(page) ||
        !read_word(index + place_of(page) * sizeof(void *), &header) ||
        header < (uintptr_t)1 << PAGE_BITS ||   /* not an address, but the distance to the first page of a large
                                                 * block */
        !read_word(header + offsetof(struct header, page), &its_page) || its_page != page ||
        !read_word(header + sizeof(struct header) - sizeof last, &last))
        return NULL;
    return (const struct header *)header;
}

/* Returns whether all words could be addresses of indices. In GC_top_index they are, because unused entries point to
 * the empty index. Other words among the variables may also lead to a header, but not such an array. */
static bool
are_indices(const uintptr_t *words)
{
    uintptr_t key;

    for (size_t i = 0; i < 1u << TOP_BITS; i++)
        if (!words[i] || ((i == 0 || words[i] != words[i - 1]) &&
                          !read_word(words[i] + offsetof(struct index, key), &key)))
            return false;
    return true;
}

/* Searches libgc's variables for GC_top_index. One of its words, at the position given by PAGE's hash, must lead to
 * PAGE's header. */
static bool
find_top(uintptr_t page)
{
    const uintptr_t *words = (const uintptr_t *)mp_ecl.gc_variables.start;
    size_t n = mp_ecl.gc_variables.size / sizeof *words, at = key_of(page) % (1u << TOP_BITS);

    for (size_t i = at; i + (1u << TOP_BITS) <= at + n; i++)
        if ((i == at || words[i] != words[i - 1]) && follow(words[i], page) &&
            are_indices(words + i - at)) {
            top = words + i - at;
            return true;
        }
    return false;
}

/* Returns the header of PAGE, or NULL. */
static const struct header *
header_of(uintptr_t page)
{
    if (given_up)
        return NULL;
    if (MP_UNLIKELY(!top) && !find_top(page)) {
        given_up = ++looks == MAX_LOOKS;
        return NULL;
    }
    return follow(top[key_of(page) % (1u << TOP_BITS)], page);
}

/* ------------------------------------------------------------------ marks */

/* Compresses the mark bytes to bits. Returns false if a byte is neither 0 nor 1. */
static bool
read_marks(const struct header *header, uint64_t marked[WORDS])
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
    for (unsigned i = 0; i < WORDS; i++, page += 64 * GRANULE) {
        marked[i] = 0;
        for (uint64_t look = of[i]; look; look &= look - 1) {
            unsigned bit = (unsigned)__builtin_ctzll(look);

            if (mp_ecl.gc_is_marked((const void *)(page + bit * GRANULE)))
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
    const struct header *header;
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

/* Returns the index of the first set bit of OF, or 0 if all bits are clear. */
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
    const void *block = (const void *)(page + first * GRANULE);
    const struct header *header;

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
