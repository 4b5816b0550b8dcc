#include "recording.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/record/counter.h"
#include "runtime/store/store.h"
#include "runtime/system/gate.h"

static void
nothing_inherited(void)
{
}

void
begin_recording(void)
{
    char path[64];

    if (!mp_gate_is_ours()) {
        ck_assert_int_eq(mp_gate_open(nothing_inherited), 0);
        mp_gate_raise();
    }
    snprintf(path, sizeof path, "/tmp/test-recording-%d", (int)getpid());
    ck_assert_int_eq(mp_store_create(path, 1), 0);
    unlink(path);
    mp_recorder_reset();
    mp_counter_reset();
}

struct mp_recorder *
take_recorder(bool sole)
{
    struct mp_recorder *recorder = mp_recorder_take(1);

    ck_assert_ptr_nonnull(recorder);
    mp_counter_set_sole(recorder, sole);
    return recorder;
}
