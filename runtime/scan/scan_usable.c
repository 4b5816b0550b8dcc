#include "scan_usable.h"

#include "runtime/heap_format.h"
#include "runtime/sizeclass.h"

#define MOST_MORE (UINT64_C(1) << 26)   /* maximum bytes beyond the requested size, which are there for alignment
                                           and for pages, which may be huge */

/* Returns the usable bytes of BLOCK, or 0 if there is no valid chunk size. */
static uint64_t
usable(const struct mp_scan_block *block, struct mp_scan_memory *memory)
{
    bool mapped;
    uint64_t chunk = mp_scan_chunk(memory, block->address, &mapped);
    uint64_t bytes = chunk - (mapped ? 2 : 1) * sizeof chunk;

    return chunk > 0 && bytes >= block->size && bytes - block->size <= MOST_MORE ? bytes : 0;
}

void
mp_scan_usable_write(struct mp_stream *out, const struct mp_scan_blocks *blocks, struct mp_scan_memory *memory)
{
    uint64_t sums[MP_KIND_C_COUNT] = { 0 };

    if (!mp_scan_has_chunks())
        return;
    for (size_t i = 0; i < blocks->n; i++) {
        const uint64_t bytes = usable(&blocks->list[i], memory);

        if (bytes == 0)
            return;
        sums[mp_sizeclass(blocks->list[i].size)] += bytes;
    }
    for (unsigned kind = 0; kind < MP_KIND_C_COUNT; kind++)
        if (sums[kind] > 0)
            mp_stream_fact(out, (enum mp_heap_fact)(MP_FACT_USABLE + kind), sums[kind]);
}
