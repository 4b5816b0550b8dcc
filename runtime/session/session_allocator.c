/*
 * session_allocator.c -- stores the figures of the program's allocator at the end of the process.
 */
#include <fcntl.h>
#include <sys/auxv.h>

#include "nested.h"
#include "runtime/store/store.h"
#include "runtime/system/gate.h"
#include "runtime/system/options.h"
#include "runtime/system/sys.h"
#include "session.h"
#include "session_state.h"

bool
mp_session_wants_held(void)
{
    return mp_options.held;
}

/* Requires that no signal handler is running, because it may have interrupted the allocator. A jump out of the
 * allocator is not detected, but after one the program could not allocate either. */
bool
mp_session_may_ask(const void *frame)
{
    return mp_session_active() && mp_session_is_ours() &&
           mp_store.header->state == MP_STATE_RUNNING && mp_nested_is_alone_at((uintptr_t)frame);
}

/* Returns the resident bytes, from the second number of statm, or 0 if they are unknown. */
static uint64_t
resident(void)
{
    const long fd = mp_sys_open("/proc/self/statm", O_RDONLY | O_CLOEXEC, 0);
    char text[64] = "", *at = text;
    uint64_t pages = 0;

    if (fd < 0)
        return 0;
    mp_sys_read((int)fd, text, sizeof text - 1);
    mp_sys_close((int)fd);
    while (*at >= '0' && *at <= '9')
        at++;
    while (*at == ' ')
        at++;
    for (; *at >= '0' && *at <= '9'; at++)
        pages = pages * 10 + (uint64_t)(*at - '0');
    return pages * getauxval(AT_PAGESZ);
}

void
mp_session_allocator(const struct mp_live_allocator *figures)
{
    const uint64_t pages = resident();
    struct mp_gate_hold hold;

    if (mp_gate_lock(&hold) && mp_session_active() && mp_session_is_ours()) {
        mp_store.header->allocator = *figures;
        mp_store.header->allocator.resident = pages;
    }
    mp_gate_unlock(&hold);
}
