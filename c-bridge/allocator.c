/* SPDX-License-Identifier: MIT */
#include "allocator.h"

#include <malloc.h>
#include <string.h>

#include "next.h"
#include "runtime/monitor.h"
#include "runtime/session/session.h"
#include "runtime/system/sandbox.h"
#include "runtime/system/sys.h"

#if __GLIBC_PREREQ(2, 33)

static struct mallinfo2 (*ask)(void);   /* NULL if the allocator is not glibc's or is too old */
static long process;                    /* process in which `ask` may be called; the child of a clone() or _Fork()
                                           may have copied locks that nobody there will release */

void
mp_allocator_open(void)
{
    const uint32_t saved = mp_monitor_pause();
    void *symbol = mp_next_is_glibc() ? mp_next_symbol("mallinfo2") : NULL;

    if (symbol && mp_next_defines(symbol))
        memcpy(&ask, &symbol, sizeof ask);
    mp_monitor_resume(saved);
    mp_allocator_forked_child();
}

void
mp_allocator_forked_child(void)
{
    if (ask)
        process = mp_sys_getpid();
}

static void
note(void)
{
    const struct mallinfo2 info = ask();
    const struct mp_live_allocator figures = {
        .held = info.arena + info.hblkhd, .mapped = info.hblkhd, .free = info.fordblks};

    mp_session_allocator(&figures);
}

void
mp_allocator_note(const void *hook_frame)
{
    if (!ask || !mp_sandbox_enter())
        return;
    if (mp_sys_getpid() == process && mp_session_may_ask(hook_frame))
        note();
    mp_sandbox_leave();
}

#else

void
mp_allocator_open(void)
{
}

void
mp_allocator_forked_child(void)
{
}

void
mp_allocator_note(const void *hook_frame)
{
    (void)hook_frame;
}

#endif
