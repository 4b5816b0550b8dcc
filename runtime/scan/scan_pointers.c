/* SPDX-License-Identifier: MIT */
#include "scan_pointers.h"

#include "scan_memory.h"

#define WORD         8u
#define VTABLE_WORDS 4u         /* words of a table of virtual functions that are examined */
#define STRING_HEAD  (3 * WORD)

/* ------------------------------------------------------------------ C and C++ */

static uint64_t
word_at(uintptr_t address)
{
    uint64_t word;

    return mp_scan_peek(address, &word, sizeof word) ? word : 0;
}

static bool
is_length64(const struct mp_scan_block *block, uintptr_t offset)
{
    return offset == WORD && block->size > WORD && word_at(block->address) == block->size - WORD;
}

static bool
is_new_array(const struct mp_scan_block *block, uintptr_t offset)
{
    uint64_t n;

    if (offset != WORD || block->size <= WORD)
        return false;
    n = word_at(block->address);
    return n > 0 && n <= block->size && (block->size - WORD) % n == 0;
}

/* Returns whether OFFSET is the text of a std::string. A NUL follows the text. */
static bool
is_string(const struct mp_scan_block *block, uintptr_t offset)
{
    uint64_t length, capacity;

    if (offset != STRING_HEAD || block->size <= STRING_HEAD)
        return false;
    length = word_at(block->address);
    capacity = word_at(block->address + WORD);
    return length <= capacity && capacity == block->size - STRING_HEAD - 1;
}

/* Returns whether ADDRESS is in a mapped file and a pointer to code is stored there. */
static bool
is_vtable(const struct mp_scan_maps *maps, uint64_t address)
{
    const struct mp_scan_map *map = address % WORD == 0 ? mp_scan_maps_at(maps, address) : NULL;

    if (!map || !map->readable || map->path[0] != '/')
        return false;
    for (unsigned i = 0; i < VTABLE_WORDS && address + (i + 1) * WORD <= map->end; i++) {
        const struct mp_scan_map *code = mp_scan_maps_at(maps, word_at(address + i * WORD));

        if (code && code->executable && code->path[0] == '/')
            return true;
    }
    return false;
}

static bool
is_base_class(const struct mp_scan_maps *maps, const struct mp_scan_block *block, uintptr_t offset)
{
    return offset % WORD == 0 && offset + WORD <= block->size && is_vtable(maps, word_at(block->address)) &&
           is_vtable(maps, word_at(block->address + offset));
}

/* ------------------------------------------------------------------ GLib */

/*
 * Programs have only pointers to the inside of these blocks of GLib:
 *
 *   instance   The block of a GObject begins with the object's private data. The object follows, and all
 *              pointers are to the object. The object begins with a pointer to its class, and the class with a
 *              pointer to its type. The type leads to its data, which point to the class. All this is checked.
 *   type       The block of a fundamental type begins with a word of flags, and the type follows. The type ends
 *              with its own number, which is small, and 0. Before these two words is a pointer to the type's data,
 *              unless the type is void.
 *   closure    The block has four words that only GObject uses, and the closure behind them, which has functions
 *              and a reference count.
 *   slab       Up to version 2.75, GLib cuts slices from blocks with the size of a power of two less two words,
 *              aligned to that power. The end of a block has GLib's own data, which link all slabs of a size in a
 *              ring. GLib uses no slabs if the environment has G_SLICE=always-malloc, or under valgrind, which
 *              sets that.
 */

#define ALIGNMENT (2 * WORD)    /* bytes; alignment of objects that follow their private data */
#define WORDS     16u           /* words of a type or its data that are examined; pointers are in the first ten */
#define CLOSURE   (4 * WORD)
#define FLAGS     16u           /* upper bound of the flags of a fundamental type */
#define TYPE_VOID (1u << 2)     /* numbers of fundamental types */
#define LAST_TYPE (255u << 2)
#define TYPE      13u           /* maximum number of words of a type, with its flags */
#define PADDING   (2 * WORD)    /* bytes by which a slab is smaller than a power of two */
#define LEAST     256u          /* minimum and maximum bytes of a slab with its padding */
#define MOST      ((uintptr_t)1 << 24)

/* GLib's data at the end of a slab. */
struct slab {
    uint64_t chunks;
    uint32_t n_allocated;
    uint64_t next, previous;
};

/* Copies words from ADDRESS to the end of the block that contains ADDRESS, at most WORDS of them, to WORDS. Returns
 * their number, or 0 if ADDRESS is not a multiple of 8 or is in no block. */
static unsigned
words_at(const struct mp_scan_blocks *blocks, uintptr_t address, uint64_t words[static WORDS])
{
    const struct mp_scan_block *block = address % WORD == 0 ? mp_scan_blocks_at(blocks, address) : NULL;
    uintptr_t n = block ? (block->address + block->size - address) / WORD : 0;

    if (n > WORDS)
        n = WORDS;
    return n > 0 && mp_scan_peek(address, words, n * WORD) ? (unsigned)n : 0;
}

/* Returns whether DATA, the data of a type, point to CLASS. */
static bool
are_data_of(const struct mp_scan_blocks *blocks, uintptr_t data, uintptr_t class)
{
    uint64_t words[WORDS];
    const unsigned n = words_at(blocks, data, words);

    for (unsigned i = 0; i < n; i++)
        if (words[i] == class)
            return true;
    return false;
}

/* Returns whether the data of TYPE point to CLASS. */
static bool
is_type_of(const struct mp_scan_blocks *blocks, uintptr_t type, uintptr_t class)
{
    uint64_t words[WORDS];
    const unsigned n = words_at(blocks, type, words);

    for (unsigned i = 0; i < n; i++)
        if (are_data_of(blocks, words[i], class))
            return true;
    return false;
}

static bool
is_instance(const struct mp_scan_blocks *blocks, const struct mp_scan_block *block, uintptr_t offset)
{
    uintptr_t class;
    const struct mp_scan_block *class_block;

    if (offset % ALIGNMENT != 0 || block->size < offset + WORD)
        return false;
    class = word_at(block->address + offset);
    class_block = class % WORD == 0 ? mp_scan_blocks_at(blocks, class) : NULL;
    return class_block && class_block->address == class && class_block->size >= WORD &&
           is_type_of(blocks, word_at(class), class);
}

static bool
is_type(const struct mp_scan_blocks *blocks, const struct mp_scan_block *block, uintptr_t offset)
{
    const uint64_t n = block->size / WORD;
    uint64_t words[TYPE];
    bool has_data = false;

    if (offset != WORD || block->size % WORD != 0 || n < 4 || n > TYPE ||
        !mp_scan_peek(block->address, words, block->size) || words[0] >= FLAGS || words[n - 1] != 0 ||
        words[n - 2] == 0 || words[n - 2] % 4 != 0 || words[n - 2] > LAST_TYPE)
        return false;
    for (uint64_t i = 1; i < n - 2; i++) {
        const struct mp_scan_block *data = mp_scan_blocks_at(blocks, words[i]);

        has_data |= data && data->address == words[i];
    }
    return has_data || words[n - 2] == TYPE_VOID;
}

static bool
is_closure(const struct mp_scan_maps *maps, const struct mp_scan_block *block, uintptr_t offset)
{
    /* Whether each of the first words of a GRealClosure is a pointer to a function. The words are meta_marshal,
     * meta_marshal_data, va_meta_marshal and va_marshal, and then the first two of its GClosure: the reference count
     * with flags, and marshal. */
    static const bool functions[] = { true, false, true, true, false, true };
    uint64_t words[sizeof functions / sizeof *functions];
    unsigned n = 0;

    if (offset != CLOSURE || block->size < CLOSURE + 4 * WORD || !mp_scan_peek(block->address, words, sizeof words))
        return false;
    for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++)
        if (functions[i] && words[i] != 0) {
            const struct mp_scan_map *map = mp_scan_maps_at(maps, words[i]);

            if (!map || !map->executable)
                return false;
            n++;
        }
    return n > 0 && words[4] > 0 && words[4] <= UINT32_MAX;
}

static bool
is_slab(const struct mp_scan_block *block)
{
    const uint64_t whole = block->size + PADDING;
    const uintptr_t place = block->address + block->size - sizeof(struct slab);
    struct slab slab, next, previous;

    return whole >= LEAST && whole <= MOST && (whole & (whole - 1)) == 0 && (block->address & (whole - 1)) == 0 &&
           mp_scan_peek(place, &slab, sizeof slab) && slab.n_allocated <= block->size / ALIGNMENT &&
           mp_scan_peek(slab.next, &next, sizeof next) && next.previous == place &&
           mp_scan_peek(slab.previous, &previous, sizeof previous) && previous.next == place;
}

/* Returns whether BLOCK, one of BLOCKS, is an instance, type, closure or slab of GLib for which a pointer to its byte
 * OFFSET counts as a pointer to its beginning. */
static bool
is_held_by_glib(const struct mp_scan_blocks *blocks, const struct mp_scan_maps *maps,
                const struct mp_scan_block *block, uintptr_t offset)
{
    return is_slab(block) || is_type(blocks, block, offset) || is_closure(maps, block, offset) ||
           is_instance(blocks, block, offset);
}

/* ------------------------------------------------------------------ all */

uintptr_t
mp_scan_pointer(const struct mp_scan_blocks *blocks, const struct mp_scan_maps *maps, uintptr_t word)
{
    const struct mp_scan_block *block = mp_scan_blocks_at(blocks, word);
    uintptr_t offset;

    if (!block)
        return 0;
    offset = word - block->address;
    if (offset > 0 && (is_length64(block, offset) || is_new_array(block, offset) || is_string(block, offset) ||
                       is_base_class(maps, block, offset) ||
                       is_held_by_glib(blocks, maps, block, offset)))
        return block->address;
    return word;
}
