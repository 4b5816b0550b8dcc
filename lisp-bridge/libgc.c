/* SPDX-License-Identifier: MIT */
#include "libgc.h"

#include <string.h>

#include "ecl.h"
#include "runtime/compiler.h"
#include "runtime/system/sys.h"

#define INDEX_BITS  10          /* log2 of the number of pages per index */
#define TOP_BITS    11
#define MAX_LOOKS   8u          /* maximum number of searches for a structure among libgc's variables */
#define MAX_CHAIN   4096u       /* maximum number of structures with the same hash */

/* ------------------------------------------------------------------ headers of pages */

#define MARKS       (MP_GC_PAGE / MP_GC_GRANULE)

/* struct hblkhdr of libgc, the header of a page in which a block begins. */
struct header {
    void *next, *previous;
    uintptr_t page;
    uint8_t kind, flags;
    uint16_t reclaimed;
    size_t size;                /* bytes of each block */
    uintptr_t descriptor;
    const uint16_t *map;
    size_t n_marks;
    uint8_t marks[MARKS];       /* by granule of the page: nonzero if a live block begins there */
};

/* bottom_index of libgc: the headers of 4 MiB of addresses */
struct index {
    const struct header *headers[1 << INDEX_BITS];
    const struct index *ascending, *descending;
    uintptr_t key;              /* address divided by 4 MiB */
    const struct index *next;   /* next index with the same hash; NULL in the empty index */
};

/* GC_top_index of libgc, by hash; NULL until found. Guarded by libgc's lock, as is `looks`. */
static const uintptr_t *top;
static uint32_t looks;

MP_INLINE uintptr_t
key_of(uintptr_t page)
{
    return page >> (MP_GC_PAGE_BITS + INDEX_BITS);
}

MP_INLINE unsigned
place_of(uintptr_t page)
{
    return (unsigned)(page >> MP_GC_PAGE_BITS) % (1u << INDEX_BITS);
}

/* Reads the word at ADDRESS. Returns false if it is unreadable, which cannot happen once the index is trusted. */
MP_INLINE bool
read_word(uintptr_t address, uintptr_t *word, bool trusted)
{
    if (MP_UNLIKELY(!trusted))
        return address % sizeof *word == 0 && mp_sys_peek(address, word, sizeof *word) == 0;
    *word = *(const uintptr_t *)address;
    return true;
}

/* Returns whether HEADER, which is readable, has the kind and size of the block that begins PAGE. */
static MP_COLD bool
agrees(const struct header *header, uintptr_t page)
{
    const void *block = mp_ecl.gc_base((void *)page);
    size_t size = 0;

    if (!block)
        return false;
    if (mp_ecl.gc_kind && mp_ecl.gc_kind(block, &size) != header->kind)
        return false;
    return mp_ecl.gc_size(block) == header->size;
}

/* Returns the header of PAGE by searching INDEX and its successors, or NULL. */
static const struct header *
follow(uintptr_t index, uintptr_t page, bool trusted)
{
    uintptr_t key = 0, header, its_page, last;

    for (unsigned n = 0; n < MAX_CHAIN && index; n++) {
        if (!read_word(index + offsetof(struct index, key), &key, trusted))
            return NULL;
        if (key == key_of(page))
            break;
        if (!read_word(index + offsetof(struct index, next), &index, trusted))
            return NULL;
    }
    if (!index || key != key_of(page) ||
        !read_word(index + place_of(page) * sizeof(void *), &header, trusted) ||
        header < MP_GC_PAGE ||          /* not an address, but the distance to the first page of a large block */
        !read_word(header + offsetof(struct header, page), &its_page, trusted) || its_page != page ||
        !read_word(header + sizeof(struct header) - sizeof last, &last, trusted) ||
        (MP_UNLIKELY(!trusted) && !agrees((const struct header *)header, page)))
        return NULL;
    return (const struct header *)header;
}

/* Returns whether all words from WORDS on, as many as GC_top_index has, could be addresses of indices. In GC_top_index
 * they are, because its unused entries point to the empty index. Another word of libgc's variables may also lead to a
 * header, but it is not part of such an array. */
static bool
are_indices(const uintptr_t *words)
{
    uintptr_t key;

    for (size_t i = 0; i < 1u << TOP_BITS; i++)
        if (!words[i] || ((i == 0 || words[i] != words[i - 1]) &&
                          !read_word(words[i] + offsetof(struct index, key), &key, false)))
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
        if ((i == at || words[i] != words[i - 1]) && follow(words[i], page, false) &&
            are_indices(words + i - at)) {
            top = words + i - at;
            return true;
        }
    return false;
}

/* Returns the header of PAGE, in which a block begins, or NULL if it cannot be found. Unless TRUSTED, memory is read
 * only by functions that tolerate invalid addresses, and the header must agree with the exported functions. */
static const struct header *
find_header(uintptr_t page, bool trusted)
{
    if (MP_UNLIKELY(!top) && (looks == MAX_LOOKS || (looks++, !find_top(page))))
        return NULL;
    return follow(top[key_of(page) % (1u << TOP_BITS)], page, trusted);
}

/* ------------------------------------------------------------------ marked objects */

/* Mark bits exist only for pages in which an object begins. */
bool
mp_gc_is_in_use(const void *object)
{
    const void *base = mp_ecl.gc_base((void *)(uintptr_t)object);

    return base && (((uintptr_t)base ^ (uintptr_t)object) & ~(uintptr_t)(MP_GC_PAGE - 1)) == 0;
}

bool
mp_gc_is_marked(const void *object)
{
    return mp_gc_is_in_use(object) && mp_ecl.gc_is_marked(object);
}

/*
 * GC_is_marked() checks one object at a time, which takes longer than the rest of the sweep. So whole pages are read
 * from the page headers, for which libgc exports no function. Until ENOUGH marked and unmarked objects have been
 * compared with GC_is_marked(), memory is read only by functions that tolerate invalid addresses, and the result of
 * GC_is_marked() is used. After that, one object of each page is compared. At the first difference, header access is
 * disabled permanently.
 */

#define WORDS       (MARKS / 64)    /* 64-bit words of a page's mark bits */
#define ENOUGH      1000u           /* minimum number of compared objects, marked and unmarked */

/* Number of compared objects: unmarked, marked. Guarded by libgc's lock. */
static uint32_t agreed[2];
static bool given_up;

static bool
is_trusted(void)
{
    return agreed[0] >= ENOUGH && agreed[1] >= ENOUGH;
}

static const struct header *
header_of(uintptr_t page)
{
    return given_up ? NULL : find_header(page, is_trusted());
}

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
    for (unsigned i = 0; i < WORDS; i++, page += 64 * MP_GC_GRANULE) {
        marked[i] = 0;
        for (uint64_t look = of[i]; look; look &= look - 1) {
            unsigned bit = (unsigned)__builtin_ctzll(look);

            if (mp_ecl.gc_is_marked((const void *)(page + bit * MP_GC_GRANULE)))
                marked[i] |= (uint64_t)1 << bit;
        }
    }
}

/* Compares MARKED, the results of GC_is_marked() for the objects OF in the page at PAGE, with the page's header. Does
 * nothing once ENOUGH marked and ENOUGH unmarked objects have been compared. If nearly all objects die, or nearly none,
 * one of these numbers is never reached, and header access never becomes trusted. */
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
mp_gc_find_marked(uintptr_t page, const uint64_t of[WORDS], uint64_t marked[WORDS])
{
    const unsigned first = first_of(of);
    const void *block = (const void *)(page + first * MP_GC_GRANULE);
    const struct header *header;

    memset(marked, 0, WORDS * sizeof *marked);
    if (!mp_gc_is_in_use(block))
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
mp_gc_marks_are_read(void)
{
    return !given_up && is_trusted();
}

/* ------------------------------------------------------------------ finalizers and weak links */

/*
 * The tables are read without libgc's lock. All structures read here are blocks of libgc that the thread's stack or
 * registers refer to, so they cannot be unmapped meanwhile. An entry that was freed is noticed by its contents, or by
 * an address in it at which no block begins.
 */

/* The words of libgc's variables that refer to the tables; NULL until found. */
static const uintptr_t *heads[MP_GC_TABLES];
static uint32_t searches[MP_GC_TABLES];

static bool
is_block(const void *address, size_t size)
{
    return mp_ecl.gc_base((void *)(uintptr_t)address) == address && mp_ecl.gc_size(address) >= size;
}

static bool
is_entry(enum mp_gc_table which, const struct mp_gc_entry *entry, uintptr_t key, uintptr_t value)
{
    return entry->hidden == ~key &&
           (which == MP_GC_FINALIZERS ? entry->finalizer.function == value : entry->hidden_object == ~value);
}

/* Searches the table at ADDRESS, which has 1 << BITS lists. */
static const struct mp_gc_entry *
search_lists(enum mp_gc_table which, uintptr_t address, unsigned bits, uintptr_t key, uintptr_t value)
{
    const uintptr_t hash = (key >> 3 ^ key >> (3 + bits)) & (((uintptr_t)1 << bits) - 1);
    const struct mp_gc_entry *entry = __atomic_load_n((struct mp_gc_entry **)address + hash, __ATOMIC_ACQUIRE);
    const size_t size = which == MP_GC_FINALIZERS ? MP_GC_FINALIZER_SIZE : MP_GC_LINK_SIZE;

    for (unsigned n = 0; n < MAX_CHAIN && entry && is_block(entry, size); n++) {
        if (is_entry(which, entry, key, value))
            return entry;
        entry = __atomic_load_n(&entry->next, __ATOMIC_ACQUIRE);
    }
    return NULL;
}

/* Searches the table at ADDRESS. The number of its lists is a power of 2. Its block may be larger by a page or a
 * granule. */
static const struct mp_gc_entry *
search_table(enum mp_gc_table which, uintptr_t address, uintptr_t key, uintptr_t value)
{
    const size_t n = mp_ecl.gc_size((const void *)address) / sizeof(void *);
    const unsigned bits = n < 2 ? 0 : 63 - (unsigned)__builtin_clzl(n);
    const struct mp_gc_entry *entry = bits > 0 ? search_lists(which, address, bits, key, value) : NULL;

    return entry || bits < 2 ? entry : search_lists(which, address, bits - 1, key, value);
}

/* Searches libgc's variables for the word that refers to the table with the entry. */
static MP_COLD const uintptr_t *
find_head(enum mp_gc_table which, uintptr_t key, uintptr_t value)
{
    const uintptr_t *words = (const uintptr_t *)mp_ecl.gc_data.start;

    if (!mp_ecl.gc_with_lock || __atomic_add_fetch(&searches[which], 1, __ATOMIC_RELAXED) > MAX_LOOKS)
        return NULL;
    for (size_t i = 0; i < mp_ecl.gc_data.size / sizeof *words; i++) {
        const uintptr_t word = __atomic_load_n(&words[i], __ATOMIC_RELAXED);

        if (word >= MP_GC_PAGE && word % MP_GC_GRANULE == 0 && is_block((const void *)word, 2 * sizeof word) &&
            search_table(which, word, key, value)) {
            __atomic_store_n(&heads[which], &words[i], __ATOMIC_RELEASE);
            return &words[i];
        }
    }
    return NULL;
}

const void *
mp_gc_entries(enum mp_gc_table which)
{
    const uintptr_t *head = __atomic_load_n(&heads[which], __ATOMIC_ACQUIRE);

    return head ? (const void *)__atomic_load_n(head, __ATOMIC_RELAXED) : NULL;
}

static void *
nothing(void *data)
{
    return data;
}

const struct mp_gc_entry *
mp_gc_find_entry(enum mp_gc_table which, uintptr_t key, uintptr_t value, const void **table)
{
    if (which == MP_GC_FINALIZERS && !is_block((const void *)key, 1))
        return NULL;            /* libgc has finalizers only of its own blocks */
    for (unsigned n = 0; n < MAX_LOOKS; n++) {
        const uintptr_t *head = __atomic_load_n(&heads[which], __ATOMIC_ACQUIRE);
        const struct mp_gc_entry *entry;
        uintptr_t address;

        if (!head && !(head = find_head(which, key, value)))
            return NULL;
        address = __atomic_load_n(head, __ATOMIC_ACQUIRE);
        entry = search_table(which, address, key, value);
        if (entry) {
            *table = (const void *)address;
            return entry;
        }
        mp_ecl.gc_with_lock(nothing, NULL);     /* waits until the table has been enlarged */
    }
    return NULL;
}
