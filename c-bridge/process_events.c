/* SPDX-License-Identifier: MIT */
/*
 * process_events.c -- hooks of events in the life of a process: start, fork, exec and exit.
 *
 * The exec family and posix_spawn are wrapped to count or to follow the programs that are started. The call itself
 * goes to the next object. Everything here may run in the child of a vfork, which shares its parent's memory.
 * Therefore nothing uses malloc, and nothing stays changed if the call fails.
 */
#include <alloca.h>
#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "allocator.h"
#include "config.h"
#include "environment.h"
#include "malloc_hooks.h"
#ifdef MP_HAVE_ECL
#include "lisp-bridge/lisp.h"
#endif
#include "next.h"
#include "runtime/compiler.h"
#include "runtime/monitor.h"
#include "runtime/record/sentinel.h"
#include "runtime/session/faults.h"
#include "runtime/session/session.h"
#include "runtime/system/sandbox.h"
#include "target.h"
#include "unbound.h"

#define HOOK MP_PUBLIC

/* A program that is linked with libmprof.a refers to the functions of mprof.h only weakly. A linker takes no member out
 * of an archive for a weak reference, but it takes this file, because this file defines the common symbol of mprof.h.
 * The strong references below then take the members with the functions. */
#define MPROF_WEAK
#include "runtime/mprof.h"
extern MP_PUBLIC const char mprof_wanted_;
const char mprof_wanted_ = 1;
static __attribute__((used)) int (*const with_api)(void) = mprof_is_active;
static __attribute__((used)) void (*const with_stack_use)(void) = mprof_stack_clear;

#ifndef PIC
/* A static program would have no next allocator. Its link fails here, because only a loader defines __tls_get_addr. The
 * linker prints the text when it finds a reference to __libc_setup_tls, which only a static program's libc.a has. */
void __tls_get_addr(void);
void mprof_cannot_record_a_static_program(void);
void
mprof_cannot_record_a_static_program(void)
{
    __asm__ volatile("" : : "r"(__tls_get_addr));
}
__asm__(".pushsection .gnu.warning.__libc_setup_tls\n"
        ".ascii \"mprof: libmprof.a cannot record a static program; link it without -static\"\n"
        ".popsection");
#endif

/* The next object's functions. They are found once, because dlsym() must not be called later, in a signal handler
 * or after vfork. */
static struct {
    int (*execve)(const char *, char *const *, char *const *);
    int (*execvpe)(const char *, char *const *, char *const *);
    int (*fexecve)(int, char *const *, char *const *);
    int (*posix_spawn)(pid_t *, const char *, const posix_spawn_file_actions_t *,
                       const posix_spawnattr_t *, char *const *, char *const *);
    int (*posix_spawnp)(pid_t *, const char *, const posix_spawn_file_actions_t *,
                        const posix_spawnattr_t *, char *const *, char *const *);
    int (*system)(const char *);
    FILE *(*popen)(const char *, const char *);
    void (*exit_now)(int);
    void (*exit_quick)(int);
    int (*daemon)(int, int);
} next;

static void
find_next(void)
{
    MP_NEXT_FUNCTION(next.execve, "execve");
    MP_NEXT_FUNCTION(next.execvpe, "execvpe");
    MP_NEXT_FUNCTION(next.fexecve, "fexecve");
    MP_NEXT_FUNCTION(next.posix_spawn, "posix_spawn");
    MP_NEXT_FUNCTION(next.posix_spawnp, "posix_spawnp");
    MP_NEXT_FUNCTION(next.system, "system");
    MP_NEXT_FUNCTION(next.popen, "popen");
    MP_NEXT_FUNCTION(next.exit_now, "_exit");
    MP_NEXT_FUNCTION(next.exit_quick, "quick_exit");
    MP_NEXT_FUNCTION(next.daemon, "daemon");
}

/* Finds the functions if they are called before our constructor, for example if another library's constructor runs
 * a program. */
#define NEED(field) do { if (MP_UNLIKELY(!next.field)) find_next(); } while (0)

/* Does what NEED() does, for a function that starts a program with environ. Until our constructor has run, environ has
 * entries that a started program may not get. So BEGIN() runs the constructor first. If libc has not set environ yet,
 * BEGIN() does not run the constructor, because there are no entries, and the loader may still be working. */
#define BEGIN(field)                                                            \
    do {                                                                        \
        if (MP_UNLIKELY(!started) && environ)                                   \
            mp_process_start();                                                 \
        NEED(field);                                                            \
    } while (0)
static bool started;

/* ------------------------------------------------------------------ start and end */

static void
leave(int status)
{
#ifdef MP_HAVE_ECL
    mp_lisp_exit();
#endif
    mp_session_exit(status);
}

static void
at_exit(int status, void *unused)
{
    (void)unused;
    mp_allocator_note(__builtin_frame_address(0));
    leave(status);
}

static void
forked_child(void)
{
    mp_session_forked_child();
    mp_allocator_forked_child();
}

static void
start_first(bool own_malloc, bool new_is_seen)
{
    mp_session_open();
    if (mp_session_wants_held())
        mp_allocator_open();
    if (!new_is_seen && mp_next_bypasses_malloc())
        mp_session_not_seen(MP_MISS_OPERATOR_NEW);
    if (own_malloc)
        mp_session_not_seen(MP_MISS_MALLOC);
    if (mp_interfaces_left_out())
        mp_session_not_seen(MP_MISS_LIBRARY);
    mp_environment_open();
#ifdef MP_HAVE_ECL
    mp_lisp_open();
#endif
}

__attribute__((constructor)) void
mp_process_start(void)
{
    uint32_t saved;
    bool late, own_malloc, new_is_seen;

    if (started)
        return;
    started = true;
    saved = mp_monitor_pause();
    mp_next_is_there();         /* the monitor must know the allocator before it begins */
    find_next();
    mp_hooks_open();
    mp_limits_open();
    mp_mappings_open();
    mp_seccomp_open();
    mp_descriptor_open();
    mp_signals_open();
    pthread_atfork(NULL, mp_session_forked, forked_child);
    on_exit(at_exit, NULL);
    own_malloc = mp_next_is_passed_by();
    mp_sentinel_on &= !own_malloc;
    late = own_malloc && mp_next_precedes_us();
    mp_libraries_open(own_malloc);
    new_is_seen = !own_malloc && mp_interfaces_open();
    if (mp_sentinel_on)
        mp_operators_open();
    mp_monitor_resume(saved);
    if (late)
        mp_session_open_late();         /* the Lisp module begins recordings */
    else
        start_first(own_malloc, new_is_seen);
}

HOOK __attribute__((noreturn)) void
_exit(int status)
{
    if (mp_is_unbound())
        mp_monitor_call(SYS_exit_group, status, 0, 0, 0, 0, 0);
    leave(status);
    NEED(exit_now);
    for (;;)
        next.exit_now(status);
}

HOOK __attribute__((noreturn)) void
_Exit(int status)
{
    _exit(status);
}

HOOK __attribute__((noreturn)) void
quick_exit(int status)
{
    if (mp_is_unbound())
        mp_monitor_call(SYS_exit_group, status, 0, 0, 0, 0, 0);
    leave(status);
    NEED(exit_quick);
    for (;;)
        next.exit_quick(status);
}

/* The parent ends in libc, which does not call our _exit(). */
HOOK int
daemon(int nochdir, int noclose)
{
    int result;

    MP_PASS_UNBOUND(daemon, nochdir, noclose);
    NEED(daemon);
    mp_session_daemon(true);
    result = next.daemon(nochdir, noclose);
    mp_session_daemon(false);
    return result;
}

/* ------------------------------------------------------------------ exec */

/* Evaluates CALL. The variable `fitting` in CALL is ENVIRONMENT adapted for a program that is FOLLOWED or not. It
 * is stored on the stack of the calling function. */
#define WITH_ENVIRONMENT(environment, followed, call)                           \
    do {                                                                        \
        size_t room_ = mp_environment_room(environment, followed);              \
        char *const *fitting =                                                  \
            mp_environment_fit(environment, followed, alloca(room_));           \
        call;                                                                   \
    } while (0)

/* A program that is about to be started. */
struct target {
    enum mp_reach reach;
    int program;                /* descriptor of the program's file, or -1 */
    bool asked;                 /* whether the program is to be profiled if it can be */
    bool followed;              /* whether the program will be profiled */
    bool known;                 /* whether mprof run was told of the program */
};

#define WITH_EXEC(environment, target, path, call)                              \
    do {                                                                        \
        announce(&(target), 0, path);                                           \
        mp_session_exec((target).followed, (target).known);                     \
        mp_faults_exec();                                                       \
        WITH_ENVIRONMENT(environment, (target).followed, call);                 \
        mp_faults_exec_failed();                                                \
        mp_session_exec_failed((target).followed, (target).known);              \
        end(&(target));                                                         \
    } while (0)

/* Returns the struct target of a program that is about to be started. If FOLLOWS, evaluates OPENED, which opens the
 * program's file. libc, or a library that wraps libc's functions, may allocate meanwhile; recording is paused, so these
 * allocations are not counted as the program's. */
#define TARGET(follows, environment, opened)                                    \
    __extension__({                                                             \
        struct target target_ = {.program = -1};                                \
        uint32_t saved_;                                                        \
        if (begin_look(&target_, follows, &saved_)) {                           \
            target_.program = (opened);                                         \
            look(&target_, saved_, environment);                                \
        }                                                                       \
        target_;                                                                \
    })

static bool
begin_look(struct target *target, bool follows, uint32_t *saved)
{
    if (!follows || !mp_sandbox_enter())
        return false;
    target->asked = true;
    *saved = mp_monitor_pause();
    return true;
}

static void
look(struct target *target, uint32_t saved, char *const *environment)
{
    target->reach = mp_environment_reach(environment);
    if (target->reach <= MP_REACH_OTHER_RUN &&
        !(mp_target_takes_us(target->program) && (mp_monitor_follows() || mp_target_loads_us(target->program))))
        target->reach = MP_REACH_UNFIT;
    target->followed = target->reach <= MP_REACH_OTHER_RUN;
    if (target->followed)
        mp_monitor_pass_on();
    mp_monitor_resume(saved);
    mp_sandbox_leave();
}

/* Tells mprof run that process PID executes TARGET. PID is 0 for this process. */
static void
announce(struct target *target, pid_t pid, const char *path)
{
    target->known = target->asked && target->reach != MP_REACH_OTHER_RUN &&
                    mp_session_starts(target->reach, pid, path, target->program);
}

static void
end(const struct target *target)
{
    const int error = errno;

    if (target->program >= 0)
        close(target->program);
    errno = error;
}

HOOK int
execve(const char *path, char *const *arguments, char *const *environment)
{
    struct target target = TARGET(mp_monitor_follows_exec(), environment, mp_target_open(path));
    int result;

    MP_PASS_UNBOUND(execve, path, arguments, environment);
    NEED(execve);
    WITH_EXEC(environment, target, path, result = next.execve(path, arguments, fitting));
    return result;
}

HOOK int
fexecve(int fd, char *const *arguments, char *const *environment)
{
    struct target target = TARGET(mp_monitor_follows_exec(), environment, mp_target_copy(fd));
    int result;

    MP_PASS_UNBOUND(fexecve, fd, arguments, environment);
    NEED(fexecve);
    WITH_EXEC(environment, target, "", result = next.fexecve(fd, arguments, fitting));
    return result;
}

HOOK int
execvpe(const char *file, char *const *arguments, char *const *environment)
{
    struct target target = TARGET(mp_monitor_follows_exec(), environment, mp_target_find(file));
    int result;

    MP_PASS_UNBOUND(execvpe, file, arguments, environment);
    NEED(execvpe);
    WITH_EXEC(environment, target, file, result = next.execvpe(file, arguments, fitting));
    return result;
}

HOOK int
execv(const char *path, char *const *arguments)
{
    MP_PASS_UNBOUND(execv, path, arguments);
    return execve(path, arguments, environ);
}

HOOK int
execvp(const char *file, char *const *arguments)
{
    MP_PASS_UNBOUND(execvp, file, arguments);
    return execvpe(file, arguments, environ);
}

/* Collects the arguments of execl() and similar functions, from FIRST up to the NULL, in an array on the stack. */
#define COLLECT(list, first, array)                                             \
    do {                                                                        \
        va_list count_;                                                         \
        size_t n_ = 1;                                                          \
        va_copy(count_, list);                                                  \
        while (va_arg(count_, char *))                                          \
            n_++;                                                               \
        va_end(count_);                                                         \
        array = alloca((n_ + 1) * sizeof *array);                               \
        array[0] = (char *)(uintptr_t)first;                                    \
        for (size_t i_ = 1; i_ <= n_; i_++)                                     \
            array[i_] = va_arg(list, char *);                                   \
    } while (0)

HOOK int
execl(const char *path, const char *argument, ...)
{
    va_list list;
    char **arguments;

    va_start(list, argument);
    COLLECT(list, argument, arguments);
    va_end(list);
    MP_PASS_UNBOUND(execv, path, arguments);
    return execve(path, arguments, environ);
}

HOOK int
execlp(const char *file, const char *argument, ...)
{
    va_list list;
    char **arguments;

    va_start(list, argument);
    COLLECT(list, argument, arguments);
    va_end(list);
    MP_PASS_UNBOUND(execvp, file, arguments);
    return execvpe(file, arguments, environ);
}

HOOK int
execle(const char *path, const char *argument, ...)
{
    va_list list;
    char **arguments, *const *environment;

    va_start(list, argument);
    COLLECT(list, argument, arguments);
    environment = va_arg(list, char *const *);
    va_end(list);
    return execve(path, arguments, environment);
}

/* ------------------------------------------------------------------ programs beside this one */

/* The variables result and child in CALL are those of the calling function. */
#define WITH_SPAWN(environment, target, path, call)                             \
    do {                                                                        \
        mp_faults_exec();                                                       \
        WITH_ENVIRONMENT(environment, (target).followed, call);                 \
        mp_faults_exec_failed();                                                \
        if (result == 0) {                                                      \
            announce(&(target), child, path);                                   \
            mp_session_spawned((target).followed || (target).known);            \
        }                                                                       \
        end(&(target));                                                         \
    } while (0)

HOOK int
posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
            const posix_spawnattr_t *attributes, char *const *arguments, char *const *environment)
{
    struct target target;
    pid_t child;
    int result;

    MP_PASS_UNBOUND(posix_spawn, pid, path, actions, attributes, arguments, environment);
    BEGIN(posix_spawn);
    target = TARGET(mp_monitor_follows(), environment, mp_target_open(path));
    WITH_SPAWN(environment, target, path,
               result = next.posix_spawn(&child, path, actions, attributes, arguments, fitting));
    if (result == 0 && pid)
        *pid = child;
    return result;
}

HOOK int
posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
             const posix_spawnattr_t *attributes, char *const *arguments, char *const *environment)
{
    struct target target;
    pid_t child;
    int result;

    MP_PASS_UNBOUND(posix_spawnp, pid, file, actions, attributes, arguments, environment);
    BEGIN(posix_spawnp);
    target = TARGET(mp_monitor_follows(), environment, mp_target_find(file));
    WITH_SPAWN(environment, target, file,
               result = next.posix_spawnp(&child, file, actions, attributes, arguments, fitting));
    if (result == 0 && pid)
        *pid = child;
    return result;
}

HOOK int
system(const char *command)
{
    int result;

    MP_PASS_UNBOUND(system, command);
    BEGIN(system);
    if (command)
        mp_session_spawned(mp_monitor_follows());
    mp_faults_exec();
    result = next.system(command);
    mp_faults_exec_failed();
    return result;
}

/* Jumps to the next function, so that the stream's allocation has the program's call as its caller. */
HOOK WITH_JUMPS FILE *
popen(const char *command, const char *mode)
{
    MP_PASS_UNBOUND(popen, command, mode);
    BEGIN(popen);
    mp_session_spawned(mp_monitor_follows());
    JUMP next.popen(command, mode);
}
