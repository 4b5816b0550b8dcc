#include "scan_pointers.h"

#include "runtime/system/sys.h"
#include "scan_glib.h"

#define WORD         8u
#define VTABLE_WORDS 4u         /* words of a table of virtual functions that are examined */
#define STRING_HEAD  (3 * WORD)

static uint64_t
word_at(uintptr_t address)
{
    uint64_t word;

    return mp_sys_peek(address, &word, sizeof word) == 0 ? word : 0;
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
                       mp_scan_glib_is_held(blocks, maps, block, offset)))
        return block->address;
    return word;
}
