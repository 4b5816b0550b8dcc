/* SPDX-License-Identifier: MIT */
/*
 * libraries.c -- sees the allocations of libraries that are opened with RTLD_DEEPBIND, which would otherwise bypass
 * us.
 *
 * Names that such a library calls are looked up in itself and in the libraries that it is linked with, before the
 * program. Therefore its malloc is libc's and not ours. Removing the flag would change the program, because names
 * that the library shares with the program would then mean the program's. Instead, before the first such library is
 * opened, the definition of malloc in the object that we pass calls on to is redirected to our hook. The library's
 * calls, including those of its constructors, then come to us and go on to their original target. No other call of
 * the library is affected.
 *
 * A library that the program names by its path is noted before it is opened, because some programs remove it
 * immediately afterwards.
 *
 * dlopen() examines its caller, for the search path and for the directory of a relative name. Therefore the hook
 * ends in a jump, so that the caller is the program.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#include "exports.h"
#include "malloc_hooks.h"
#include "next.h"
#include "runtime/compiler.h"
#include "runtime/monitor.h"
#include "runtime/session/session.h"
#include "unbound.h"

#define HOOK MP_PUBLIC WITH_JUMPS

static struct {
    void *(*dlopen)(const char *, int);
    void *(*dlmopen)(Lmid_t, const char *, int);
} next;

static bool own_malloc;         /* whether the program has a malloc other than ours; then libraries must not get ours
                                   either */

static void
find_next(void)
{
    MP_NEXT_FUNCTION(next.dlopen, "dlopen");
    MP_NEXT_FUNCTION(next.dlmopen, "dlmopen");
}

void
mp_libraries_open(bool has_own_malloc)
{
    find_next();
    own_malloc = has_own_malloc;
}

/* The functions to which the hooks pass calls on. */
struct targets {
    const void *theirs[MP_MAX_HOOKS];
    bool all_led;
};

static bool
lead(const struct mp_hook *hook, const void *theirs)
{
    struct dl_find_object found;
    const void *ours;

    memcpy(&ours, &hook->function, sizeof ours);
    return !theirs || theirs == ours ||
           (_dl_find_object((void *)(uintptr_t)theirs, &found) == 0 &&
            mp_exports_redirect(found.dlfo_link_map, hook->name, theirs, ours));
}

/* Redirects all functions of DATA, a struct targets, to the hooks. Called under the monitor's lock, because it
 * makes pages writable for a while. Without the lock, a thread that is done with a page could make it read-only
 * while another thread still writes there. */
static void
lead_all(void *data)
{
    struct targets *targets = data;

    targets->all_led = true;
    for (unsigned i = 0; mp_hooks[i].name; i++)
        targets->all_led &= lead(&mp_hooks[i], targets->theirs[i]);
}

/* Makes libraries that look up malloc in libc find ours from now on. If a library finds another allocator than the
 * program's, it keeps that one, because neither allocator could free the blocks of the other. */
static MP_COLD void
expect_deep(void)
{
    struct targets targets = { .all_led = false };

    if (!mp_next_is_there())
        return;
    for (unsigned i = 0; mp_hooks[i].name; i++)
        targets.theirs[i] = mp_next_symbol(mp_hooks[i].name);
    mp_monitor_locked(lead_all, &targets);
    if (!targets.all_led || !mp_next_is_glibc())
        mp_session_not_seen(MP_MISS_LIBRARY);
}

static void
note(const char *file, int mode)
{
    if (file && strchr(file, '/') && !(mode & RTLD_NOLOAD))
        mp_monitor_opens(file);
}

HOOK void *
dlopen(const char *file, int mode)
{
    MP_PASS_UNBOUND(dlopen, file, mode);
    if (MP_UNLIKELY(!next.dlopen))
        find_next();
    note(file, mode);
    if (mode & RTLD_DEEPBIND && !(mode & RTLD_NOLOAD) && !own_malloc)
        expect_deep();
    JUMP next.dlopen(file, mode);
}

/* A library that is opened in a namespace of its own has a libc of its own. */
HOOK void *
dlmopen(Lmid_t space, const char *file, int mode)
{
    MP_PASS_UNBOUND(dlmopen, space, file, mode);
    if (MP_UNLIKELY(!next.dlmopen))
        find_next();
    note(file, mode);
    if (space != LM_ID_BASE)
        mp_session_not_seen(MP_MISS_LIBRARY);
    else if (mode & RTLD_DEEPBIND && !(mode & RTLD_NOLOAD) && !own_malloc)
        expect_deep();
    JUMP next.dlmopen(space, file, mode);
}
