/* SPDX-License-Identifier: MIT */
#include "lisp_module.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "runtime/heap/heap_record.h"

const struct mprof_lisp *mp_module_monitor;

/* ------------------------------------------------------------------ the monitor */

static const char *
use(const struct mprof_lisp *monitor)
{
    if (monitor->size < sizeof *monitor)
        return "libmprof.so is that of another version of mprof";
    monitor->open();                    /* if open() fails, start() fails too and returns the error */
    __atomic_store_n(&mp_module_monitor, monitor, __ATOMIC_RELEASE);
    mp_module_connected();
    return NULL;
}

static char folder[PATH_MAX];           /* directory of mprof.fas with a trailing slash; "" if unknown */

void
mp_module_folder(cl_object name)
{
    if (!mp_module_path(name, folder, sizeof folder))
        folder[0] = '\0';
}

/* Loads libmprof.so. Uses GC_dlopen(), because the collector must not stop this thread while it holds the loader's
 * lock. */
static void *
open_library(void)
{
    static const char *const places[] = { "", "../mprof/", "../.libs/" };
    char path[sizeof folder + 64];
    void *library = dlopen("libmprof.so.1", RTLD_NOW | RTLD_NOLOAD);

    for (size_t i = 0; folder[0] && !library && i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s%slibmprof.so", folder, places[i]);
        library = GC_dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    if (!library)
        library = GC_dlopen(MP_PKGLIBDIR "/libmprof.so", RTLD_NOW | RTLD_LOCAL);
    return library;
}

static const char *
find_monitor(void)
{
    const struct mprof_lisp *monitor = dlsym(RTLD_DEFAULT, "mprof_lisp");
    void *library;

    if (mp_module_monitor)
        return NULL;
    if (monitor)
        return use(monitor);
    library = open_library();
    if (!library)
        return "libmprof.so is neither beside mprof.fas nor in " MP_PKGLIBDIR;
    monitor = dlsym(library, "mprof_lisp");
    if (!monitor)
        return "libmprof.so was built without Lisp";
    return use(monitor);
}

/* Takes a lock, because several threads may begin to record at the same time. */
const char *
mp_module_connect(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const char *problem;

    pthread_mutex_lock(&lock);
    problem = find_monitor();
    pthread_mutex_unlock(&lock);
    return problem;
}

/* Connects to a monitor that is already loaded, because the program was started under mprof or another copy of this
 * module has loaded it. A recording may be in progress then. */
__attribute__((constructor)) static void
find_present(void)
{
    const struct mprof_lisp *monitor = dlsym(RTLD_DEFAULT, "mprof_lisp");
    void *library = monitor ? NULL : dlopen("libmprof.so.1", RTLD_NOW | RTLD_NOLOAD);

    if (library)
        monitor = dlsym(library, "mprof_lisp");
    if (monitor)
        use(monitor);
}

/* ------------------------------------------------------------------ recording */

int
mp_module_start(cl_object file, const struct mprof_lisp_wish *wish)
{
    char path[PATH_MAX * 2], *to = path;
    char plain[PATH_MAX];

    if (!mp_module_path(file, plain, sizeof plain))
        return ENAMETOOLONG;
    for (const char *at = plain; *at; at++) {   /* the monitor interprets % as the beginning of a directive */
        if (*at == '%')
            *to++ = '%';
        *to++ = *at;
    }
    *to = '\0';
    return -mp_module_monitor->start(path, wish);
}

bool
mp_module_records(cl_object file)
{
    char path[PATH_MAX];

    return mp_module_monitor && mp_module_monitor->active() &&
           mp_module_path(file, path, sizeof path) &&
           strcmp(path, mp_module_monitor->file()) == 0;
}

void
mp_module_form(void)
{
    mp_module_monitor->form();
}

bool
mp_module_checkpoint(cl_object name)
{
    char text[1024] = "";

    if (!mp_module_monitor || !mp_module_monitor->active())
        return false;
    mp_module_path(name, text, sizeof text);
    return mp_module_monitor->checkpoint(text);
}

uint64_t
mp_module_sum(enum mp_module_sum which, bool this_thread)
{
    struct mp_heap_sums sums = { 0 };

    if (mp_module_monitor)
        mp_module_monitor->totals(&sums, this_thread);
    switch (which) {
    case MP_SUM_OBJECTS: return sums.objects;
    case MP_SUM_BYTES: return sums.bytes;
    case MP_SUM_LIVE_OBJECTS: return sums.live_objects;
    case MP_SUM_LIVE_BYTES: return sums.live_bytes;
    case MP_SUM_SESSION: return sums.session;
    case MP_SUM_LOST: break;
    }
    return sums.lost;
}

/* ------------------------------------------------------------------ interrupts of threads */

bool
mp_module_interrupts(bool taken)
{
    const int number = (int)ecl_get_option(ECL_OPT_THREAD_INTERRUPT_SIGNAL);
    sigset_t set, before;

    sigemptyset(&set);
    if (number <= 0 || sigaddset(&set, number) != 0 ||
        pthread_sigmask(taken ? SIG_UNBLOCK : SIG_BLOCK, &set, &before) != 0)
        return true;
    return sigismember(&before, number) == 0;
}
