/* SPDX-License-Identifier: MIT */
#include "code_language.h"

#include "rule.h"
#include "stack_word.h"
#include "runtime/language/name.h"
#include "runtime/store/store.h"
#include "runtime/system/gate.h"

/* ------------------------------------------------------------------ interpreters */

static uintptr_t word_distances[MP_INTERPRETERS];       /* 0 if not known */

/* Returns the number of the interpreter that contains IP, or MP_INTERPRETERS if none does. */
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
    uint64_t function;

    if (i == MP_INTERPRETERS)
        return 0;
    if (!word_distances[i] && (word = mp_language->interpreters[i].function_word(sp, cfa)))
        word_distances[i] = cfa - word;
    if (!word_distances[i])
        return 0;
    function = mp_stack_load(cfa - word_distances[i]);
    return function ? function | MP_KEY_INTERPRETED : 0;
}

/* ------------------------------------------------------------------ frames to be used again */

/* Frames of interpreted functions that are gone, by a hash of the function's name. If a form is evaluated
 * repeatedly, it is a new object each time, but gets the same frame. Guarded by the lock. */
#define UNUSED_FRAMES 1024u
static struct unused_frame {
    uint64_t name;              /* 0 if there is none */
    uint32_t frame;
} unused_frames[UNUSED_FRAMES] MP_LARGE;
static bool any_unused;         /* false if all of them are zero */

static uint64_t
hash_text(uint64_t hash, const char *text)
{
    for (; text && *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash * 0x100000001b3u;
}

/* Returns a hash of NAME, which is never 0 or an address of code. mp_store.frame_starts[] contains it for frames of
 * interpreted functions. */
static uint64_t
hash_name(const struct mp_function_name *name)
{
    uint64_t hash = hash_text(0xcbf29ce484222325u, name->name);

    return (hash_text(hash, name->file) ^ (uint64_t)name->position) | (uint64_t)1 << 63;
}

static void
keep_unused(uint32_t frame)
{
    uint64_t name = mp_store.frame_starts[frame];

    unused_frames[name % UNUSED_FRAMES] = (struct unused_frame){ name, frame };
    any_unused = true;
}

/* Reuses, for FUNCTION, the frame of a dead function with the same NAME. Returns NULL if there is no such frame. */
static const struct mp_code *
use_again(uint64_t key, uintptr_t function, uint64_t name)
{
    struct unused_frame *unused = &unused_frames[name % UNUSED_FRAMES];
    const struct mp_code *code = unused->name == name
                                     ? mp_code_table_put_again(key, unused->frame, function) : NULL;

    if (code)
        unused->name = 0;
    return code;
}

/* ------------------------------------------------------------------ interpreted functions */

/* Makes a frame that is called NAME and has IP and FLAGS, and an entry for KEY that has no caller. */
static const struct mp_code *
put_named(uint64_t key, uintptr_t ip, uint32_t flags, const struct mp_function_name *name)
{
    struct mp_live_frame record = { .ip = ip };
    uint32_t id = mp_name_record(name), frame = mp_code_table_new_frame();

    if (!frame)
        return &mp_code_no_memory;
    record.flags = flags | id << MP_LIVE_FRAME_NAME_SHIFT;
    mp_store.frame_starts[frame] = flags & MP_LIVE_FRAME_SIGNAL ? 0 : hash_name(name);
    return mp_code_table_put(key, MP_RULE_END, frame, &record);
}

const struct mp_code *
mp_code_add_interpreted(uint64_t key)
{
    MP_LOCK_HELD();
    const uintptr_t function = key & ~MP_KEY_INTERPRETED;
    struct mp_function_name name = { "", NULL, -1, 0, 0 };
    const struct mp_code *code;
    char room[1024];            /* for a name and a file of 511 bytes each */

    mp_language->settle();
    mp_language->describe(function, &name, room, sizeof room);
    code = use_again(key, function, hash_name(&name));
    return code ? code : put_named(key, function, MP_LIVE_FRAME_INTERPRETED, &name);
}

bool
mp_code_forget_dead(bool (*alive)(const void *object))
{
    MP_LOCK_HELD();
    return mp_code_table_forget_dead(alive, keep_unused);
}

void
mp_code_forget_function(uintptr_t function)
{
    const uint64_t key = function | MP_KEY_INTERPRETED;
    struct mp_gate_hold hold;
    struct mp_code *code;

    if (!__atomic_load_n(&mp_code_table, __ATOMIC_ACQUIRE) || !mp_code_look_up(key))
        return;
    code = mp_gate_lock(&hold) ? mp_code_look_up(key) : NULL;
    if (code) {
        mp_code_table_forget(code);
        keep_unused(code->frame);
        mp_gate_raise();                /* because remembered chains have its frame */
    }
    mp_gate_unlock(&hold);
}

/* ------------------------------------------------------------------ threads */

#define THREAD (MP_LIVE_FRAME_INTERPRETED | MP_LIVE_FRAME_SIGNAL)

uint32_t
mp_code_of_thread(const char *text)
{
    const struct mp_function_name name = { text, NULL, -1, 0, 0 };
    uint64_t number = hash_name(&name) & ~(MP_KEY_EXACT | MP_KEY_INTERPRETED);
    uint64_t key = number | MP_KEY_EXACT | MP_KEY_INTERPRETED;
    const struct mp_code *code;
    struct mp_gate_hold hold;

    code = mp_gate_lock(&hold) ? mp_code_look_up(key) : &mp_code_no_memory;
    if (!code)
        code = put_named(key, number, THREAD, &name);
    mp_gate_unlock(&hold);
    return code->frame >= MP_FRAME_FIRST ? code->frame : 0;
}

bool
mp_code_is_thread(uint32_t frame)
{
    return frame >= MP_FRAME_FIRST && (mp_store.frames[frame].flags & THREAD) == THREAD;
}

void
mp_code_language_reset(void)
{
    MP_LOCK_HELD();
    for (unsigned i = 0; i < UNUSED_FRAMES && any_unused; i++)
        unused_frames[i].name = 0;
    any_unused = false;
}
