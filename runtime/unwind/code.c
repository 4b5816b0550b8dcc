/* SPDX-License-Identifier: MIT */
#include "code.h"

#include <sys/auxv.h>

#include "code_language.h"
#include "machine.h"
#include "module.h"
#include "rule.h"
#include "runtime/language/name.h"
#include "runtime/store/store.h"
#include "runtime/system/gate.h"
#include "runtime/system/options.h"
#include "startup.h"

#define FIRST_FUNCTION 64u              /* bytes of the function in which a program starts, at most */

#ifdef MP_HAVE_RULES
/* Returns the rule for the code at PC, which has no tables in memory. Without tables in the file, it is a
 * guess. libunwind does not know either. */
static uint32_t
find_elsewhere(uintptr_t pc, uintptr_t *start)
{
    struct mp_eh_object object;
    uint32_t rule = MP_RULE_MISSING;

    if (mp_options.unwinder == MP_UNWIND_LIBUNWIND)
        return MP_RULE_MISSING;
    if (mp_module_debug_tables(pc, &object))
        rule = mp_rule_find(&object, pc, start);
    return rule == MP_RULE_MISSING ? mp_startup_guess(pc) : rule;
}
#endif

/* Returns the rule for KEY. Sets *START to the start of its function, or to 0 if that is unknown. */
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
    if (rule == MP_RULE_MISSING && place->libc && mp_startup_is_first(key & ~MP_KEY_EXACT, place->program))
        return MP_RULE_END | MP_RULE_LEFT_OUT;
    return rule == MP_RULE_MISSING && place->module ? find_elsewhere(pc, start) : rule;
#else
    (void)key, (void)place;
    return 0;
#endif
}

/* Returns flags for RECORD, which describes FRAME. They are the language's name for its function, which starts at
 * START, and whether the code belongs to the language's runtime. */
static uint32_t
ask_language(uint32_t frame, uintptr_t start, const struct mp_live_frame *record)
{
    uint32_t name = mp_name_for_frame(start, frame, record->module);

    return name << MP_LIVE_FRAME_NAME_SHIFT |
           (mp_name_is_runtime(record->ip) ? MP_LIVE_FRAME_RUNTIME : 0);
}

static const struct mp_code *
add(uint64_t key)
{
    struct mp_live_frame record = { .ip = key & ~MP_KEY_EXACT };
    struct mp_code_place place;
    const struct mp_code *back;
    uint32_t rule, frame;
    uintptr_t start;

    mp_module_find(key & MP_KEY_EXACT ? record.ip : record.ip - 1, &place);
    if ((back = mp_code_look_up(key)))
        return back;                    /* mp_module_find() has made it findable again with its module */
    if (place.object.start && !place.module)
        return &mp_code_no_memory;      /* such code is not recorded, because its unloading would not be noticed */
    rule = find_rule(key, &place, &start);
    if (!(frame = mp_code_table_new_frame()))
        return &mp_code_no_memory;
    record.module = place.module;
    record.flags = (key & MP_KEY_EXACT ? MP_LIVE_FRAME_SIGNAL : 0) |
                   (mp_rule_kind(rule) == MP_RULE_FP_UNPROVED && rule ? MP_LIVE_FRAME_UNPROVED : 0);
    if (mp_language)
        record.flags |= ask_language(frame, start, &record);
    mp_store.frame_starts[frame] = mp_module_is_own(record.ip - 1) ? MP_OWN_FUNCTION : start;
    return mp_code_table_put(key, rule, frame, &record);
}

MP_COLD const struct mp_code *
mp_code_add(uint64_t key, bool interpreted)
{
    const struct mp_code *code;
    struct mp_gate_hold hold;

    if (!interpreted)
        key = mp_code_address(key);
    /* Searches again under the lock, because another thread may have added the entry. */
    code = mp_gate_lock(&hold) ? mp_code_look_up(key) : &mp_code_no_memory;
    if (!code)
        code = interpreted ? mp_code_add_interpreted(key) : add(key);
    mp_gate_unlock(&hold);
    return code;
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
mp_code_is_outermost(uint64_t key)
{
#ifdef MP_HAVE_RULES
    return mp_rule_kind(mp_code_find(key)->rule) == MP_RULE_END;
#else
    return mp_module_is_libc(key - 1) || key - getauxval(AT_ENTRY) < FIRST_FUNCTION;
#endif
}

bool
mp_code_is_unknown(uint64_t key)
{
#ifdef MP_HAVE_RULES
    return mp_rule_kind(mp_code_find(key)->rule) == MP_RULE_MISSING;
#else
    (void)key;
    return false;
#endif
}

/* Forgets code that was generated between START and END, because an object is loaded there now. */
static void
forget_generated(uintptr_t start, uintptr_t end)
{
    if (mp_code_table_forget_generated(start, end))
        mp_gate_raise();                /* because remembered chains have its frames */
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

void
mp_code_forget(uint32_t module)
{
    MP_LOCK_HELD();
    mp_code_table_hide(module);
    if (mp_language)
        mp_name_forget(mp_store.modules[module].start, mp_store.modules[module].end);
}

int
mp_code_reset(void)
{
    MP_LOCK_HELD();
    int result = mp_code_table_reset();

    if (result == 0) {
        mp_name_reset();
        mp_code_language_reset();
        mp_module_tell(forget_generated, mp_code_table_show);
    }
    return result;
}
