#include "session_marks.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "activation.h"
#include "runtime/record/former.h"
#include "runtime/store/store.h"
#include "runtime/system/gate.h"
#include "runtime/system/sys.h"
#include "session.h"

#define MAX_NAME 256u           /* bytes */

/* Nothing but the recorder of the first allocation. */
static void
begin_session(const void *frame)
{
    struct mp_recorder *recorder = mp_enter(&mp_thread, frame);

    if (recorder)
        mp_leave(&mp_thread, recorder);
}

/* Is there room for what each cell had counted, if all that there are change after this checkpoint? */
static bool
can_be_followed(const struct mp_live_header *header)
{
    return (header->epoch & MP_EPOCH_MARKS) < MP_EPOCH_MARKS &&
           mp_store_taken(MP_EXT_FORMER) + (uint64_t)mp_store_taken(MP_EXT_CELLS) <= MP_FORMER_MOST;
}

/* A record that is not valid yet; NULL: no space. */
static struct mp_live_mark *
new_mark(const char *name)
{
    const size_t length = strnlen(name, MAX_NAME);
    const uint32_t id = mp_store_take_if_room(MP_EXT_MARKS, 1);
    struct mp_live_mark *mark = &mp_store.marks[id];

    if (!id)
        return NULL;
    mark->name = length ? mp_store_string_if_room(name, length) : 0;
    mark->tid = (uint32_t)mp_sys_gettid();
    mark->monotonic = mp_sys_clock(CLOCK_MONOTONIC);
    return mark;
}

/* The mark is valid before any cell is written down for it.  Lock held. */
static void
set_checkpoint(struct mp_live_header *header, const char *name)
{
    struct mp_live_mark *mark = can_be_followed(header) ? new_mark(name) : NULL;

    if (!mark) {
        header->checkpoints_left_out++;
        return;
    }
    mark->number = (uint32_t)(header->epoch & MP_EPOCH_MARKS) + 1;
    __atomic_store_n(&mark->kind, MP_MARK_CHECKPOINT, __ATOMIC_RELEASE);
    __atomic_add_fetch(&header->epoch, 1, __ATOMIC_SEQ_CST);
}

void
mp_session_checkpoint(const char *name, const void *frame)
{
    struct mp_gate_hold hold;

    if (mp_thread.held > 0) {           /* in the handler of a signal that cannot be blocked */
        if (mp_session_active())
            __atomic_add_fetch(&mp_store.header->checkpoints_left_out, 1, __ATOMIC_RELAXED);
        return;
    }
    if (!mp_session_active())
        begin_session(frame);
    if (!mp_session_active())
        return;
    if (mp_gate_lock(&hold) && mp_session_active())
        set_checkpoint(mp_store.header, name);
    mp_gate_unlock(&hold);
}
