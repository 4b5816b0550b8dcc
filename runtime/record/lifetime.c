#include "lifetime.h"

#include "runtime/store/store.h"
#include "runtime/system/gate.h"
#include "shadow.h"

#define CHUNK 16u

static struct mp_shadow_table births;
static _Alignas(64) struct { uint64_t now; char alone[56]; } time = { .now = 1 };

void
mp_lifetime_open(unsigned distance)
{
    mp_shadow_open(&births, distance, sizeof(uint64_t), 0, 0);
}

/* ------------------------------------------------------------------ births */

uint64_t
mp_lifetime_pass(size_t size)
{
    return __atomic_add_fetch(&time.now, size, __ATOMIC_RELAXED);
}

/* The word of BLOCK; NULL: no memory. */
static uint64_t *
word_of(const void *block, bool make)
{
    const uintptr_t address = (uintptr_t)block;
    uint64_t *region = mp_shadow_region(&births, address);

    if (MP_UNLIKELY(!region) && make)
        region = mp_shadow_new_region(&births, address);
    return region ? &region[mp_shadow_index(&births, address)] : NULL;
}

void
mp_lifetime_begin(const void *block, size_t size)
{
    const uint64_t birth = mp_lifetime_pass(size);
    uint64_t *word = word_of(block, true);

    if (word)
        __atomic_store_n(word, birth, __ATOMIC_RELAXED);
}

uint64_t
mp_lifetime_birth(const void *block)
{
    const uint64_t *word = word_of(block, false);

    return word ? __atomic_load_n(word, __ATOMIC_RELAXED) : 0;
}

/* ------------------------------------------------------------------ records */

/* Lock held. */
static bool
take(struct mp_recorder *recorder)
{
    uint32_t first =
        mp_recorder_is_current(recorder) ? mp_store_take_if_room(MP_EXT_LIFETIMES, CHUNK) : 0;

    if (!first)
        return false;
    recorder->next_lifetimes = first;
    recorder->end_lifetimes = first + CHUNK;
    return true;
}

static bool
has_room(struct mp_recorder *recorder)
{
    struct mp_gate_hold hold;
    bool room = recorder->next_lifetimes != recorder->end_lifetimes;

    if (!room) {
        room = mp_gate_lock(&hold) && take(recorder);
        mp_gate_unlock(&hold);
    }
    return room && mp_id_map_make_room(&recorder->lifetimes);
}

/* A handler may jump out of here: then a record stays as it is, and the next time there is another one. */
static MP_COLD MP_NOINLINE uint32_t
new_record(struct mp_recorder *recorder, uint64_t key)
{
    uint32_t id;

    if (!has_room(recorder))
        return 0;
    id = recorder->next_lifetimes++;
    mp_store.lifetimes[id].kind = (uint16_t)key;
    __atomic_store_n(&mp_store.lifetimes[id].context, (uint32_t)(key >> 32), __ATOMIC_RELEASE);
    MP_IN_ORDER();
    mp_id_map_put(&recorder->lifetimes, key, id);
    return id;
}

void
mp_lifetime_end(struct mp_recorder *recorder, uint64_t birth, uint32_t cell, size_t size)
{
    const uint64_t now = __atomic_load_n(&time.now, __ATOMIC_RELAXED);
    const unsigned kind = mp_store.cells[cell].kind & ~MP_CELL_MIXED;
    const uint64_t key = (uint64_t)mp_store.cells[cell].context << 32 | kind;
    uint32_t id;
    unsigned bucket;

    if (MP_UNLIKELY(birth == 0))
        return;
    id = mp_id_map_find(&recorder->lifetimes, key);
    if (MP_UNLIKELY(!id) && !(id = new_record(recorder, key)))
        return;
    bucket = mp_lifetime_bucket(now - birth);
    mp_add(&mp_store.lifetimes[id].blocks[bucket], 1);
    mp_add(&mp_store.lifetimes[id].bytes[bucket], size);
}
