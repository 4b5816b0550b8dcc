/*
 * form.c -- where the forms lie that were recorded: the chains of what they allocate begin, for who
 * reads them, inside of these contexts.
 */
#include "heap.h"
#include "runtime/monitor.h"
#include "runtime/session/session.h"
#include "runtime/store/store.h"
#include "runtime/system/gate.h"
#include "runtime/unwind/chain.h"
#include "runtime/unwind/module.h"

/* Code by which a form is entered: that of the module which calls us, as the frame OWN, and of the
 * runtime between it and the form. */
static bool
is_entrance(const struct mp_live_frame *frame, const struct mp_live_frame *own)
{
    if (frame->flags & MP_LIVE_FRAME_INTERPRETED)
        return false;
    return frame->flags & MP_LIVE_FRAME_RUNTIME || mp_module_same(frame->ip, own->ip);
}

/* The caller of the function that the form stands in; 0: there is none, or it is not known. */
static uint32_t
way_to_form(uint32_t context)
{
    const struct mp_live_context *contexts = mp_store.contexts;
    const struct mp_live_frame *own = &mp_store.frames[contexts[context].frame];

    while (context && contexts[context].frame >= MP_FRAME_FIRST &&
           is_entrance(&mp_store.frames[contexts[context].frame], own))
        context = contexts[context].parent;
    if (!context || contexts[context].frame < MP_FRAME_FIRST)
        return 0;
    context = contexts[context].parent;
    return contexts[context].frame < MP_FRAME_FIRST ? 0 : context;
}

/* Lock held. */
static void
note(struct mp_live_header *header, uint32_t context)
{
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
        mp_heap_find_root(recorder);
    context = mp_chain_capture(recorder, hook_frame);
    if (context)
        context = way_to_form(context);
    if (context) {
        mp_gate_lock(&hold);
        if (mp_recorder_is_current(recorder))
            note(recorder->header, context);
        mp_gate_unlock(&hold);
    }
    mp_leave(self, recorder);
}
