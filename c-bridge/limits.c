/* SPDX-License-Identifier: MIT */
/*
 * limits.c -- hooks of the functions by which the program limits its own address space. The monitor is notified
 * first and reserves addresses for what it will map itself, so that the program can use as much as it could without
 * us.
 */
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "malloc_hooks.h"
#include "next.h"
#include "runtime/compiler.h"
#include "runtime/monitor.h"
#include "runtime/system/sys.h"
#include "unbound.h"

static struct {
    int (*setrlimit)(__rlimit_resource_t, const struct rlimit *);
    int (*prlimit)(pid_t, __rlimit_resource_t, const struct rlimit *, struct rlimit *);
} next;

void
mp_limits_open(void)
{
    MP_NEXT_FUNCTION(next.setrlimit, "setrlimit");
    MP_NEXT_FUNCTION(next.prlimit, "prlimit");
}

static void
note(__rlimit_resource_t resource, const struct rlimit *limit)
{
    if (resource == RLIMIT_AS && limit && limit->rlim_cur != RLIM_INFINITY)
        mp_monitor_limit(limit->rlim_cur);
}

MP_PUBLIC int
setrlimit(__rlimit_resource_t resource, const struct rlimit *limit)
{
    MP_PASS_UNBOUND(setrlimit, resource, limit);
    if (MP_UNLIKELY(!next.setrlimit))
        mp_limits_open();
    note(resource, limit);
    return next.setrlimit(resource, limit);
}

MP_PUBLIC int
prlimit(pid_t pid, __rlimit_resource_t resource, const struct rlimit *limit, struct rlimit *old)
{
    MP_PASS_UNBOUND(prlimit, pid, resource, limit, old);
    if (MP_UNLIKELY(!next.prlimit))
        mp_limits_open();
    if (pid == 0 || pid == mp_sys_getpid())
        note(resource, limit);
    return next.prlimit(pid, resource, limit, old);
}

#if __SIZEOF_POINTER__ == 8     /* where both types have the same size */
MP_PUBLIC int
setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *limit)
{
    return setrlimit(resource, (const struct rlimit *)limit);
}

MP_PUBLIC int
prlimit64(pid_t pid, __rlimit_resource_t resource, const struct rlimit64 *limit,
          struct rlimit64 *old)
{
    return prlimit(pid, resource, (const struct rlimit *)limit, (struct rlimit *)old);
}
#endif
