/* SPDX-License-Identifier: MIT */
#include "monitor.h"

#include <string.h>

#include "runtime/decimal.h"
#include "runtime/record/block_trim.h"
#include "runtime/session/session.h"
#include "runtime/session/session_file.h"
#include "runtime/store/store.h"
#include "runtime/store/store_rows.h"
#include "runtime/system/diag.h"
#include "runtime/system/gate.h"
#include "runtime/system/handed.h"
#include "runtime/system/kernel.h"
#include "runtime/system/options.h"
#include "runtime/system/runner.h"
#include "runtime/system/sandbox.h"
#include "runtime/system/sandbox_shut.h"
#include "runtime/system/thread.h"
#include "runtime/unwind/chain.h"

void
mp_monitor_shut_done(bool failed)
{
    if (failed)
        mp_session_shut_failed();
    mp_sandbox_settled();
}

void
mp_monitor_no_clock(void)
{
#ifdef MP_HAVE_RULES
    mp_deep_no_clock();
#endif
}

long
mp_monitor_call(long number, long a, long b, long c, long d, long e, long f)
{
    return mp_kernel_call(number, a, b, c, d, e, f);
}

void
mp_monitor_limit(uint64_t bytes)
{
    struct mp_gate_hold hold;

    if (mp_gate_lock(&hold) && !mp_sandbox_is_shut())
        mp_rows_limit(bytes);
    mp_gate_unlock(&hold);
}

int
mp_monitor_descriptor(void)
{
    return mp_store_number();
}

int
mp_monitor_next_descriptor(unsigned first, unsigned last)
{
    const int numbers[] = { mp_store_number(), mp_runner_descriptor() };
    int next = -1;

    for (int i = 0; i < 2; i++)
        if (numbers[i] >= 0 && first <= (unsigned)numbers[i] && (unsigned)numbers[i] <= last &&
            (next < 0 || numbers[i] < next) && (i == 0 ? mp_store_is_open() : mp_runner_is_open()))
            next = numbers[i];
    return next;
}

/* Does nothing in the child of a vfork, which shares its parent's memory but not its descriptors. */
void
mp_monitor_move_descriptor(void)
{
    struct mp_gate_hold hold;

    if (mp_gate_lock(&hold) && mp_session_is_ours())
        mp_store_move();
    mp_gate_unlock(&hold);
}

void
mp_monitor_trimmed(void)
{
    mp_trim_now();
}

bool
mp_monitor_follows(void)
{
    return mp_options.follow == MP_FOLLOW_ALL && !mp_sandbox_is_shut();
}

bool
mp_monitor_follows_exec(void)
{
    return mp_monitor_follows() || (mp_options.follow == MP_FOLLOW_EXEC && !mp_sandbox_is_shut() &&
                                    mp_options.pid == (uint32_t)mp_sys_getpid());
}

const char *
mp_monitor_executed(void)
{
    static char entry[16 + MP_DECIMAL_SIZE] = "MPROF_FOLLOW=4.";
    char digits[MP_DECIMAL_SIZE];

    strcpy(entry + strlen("MPROF_FOLLOW=4."), mp_decimal(mp_options.pid, digits));
    return entry;
}

bool
mp_monitor_can_begin(void)
{
    return mp_session_can_make_file(mp_options.file);
}

void
mp_monitor_pass_on(void)
{
    mp_runner_pass_on();
}

int
mp_monitor_begin(const char *file, unsigned depth, bool fold, uint32_t sample)
{
    int result;

    mp_diag_quiet++;
    result = mp_session_begin(file, depth, fold, sample);
    mp_diag_quiet--;
    return result;
}

const char *
mp_monitor_file(void)
{
    return mp_store_path();
}

uint32_t
mp_monitor_pause(void)
{
    return mp_pause(&mp_thread);
}

void
mp_monitor_resume(uint32_t saved)
{
    mp_resume(&mp_thread, saved);
}

void
mp_monitor_locked(void (*what)(void *data), void *data)
{
    struct mp_gate_hold hold;

    if (mp_gate_lock(&hold))
        what(data);
    mp_gate_unlock(&hold);
}

static void
hand_over(void *data)
{
    struct mp_code_file ignored;

    mp_hand_over(data, &ignored);
}

void
mp_monitor_opens(const char *path)
{
    if (mp_options.run_id[0])
        mp_monitor_locked(hand_over, (void *)(uintptr_t)path);
}
