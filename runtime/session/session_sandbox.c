/* SPDX-License-Identifier: MIT */
/*
 * session_sandbox.c -- prepares the session of a process that installs a seccomp filter (sandbox.h).
 */
#include "session.h"

#include <sys/syscall.h>

#include "activation.h"
#include "call_filter.h"
#include "runtime/store/store.h"
#include "runtime/system/sandbox.h"
#include "runtime/system/sandbox_shut.h"
#include "runtime/system/sys.h"
#include "session_file.h"
#include "session_state.h"

static void
count_shut(uint32_t more)
{
    struct mp_live_header *family = mp_session_family();

    if (family)
        __atomic_add_fetch(&family->processes_shut, more, __ATOMIC_RELAXED);
}

/* State of the process while the child of a vfork, which runs in its parent's memory (LENT), installs a filter. The
 * filter concerns only the child. So system calls must be allowed again (LENT_OPENED) when the child executes a program
 * or ends and the parent continues. */
static enum { NOT_LENT, LENT, LENT_OPENED } memory;

static bool
memory_is_lent(void)
{
    return mp_gate_is_ours() && mp_store.header &&
           mp_store.header->pid != (uint32_t)mp_sys_getpid();
}

void
mp_session_shut_lent(bool again)
{
    if (again && memory == LENT_OPENED) {
        mp_sandbox_shut_again();
        memory = LENT;
    } else if (!again && memory == LENT) {
        mp_sandbox_open_again();
        memory = LENT_OPENED;
    } else {
        memory = NOT_LENT;
    }
}

bool
mp_session_shut(const void *frame, const void *filter)
{
    struct mp_gate_hold hold;
    bool lent = false;

    if (filter && !mp_filter_allows(filter, __NR_rt_sigreturn))
        mp_sandbox.no_return = true;

    if (!mp_sandbox_is_shut()) {
        mp_activation_begin(frame);     /* because the process could not make a file later */
        if (mp_gate_lock(&hold) && mp_session_active() && mp_session_is_ours())
            mp_store_reserve();
        lent = memory_is_lent();
        mp_gate_unlock(&hold);
    }
    if (!mp_sandbox_shut())
        return false;
    memory = lent ? LENT : NOT_LENT;
    if (!lent)
        count_shut(1);
    return true;
}

void
mp_session_shut_failed(void)
{
    mp_sandbox.no_return = false;
    mp_sandbox_open_again();
    if (memory == NOT_LENT)
        count_shut((uint32_t)-1);
    memory = NOT_LENT;
}
