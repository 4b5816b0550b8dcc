#include "form.h"

#include "heap.h"
#include "runtime/record/cct.h"
#include "runtime/session/activation.h"
#include "runtime/store/store.h"
#include "runtime/system/gate.h"
#include "runtime/unwind/chain.h"
#include "runtime/unwind/code_language.h"
#include "runtime/unwind/module.h"

/* Also forgets the remembered chains, because they begin without the root. */
MP_COLD void
mp_form_find_root(struct mp_recorder *recorder)
{
    char room[256];
    const char *name = mp_language->thread ? mp_language->thread(room, sizeof room) : "";
    uint32_t frame;

    if (!name)
        return;
    recorder->root_known = true;
    if (!*name || (frame = mp_code_of_thread(name)) == 0)
        return;
    mp_recorder_forget_chains(recorder);
    recorder->root = mp_cct_child(recorder, 0, frame);
}

/*
 * The functions below mark the contexts in which a recorded form is entered. For a reader, the chains of the form's
 * allocations begin at these contexts.
 */

/* Returns whether FRAME is code through which a form is entered. Such code belongs to the module that calls us,
 * like the frame OWN, or to the runtime. */
static bool
is_entrance(const struct mp_live_frame *frame, const struct mp_live_frame *own)
{
    if (frame->flags & MP_LIVE_FRAME_INTERPRETED)
        return false;
    return frame->flags & MP_LIVE_FRAME_RUNTIME || mp_module_same(frame->ip, own->ip);
}

/* Returns the context of the caller of the function that contains the form, or 0 if it is unknown. */
static uint32_t
way_to_form(uint32_t context)
{
    const struct mp_live_frame *own = &mp_store.frames[mp_cct_frame(context)];

    while (mp_cct_frame(context) >= MP_FRAME_FIRST &&
           is_entrance(&mp_store.frames[mp_cct_frame(context)], own))
        context = mp_cct_parent(context);
    if (mp_cct_frame(context) < MP_FRAME_FIRST)
        return 0;
    context = mp_cct_parent(context);
    return mp_cct_frame(context) < MP_FRAME_FIRST ? 0 : context;
}

/* Adds CONTEXT to the header's forms. */
static void
note(struct mp_live_header *header, uint32_t context)
{
    MP_LOCK_HELD();
    uint32_t n = header->n_forms;

    for (uint32_t i = 0; i < n; i++)
        if (header->forms[i] == context)
            return;
    if (n == MP_MAX_FORMS)
        return;
    header->forms[n] = context;
    __atomic_store_n(&header->n_forms, n + 1, __ATOMIC_RELEASE);
}

void
mp_heap_form(const void *hook_frame)
{
    struct mp_thread *self = &mp_thread;
    struct mp_recorder *recorder = mp_enter(self, hook_frame);
    struct mp_gate_hold hold;
    uint32_t context;

    if (!recorder)
        return;
    if (!recorder->root_known)
        mp_form_find_root(recorder);
    context = mp_chain_capture(recorder, hook_frame);
    if (context)
        context = way_to_form(context);
    if (context) {
        if (mp_gate_lock(&hold) && mp_recorder_is_current(recorder))
            note(recorder->header, context);
        mp_gate_unlock(&hold);
    }
    mp_chain_done(recorder);
    mp_leave(self, recorder);
}
