#include "frame.h"

#include <errno.h>
#include <stdbool.h>

#include "module.h"
#include "rule.h"
#include "store.h"
#include "sys.h"

#define FIRST_BITS 11u          /* 2048 entries, 32 KiB */
#define MOST_BITS  24u

struct mp_code_table *mp_code_table;    /* there before the first lookup: mp_frame_reset() */

/* For an address that could not be recorded: the chain is cut there. */
static const struct mp_code no_memory = { .rule = MP_RULE_MISSING, .frame = MP_FRAME_CUT_MEMORY };

static struct mp_code_table *
new_table(unsigned bits)
{
    struct mp_code_table *table =
        mp_sys_map(sizeof *table + (sizeof(struct mp_code) << bits));

    if (table)
        table->shift = 64 - bits;
    return table;
}

static struct mp_code *
insert(struct mp_code_table *table, uint64_t key, uint32_t rule, uint32_t frame)
{
    uint64_t mask = ~(uint64_t)0 >> table->shift;
    uint64_t at = mp_code_hash(key, table->shift);

    while (table->entries[at].key != 0)
        at = (at + 1) & mask;
    table->entries[at].rule = rule;
    table->entries[at].frame = frame;
    __atomic_store_n(&table->entries[at].key, key, __ATOMIC_RELEASE);
    table->used++;
    return &table->entries[at];
}

/* The key under which FRAME stands, or stood until its code was unloaded. */
static uint64_t
key_of(uint32_t frame)
{
    const struct mp_live_frame *record = &mp_store.frames[frame];

    return record->ip | (record->flags & MP_LIVE_FRAME_SIGNAL ? MP_KEY_EXACT : 0);
}

/* Into a larger table; what is dead keeps its place, so that it can come back. */
static void
move(struct mp_code_table *table, const struct mp_code *code)
{
    struct mp_code *moved = insert(table, key_of(code->frame), code->rule, code->frame);

    if (code->key == MP_KEY_DEAD)
        moved->key = MP_KEY_DEAD;
}

/* Room for one more, at most two thirds full; false if there is no memory. */
static bool
make_room(void)
{
    struct mp_code_table *old = mp_code_table, *table;
    uint64_t entries = (uint64_t)1 << (64 - old->shift);

    if ((old->used + 1) * 3 < entries * 2)
        return true;
    if (64 - old->shift >= MOST_BITS || !(table = new_table(64 - old->shift + 1)))
        return false;
    for (uint64_t i = 0; i < entries; i++)
        if (old->entries[i].key != 0)
            move(table, &old->entries[i]);
    __atomic_store_n(&mp_code_table, table, __ATOMIC_RELEASE);
    return true;
}

static const struct mp_code *
find_present(uint64_t key)
{
    struct mp_code_table *table = mp_code_table;
    uint64_t mask = ~(uint64_t)0 >> table->shift;

    for (uint64_t at = mp_code_hash(key, table->shift); table->entries[at].key != 0;
         at = (at + 1) & mask)
        if (table->entries[at].key == key)
            return &table->entries[at];
    return NULL;
}

static uint32_t
find_rule(uint64_t key, const struct mp_code_place *place)
{
#ifdef MP_HAVE_RULES
    uint64_t pc = key & MP_KEY_EXACT ? key & ~MP_KEY_EXACT : key - 1;
    uint32_t rule = place->object.eh_frame_hdr ? mp_rule_find(&place->object, pc)
                                               : MP_RULE_MISSING;

    /* libc and the loader leave out on purpose what has no caller: __start_context, _dl_start. */
    return rule == MP_RULE_MISSING && place->libc ? MP_RULE_END : rule;
#else
    (void)key, (void)place;
    return 0;
#endif
}

static const struct mp_code *
add(uint64_t key)
{
    uint64_t ip = key & ~MP_KEY_EXACT;
    struct mp_code_place place;
    struct mp_live_frame *record;
    uint32_t frame, rule;

    const struct mp_code *back;

    mp_module_find(key & MP_KEY_EXACT ? ip : ip - 1, &place);
    if ((back = find_present(key)))
        return back;                    /* with its module */
    if (!make_room() || !(frame = mp_store_take(MP_EXT_FRAMES, 1)))
        return &no_memory;
    rule = find_rule(key, &place);
    record = &mp_store.frames[frame];
    record->ip = ip;
    record->module = place.module;
    __atomic_store_n(&record->flags,
                     MP_LIVE_FRAME_VALID | (key & MP_KEY_EXACT ? MP_LIVE_FRAME_SIGNAL : 0),
                     __ATOMIC_RELEASE);
    return insert(mp_code_table, key, rule, frame);
}

MP_COLD const struct mp_code *
mp_frame_add(uint64_t key)
{
    const struct mp_code *code;
    struct mp_gate_hold hold;

    mp_gate_lock(&hold);
    code = find_present(key);           /* another thread may have been faster */
    if (!code)
        code = add(key);
    mp_gate_unlock(&hold);
    return code;
}

/* Make the entries of MODULE findable, or hide them. */
static void
revive(uint32_t module, bool alive)
{
    struct mp_code_table *table = mp_code_table;
    uint64_t entries = (uint64_t)1 << (64 - table->shift);

    for (uint64_t i = 0; i < entries; i++) {
        struct mp_code *code = &table->entries[i];

        if (code->key != 0 && mp_store.frames[code->frame].module == module)
            __atomic_store_n(&code->key, alive ? key_of(code->frame) : MP_KEY_DEAD,
                             __ATOMIC_RELEASE);
    }
}

static void
come_back(uint32_t module)
{
    revive(module, true);
}

void
mp_frame_forget(uint32_t module)
{
    revive(module, false);
}

int
mp_frame_reset(void)
{
    struct mp_code_table *table = new_table(FIRST_BITS);

    if (!table || mp_store_take(MP_EXT_FRAMES, MP_FRAME_FIRST) == 0)
        return -ENOMEM;
    __atomic_store_n(&mp_code_table, table, __ATOMIC_RELEASE);
    mp_module_on_return(come_back);
    return 0;
}
