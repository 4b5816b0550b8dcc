#include "recording.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/record/counter.h"
#include "runtime/sizeclass.h"
#include "runtime/store/store.h"
#include "runtime/system/gate.h"

struct mp_recorder *sole_recorder;

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

void
begin_sole(void)
{
    begin_recording();
    sole_recorder = take_recorder(true);
}

uint32_t
count_block(uint32_t context, size_t size)
{
    uint32_t id = mp_counter_cell(sole_recorder, context, mp_sizeclass(size), size);

    ck_assert_uint_ne(context, 0);
    ck_assert_uint_ne(id, 0);
    mp_counter_alloc(sole_recorder, id, size);
    return id;
}
/* SPDX-License-Identifier: MIT */
