#include "code_table.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "module.h"
#include "rule.h"
#include "runtime/language/name.h"
#include "runtime/store/store.h"
#include "runtime/store/store_past.h"
#include "runtime/system/sys.h"
#include "startup.h"

#define FIRST_BITS 11u          /* 2048 entries, 32 KiB */
#define MOST_BITS  24u

struct mp_code_table *mp_code_table;    /* there before the first lookup: mp_code_reset() */

/* For an address that could not be recorded: the chain is cut there. */
static const struct mp_code no_memory = { .rule = MP_RULE_MISSING, .frame = MP_FRAME_CUT_MEMORY };

/* Tables of files that somebody may still read in, and others, which are empty.  They stay mapped:
 * is_present() looks into one without holding anything. */
static struct mp_code_table *tables, *unused;

static size_t
size_of(unsigned shift)
{
    return sizeof(struct mp_code_table) + (sizeof(struct mp_code) << (64 - shift));
}

static struct mp_code_table *
take_unused(unsigned shift)
{
    struct mp_code_table **link = &unused, *table;

    while (*link && (*link)->shift != shift)
        link = &(*link)->next;
    table = *link;
    if (table)
        *link = table->next;
    return table;
}

static struct mp_code_table *
new_table(unsigned bits)
{
    struct mp_code_table *table = take_unused(64 - bits);

    if (!table && !(table = mp_sys_map(size_of(64 - bits))))
        return NULL;
    table->shift = 64 - bits;
    table->file = mp_past_present();
    table->next = tables;
    tables = table;
    return table;
}

/* Give its memory back, but for the page that says how large it is. */
static void
empty(struct mp_code_table *table)
{
    size_t page = getauxval(AT_PAGESZ), size = size_of(table->shift);
    size_t begin = (char *)table->entries - (char *)table;

    if (size <= page || mp_sys_madvise((char *)table + page, size - page, MADV_DONTNEED) == 0)
        size = size < page ? size : page;
    memset(table->entries, 0, size - begin);
    table->used = 0;
}

static void
give_up_tables(void)
{
    struct mp_code_table **link = &tables, *table;

    while ((table = *link)) {
        if (mp_past_is_there(table->file)) {
            link = &table->next;
            continue;
        }
        *link = table->next;
        empty(table);
        table->next = unused;
        unused = table;
    }
}

static struct mp_code *
insert(struct mp_code_table *table, uint64_t key, uint32_t rule, uint32_t frame)
{
    uint64_t mask = ~(uint64_t)0 >> table->shift;
    uint64_t at = mp_hash(key, table->shift);

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

    return record->ip | (record->flags & MP_LIVE_FRAME_SIGNAL ? MP_KEY_EXACT : 0) |
           (record->flags & MP_LIVE_FRAME_INTERPRETED ? MP_KEY_INTERPRETED : 0);
}

/* Into a larger table; code that was unloaded keeps its place, so that it can come back. */
static void
move(struct mp_code_table *table, const struct mp_code *code)
{
    bool dead = code->key == MP_KEY_DEAD;
    struct mp_code *moved;

    if (dead && mp_store.frames[code->frame].flags & MP_LIVE_FRAME_INTERPRETED)
        return;
    moved = insert(table, key_of(code->frame), code->rule, code->frame);
    if (dead)
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

static struct mp_code *
find_present(uint64_t key)
{
    struct mp_code_table *table = mp_code_table;
    uint64_t mask = ~(uint64_t)0 >> table->shift;

    for (uint64_t at = mp_hash(key, table->shift); table->entries[at].key != 0;
         at = (at + 1) & mask)
        if (table->entries[at].key == key)
            return &table->entries[at];
    return NULL;
}

/* The rule for KEY, and where its function starts, 0 not known. */
static uint32_t
find_rule(uint64_t key, const struct mp_code_place *place, uintptr_t *start)
{
    *start = 0;
#ifdef MP_HAVE_RULES
    uint64_t pc = key & MP_KEY_EXACT ? key & ~MP_KEY_EXACT : key - 1;
    uint32_t rule = place->object.eh_frame_hdr ? mp_rule_find(&place->object, pc, start)
                                               : MP_RULE_MISSING;

    if (mp_code_in_interpreter(pc) &&
        (mp_rule_kind(rule) == MP_RULE_SP || mp_rule_kind(rule) == MP_RULE_FP))
        return rule | MP_RULE_INTERPRETER;
    if (rule == MP_RULE_MISSING && !(key & MP_KEY_EXACT))
        rule = mp_startup_rule(key);
    /* libc and the loader leave out on purpose what has no caller: __start_context, _dl_start. */
    return rule == MP_RULE_MISSING && place->libc ? MP_RULE_END : rule;
#else
    (void)key, (void)place;
    return 0;
#endif
}

/* A record of IP, and its entry under KEY. */
static const struct mp_code *
put(uint64_t key, uint64_t ip, uint32_t module, uint32_t flags, uint32_t rule, uintptr_t start)
{
    uint32_t frame = make_room() ? mp_store_take(MP_EXT_FRAMES, 1) : 0, name = 0;
    struct mp_live_frame *record = &mp_store.frames[frame];

    if (!frame)
        return &no_memory;
    if (mp_language) {
        name = mp_name_for_frame(start, frame, module);
        if (mp_name_is_runtime(ip))
            flags |= MP_LIVE_FRAME_RUNTIME;
    }
    mp_store.frame_starts[frame] = start;
    record->ip = ip;
    record->module = module;
    __atomic_store_n(&record->flags, MP_LIVE_FRAME_VALID | flags | name << MP_LIVE_FRAME_NAME_SHIFT,
                     __ATOMIC_RELEASE);
    return insert(mp_code_table, key, rule, frame);
}

static const struct mp_code *
add(uint64_t key)
{
    uint64_t ip = key & ~MP_KEY_EXACT;
    struct mp_code_place place;
    const struct mp_code *back;
    uintptr_t start;
    uint32_t rule;

    mp_module_find(key & MP_KEY_EXACT ? ip : ip - 1, &place);
    if ((back = find_present(key)))
        return back;                    /* with its module */
    if (place.object.start && !place.module)
        return &no_memory;              /* nobody would notice that it is unloaded */
    rule = find_rule(key, &place, &start);
    return put(key, ip, place.module, key & MP_KEY_EXACT ? MP_LIVE_FRAME_SIGNAL : 0, rule, start);
}

/* ------------------------------------------------------------------ interpreted functions */

static uintptr_t word_distances[MP_INTERPRETERS];       /* 0: not known */

/* Frames of functions that are gone, by a hash of their names.  A form that is evaluated over and over
 * is another object each time: it gets its old frame back. */
#define SPARE 1024u
static struct spare {
    uint64_t name;              /* 0: free */
    uint32_t frame;
} spare_frames[SPARE];

static uint64_t
hash_text(uint64_t hash, const char *text)
{
    for (; text && *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash * 0x100000001b3u;
}

/* Never 0, and no address of code. */
static uint64_t
hash_name(const struct mp_function_name *name)
{
    uint64_t hash = hash_text(0xcbf29ce484222325u, name->name);

    return (hash_text(hash, name->file) ^ (uint64_t)name->position) | (uint64_t)1 << 63;
}

static void
spare(uint32_t frame)
{
    uint64_t name = mp_store.frame_starts[frame];

    spare_frames[name % SPARE] = (struct spare){ name, frame };
}

/* The entry that FRAME had under KEY, if it still has its place. */
static struct mp_code *
find_dead(uint64_t key, uint32_t frame)
{
    struct mp_code_table *table = mp_code_table;
    uint64_t mask = ~(uint64_t)0 >> table->shift;

    for (uint64_t at = mp_hash(key, table->shift); table->entries[at].key != 0;
         at = (at + 1) & mask)
        if (table->entries[at].key == MP_KEY_DEAD && table->entries[at].frame == frame)
            return &table->entries[at];
    return NULL;
}

/* A frame that stood for a function with the same name stands for FUNCTION now; NULL: there is none. */
static const struct mp_code *
put_spare(uint64_t key, uintptr_t function, uint64_t name)
{
    struct spare *place = &spare_frames[name % SPARE];
    uint32_t frame = place->frame;
    struct mp_code *code;

    if (place->name != name || !make_room())
        return NULL;
    place->name = 0;
    code = find_dead(key, frame);
    mp_store.frames[frame].ip = function;
    if (!code)
        return insert(mp_code_table, key, MP_RULE_END, frame);
    __atomic_store_n(&code->key, key, __ATOMIC_RELEASE);
    return code;
}

static const struct mp_code *
add_interpreted(uint64_t key)
{
    const uintptr_t function = key & ~MP_KEY_INTERPRETED;
    struct mp_function_name name = { "", NULL, -1, 0, 0 };
    const struct mp_code *code;
    char room[512];
    uint64_t hash;
    uint32_t id;

    mp_language->settle();
    mp_language->describe(function, &name, room, sizeof room);
    hash = hash_name(&name);
    code = put_spare(key, function, hash);
    if (code)
        return code;
    id = mp_name_record(&name);
    code = put(key, function, 0, MP_LIVE_FRAME_INTERPRETED | id << MP_LIVE_FRAME_NAME_SHIFT,
               MP_RULE_END, 0);
    if (code->frame >= MP_FRAME_FIRST)
        mp_store.frame_starts[code->frame] = hash;
    return code;
}

#define THREAD (MP_LIVE_FRAME_INTERPRETED | MP_LIVE_FRAME_SIGNAL)

uint32_t
mp_code_of_thread(const char *text)
{
    const struct mp_function_name name = { text, NULL, -1, 0, 0 };
    uint64_t number = hash_name(&name) & ~(MP_KEY_EXACT | MP_KEY_INTERPRETED);
    uint64_t key = number | MP_KEY_EXACT | MP_KEY_INTERPRETED;
    const struct mp_code *code;
    struct mp_gate_hold hold;

    code = mp_gate_lock(&hold) ? find_present(key) : &no_memory;
    if (!code)
        code = put(key, number, 0,
                   THREAD | mp_name_record(&name) << MP_LIVE_FRAME_NAME_SHIFT, MP_RULE_END, 0);
    mp_gate_unlock(&hold);
    return code->frame >= MP_FRAME_FIRST ? code->frame : 0;
}

bool
mp_code_is_thread(uint32_t frame)
{
    return frame >= MP_FRAME_FIRST && (mp_store.frames[frame].flags & THREAD) == THREAD;
}

static void
forget(struct mp_code *code)
{
    __atomic_store_n(&code->key, MP_KEY_DEAD, __ATOMIC_RELEASE);
    spare(code->frame);
}

/* Without the lock. */
static bool
is_present(uint64_t key)
{
    const struct mp_code_table *table = __atomic_load_n(&mp_code_table, __ATOMIC_ACQUIRE);
    uint64_t at, mask, found;

    if (!table)
        return false;
    mask = ~(uint64_t)0 >> table->shift;
    for (at = mp_hash(key, table->shift);; at = (at + 1) & mask) {
        found = __atomic_load_n(&table->entries[at].key, __ATOMIC_ACQUIRE);
        if (found == key || found == 0)
            return found == key;
    }
}

void
mp_code_forget_function(uintptr_t function)
{
    const uint64_t key = function | MP_KEY_INTERPRETED;
    struct mp_gate_hold hold;
    struct mp_code *code;

    if (!is_present(key))
        return;
    code = mp_gate_lock(&hold) ? find_present(key) : NULL;
    if (code) {
        forget(code);
        mp_gate_raise();
    }
    mp_gate_unlock(&hold);
}

/* Which interpreter IP is in; MP_INTERPRETERS: none. */
static unsigned
interpreter_of(uintptr_t ip)
{
    unsigned i = 0;

    while (i < MP_INTERPRETERS &&
           ip - mp_language->interpreters[i].start >= mp_language->interpreters[i].size)
        i++;
    return i;
}

bool
mp_code_in_interpreter(uintptr_t ip)
{
    return mp_language && interpreter_of(ip) < MP_INTERPRETERS;
}

uintptr_t
mp_code_word_distance(uintptr_t ip)
{
    unsigned i = interpreter_of(ip);

    return i < MP_INTERPRETERS ? word_distances[i] : 0;
}

uint64_t
mp_code_interpreted(uintptr_t ip, uintptr_t sp, uintptr_t cfa)
{
    unsigned i = interpreter_of(ip);
    uintptr_t word;

    if (i == MP_INTERPRETERS)
        return 0;
    if (!word_distances[i] && (word = mp_language->interpreters[i].function_word(sp, cfa)))
        word_distances[i] = cfa - word;
    if (!word_distances[i])
        return 0;
    return *(const uintptr_t *)(cfa - word_distances[i]) | MP_KEY_INTERPRETED;
}

bool
mp_code_forget_dead(bool (*marked)(const void *object))
{
    struct mp_code_table *table = mp_code_table;
    uint64_t entries = (uint64_t)1 << (64 - table->shift);
    bool some = false;

    for (uint64_t i = 0; i < entries; i++) {
        struct mp_code *code = &table->entries[i];

        if (code->key != MP_KEY_DEAD && code->key & MP_KEY_INTERPRETED &&
            !(code->key & MP_KEY_EXACT) &&
            !marked((const void *)(uintptr_t)(code->key & ~MP_KEY_INTERPRETED))) {
            forget(code);
            some = true;
        }
    }
    return some;
}

MP_COLD const struct mp_code *
mp_code_add(uint64_t key, bool interpreted)
{
    const struct mp_code *code;
    struct mp_gate_hold hold;

    if (!interpreted)
        key = mp_code_address(key);
    /* Another thread may have been faster. */
    code = mp_gate_lock(&hold) ? find_present(key) : &no_memory;
    if (!code)
        code = interpreted ? add_interpreted(key) : add(key);
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

/* There is an object now where code was generated before: what was said of it is of the past. */
static void
forget_generated(uintptr_t start, uintptr_t end)
{
    struct mp_code_table *table = mp_code_table;
    uint64_t entries = (uint64_t)1 << (64 - table->shift);
    bool some = false;

    for (uint64_t i = 0; i < entries; i++) {
        struct mp_code *code = &table->entries[i];
        const struct mp_live_frame *frame = &mp_store.frames[code->frame];

        if (code->key != 0 && code->key != MP_KEY_DEAD && code->frame >= MP_FRAME_FIRST &&
            frame->module == 0 && !(frame->flags & MP_LIVE_FRAME_INTERPRETED) &&
            frame->ip - start < end - start) {
            __atomic_store_n(&code->key, MP_KEY_DEAD, __ATOMIC_RELEASE);
            some = true;
        }
    }
    if (some)
        mp_gate_raise();                /* remembered chains hold them */
}

bool
mp_code_is_signal_return(uint64_t key)
{
#ifdef MP_HAVE_RULES
    return mp_rule_kind(mp_code_find(key)->rule) == MP_RULE_SIGNAL;
#else
    return mp_machine_is_signal_return(key);
#endif
}

bool
mp_code_look_again(uint64_t key)
{
    const struct mp_code *code = mp_code_find(key);
    uint64_t pc = key & MP_KEY_EXACT ? key & ~MP_KEY_EXACT : key - 1;
    struct mp_eh_object object;
    struct mp_gate_hold hold;

    if (code->frame < MP_FRAME_FIRST || mp_store.frames[code->frame].module != 0 ||
        !mp_module_tables(pc, &object))
        return false;
    if (mp_gate_lock(&hold))
        forget_generated((uintptr_t)object.start, (uintptr_t)object.end);
    mp_gate_unlock(&hold);
    return true;
}

static void
come_back(uint32_t module)
{
    revive(module, true);
}

void
mp_code_forget(uint32_t module)
{
    revive(module, false);
    if (mp_language)
        mp_name_forget(mp_store.modules[module].start, mp_store.modules[module].end);
}

int
mp_code_reset(void)
{
    struct mp_code_table *table;

    give_up_tables();
    table = new_table(FIRST_BITS);
    if (!table || mp_store_take(MP_EXT_FRAMES, MP_FRAME_FIRST) == 0)
        return -ENOMEM;
    mp_name_reset();
    for (unsigned i = 0; i < SPARE; i++)
        spare_frames[i].name = 0;
    __atomic_store_n(&mp_code_table, table, __ATOMIC_RELEASE);
    mp_module_tell(forget_generated, come_back);
    return 0;
}
