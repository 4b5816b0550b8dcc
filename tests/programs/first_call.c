/*
 * first_call.c -- calls one function of exports.txt before any other. calls.h, which tests/e2e/first_call.sh generates
 * from exports.txt, has a line EACH(name) for each function, so one without a case below does not compile.
 *
 *     first_call NAME PLACE      PLACE is preinit, resolver, constructor or library_resolver
 *
 * The source is compiled twice. The executable calls in its .preinit_array or in the resolver of an IFUNC. With
 * -DLIBRARY it is a library, which calls in its constructor or in such a resolver. A resolver runs while the loader
 * binds the objects, so this program uses nothing else there that might not be bound.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/mprof.h"

extern char **environ;
__sighandler_t bsd_signal(int, __sighandler_t);         /* not declared any more */

__attribute__((weak)) void heaptrack_malloc(void *, size_t);
__attribute__((weak)) void heaptrack_realloc(void *, size_t, void *);
__attribute__((weak)) void heaptrack_free(void *);
__attribute__((weak)) void free_sized(void *, size_t);
__attribute__((weak)) void free_aligned_sized(void *, size_t, size_t);

/* The state that the call leaves to main(). */
struct first {
    char *block;
    int called, result;
    volatile int caught;
};

#ifdef LIBRARY
struct first *first_of_library(void);
#define PLACE "constructor"
#define RESOLVER_PLACE "library_resolver"
#else
struct first *first_of_library(void);
#define PLACE "preinit"
#define RESOLVER_PLACE "resolver"
#endif

static struct first first;
static int resolving;

/* ------------------------------------------------------------------ without libc */

static long
kernel(long number, long a, long b, long c, long d)
{
#ifdef __x86_64__
    register long r10 __asm__("r10") = d;
    long result;

    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
    return result;
#else
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c,
                  x3 __asm__("x3") = d;

    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
    return x0;
#endif
}

/* Writes the argument NAME or PLACE of the process to WORD. */
static void
argument(int index, char word[64])
{
    char text[4096];
    long fd = kernel(SYS_openat, AT_FDCWD, (long)"/proc/self/cmdline", O_RDONLY, 0);
    long n = kernel(SYS_read, fd, (long)text, sizeof text - 1, 0), at = 0;

    kernel(SYS_close, fd, 0, 0, 0);
    for (; index > 0 && at < n; index--)
        while (at < n && text[at++] != '\0')
            ;
    for (int i = 0; i < 64; i++) {
        word[i] = at < n ? text[at] : '\0';
        at += at < n && text[at] != '\0';
    }
}

static int
same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

/* ------------------------------------------------------------------ a call of each function */

static int
got(void *block, size_t alignment)
{
    first.block = block;
    for (int i = 0; block && i < 100; i++)
        first.block[i] = (char)i;
    return block && (size_t)block % alignment == 0;
}

static void
handler(int number)
{
    first.caught = number;
}

static const struct sigaction *
action(void)
{
    static struct sigaction new;

    new.sa_handler = handler;
    new.sa_flags = SA_NODEFER;
    sigaddset(&new.sa_mask, SIGBUS);
    sigaddset(&new.sa_mask, SIGUSR1);
    return &new;
}

static const sigset_t *
mask(void)
{
    static sigset_t set;

    sigaddset(&set, SIGBUS);
    sigaddset(&set, SIGUSR2);
    return &set;
}

static const struct rlimit limit = { 1ul << 33, RLIM_INFINITY };
static const struct rlimit64 limit64 = { 1ul << 33, RLIM_INFINITY };
static struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
static struct sock_fprog filter = { 1, &allow };

/* A program that prints what it has inherited. */
#define SHELL  "/bin/sh"
#define SCRIPT "set | grep -cE '^(LD_PRELOAD|MPROF_FILE|MPROF_FOLLOW)='; echo started; exit 5"
static char *words[] = { "sh", "-c", SCRIPT, NULL }, *some[] = { "PATH=/bin:/usr/bin", NULL };

static int
waited(int result, const pid_t *pid)
{
    int status = 0;

    return result == 0 && waitpid(*pid, &status, 0) == *pid ? status : -1;
}

static int
read_all(FILE *stream)
{
    char text[256] = "";
    size_t n = stream ? fread(text, 1, sizeof text, stream) : 0;

    return stream && write(1, text, n) == (ssize_t)n ? pclose(stream) : -1;
}

#define CASE(name, call)            static int call_##name(void) { return (int)(call); }
#define CASE_OF(name, before, call) static int call_##name(void) { before; return (int)(call); }
#define IGNORED(name, call)         static int call_##name(void) { call; return 0; }

/* Without the library, functions of mprof.h are NULL. In a resolver libc, which some need, is not ready for them. */
#define API(name, ...)                                                          \
    static int                                                                  \
    call_##name(void)                                                           \
    {                                                                           \
        if (name && !resolving)                                                   \
            name(__VA_ARGS__);                                                  \
        return 0;                                                               \
    }


CASE(malloc, got(malloc(100), 16))
CASE(calloc, got(calloc(10, 10), 16))
CASE(realloc, got(realloc(NULL, 100), 16))
CASE(reallocarray, got(reallocarray(NULL, 10, 10), 16))
CASE(aligned_alloc, got(aligned_alloc(256, 256), 256))
CASE(memalign, got(memalign(512, 100), 512))
CASE_OF(posix_memalign, void *block = NULL, posix_memalign(&block, 1024, 100) == 0 && got(block, 1024))
CASE(valloc, got(valloc(100), 4096))
CASE(pvalloc, got(pvalloc(100), 4096))
CASE(malloc_usable_size, malloc_usable_size(NULL))
IGNORED(malloc_trim, malloc_trim(0))
IGNORED(free, free(NULL))
IGNORED(free_sized, if (free_sized) free_sized(NULL, 0))
IGNORED(free_aligned_sized, if (free_aligned_sized) free_aligned_sized(NULL, 16, 0))
IGNORED(_exit, _exit(5))
IGNORED(_Exit, _Exit(5))
IGNORED(quick_exit, quick_exit(5))
IGNORED(daemon, if (daemon(1, 1) == 0) kernel(SYS_exit_group, 0, 0, 0, 0))
CASE(execl, execl(SHELL, "sh", "-c", SCRIPT, NULL))
CASE(execle, execle(SHELL, "sh", "-c", SCRIPT, NULL, some))
CASE(execlp, execlp("sh", "sh", "-c", SCRIPT, NULL))
CASE(execv, execv(SHELL, words))
CASE(execve, execve(SHELL, words, environ))
CASE(execvp, execvp("sh", words))
CASE(execvpe, execvpe("sh", words, environ))
CASE(fexecve, fexecve((int)kernel(SYS_openat, AT_FDCWD, (long)SHELL, O_RDONLY, 0), words, environ))
CASE_OF(posix_spawn, pid_t pid = 0, waited(posix_spawn(&pid, SHELL, NULL, NULL, words, environ), &pid))
CASE_OF(posix_spawnp, pid_t pid = 0, waited(posix_spawnp(&pid, "sh", NULL, NULL, words, environ), &pid))
CASE(system, system(SCRIPT))
CASE(popen, read_all(popen(SCRIPT, "r")))
CASE(dlopen, dlopen("libm.so.6", RTLD_NOW) != NULL)
CASE(dlmopen, dlmopen(LM_ID_BASE, "libm.so.6", RTLD_NOW) != NULL)
CASE(close, close((int)kernel(SYS_dup, 1, 0, 0, 0)))
CASE(close_range, close_range(200, 300, 0))
IGNORED(closefrom, closefrom(200))
CASE(dup2, dup2(1, 50))
CASE(dup3, dup3(1, 51, O_CLOEXEC))
CASE(mmap, mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
CASE(mmap64, mmap64(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
CASE(mremap, mremap(NULL, 4096, 8192, MREMAP_MAYMOVE) == MAP_FAILED)
CASE(munmap, munmap(&first, 0) == -1)
CASE(madvise, madvise(NULL, 0, MADV_DONTNEED))
CASE(sbrk, sbrk(4096) != (void *)-1)
CASE(brk, brk(NULL) == -1)
CASE(setrlimit, setrlimit(RLIMIT_AS, &limit))
CASE(setrlimit64, setrlimit64(RLIMIT_AS, &limit64))
CASE(prlimit, prlimit(0, RLIMIT_AS, &limit, NULL))
CASE(prlimit64, prlimit64(0, RLIMIT_AS, &limit64, NULL))
CASE(sigaction, sigaction(SIGSEGV, action(), NULL))
CASE(signal, signal(SIGBUS, handler) == SIG_DFL)
CASE(bsd_signal, bsd_signal(SIGBUS, handler) == SIG_DFL)
CASE(ssignal, ssignal(SIGBUS, handler) == SIG_DFL)
CASE(sysv_signal, sysv_signal(SIGSEGV, handler) == SIG_DFL)
CASE(__sysv_signal, __sysv_signal(SIGSEGV, handler) == SIG_DFL)
CASE(sigignore, sigignore(SIGSEGV))
CASE(siginterrupt, siginterrupt(SIGSEGV, 1))
CASE(sigset, sigset(SIGBUS, SIG_HOLD) == SIG_DFL)
CASE(sighold, sighold(SIGBUS))
CASE(sigrelse, sigrelse(SIGBUS))
CASE(sigsetmask, sigsetmask(sigmask(SIGBUS) | sigmask(SIGUSR2)))
CASE(sigblock, sigblock(sigmask(SIGBUS)))
CASE(siggetmask, siggetmask())
CASE(sigprocmask, sigprocmask(SIG_BLOCK, mask(), NULL))
CASE(pthread_sigmask, pthread_sigmask(SIG_SETMASK, mask(), NULL))
CASE(prctl, prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) + prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0))
CASE(syscall, syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) +
              syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter))
CASE(mprof_wanted_, 1)
API(mprof_checkpoint, "first")
API(mprof_current)
API(mprof_current_blocks)
API(mprof_heap_snapshot, "first")
API(mprof_is_active)
API(mprof_peak)
API(mprof_print_status, NULL)
API(mprof_record_alloc, &first, &first, 1)
API(mprof_record_alloc_array, &first, &first, 1, 1)
API(mprof_record_free, &first, &first)
API(mprof_reset_peak)
API(mprof_restart, NULL)
API(mprof_set_callback, NULL, NULL, 0)
API(mprof_stack_clear)
API(mprof_stack_usage)
API(mprof_stop)
API(mprof_total)
API(mprof_thread_total)
API(mprof_thread_total_blocks)
API(mprof_total_blocks)
API(set_mprof_autosave, 0)
API(heaptrack_malloc, &first, 1)
API(heaptrack_realloc, &first, 1, &first)
API(heaptrack_free, &first)

static void
call_at(const char *place)
{
    char word[64];

    argument(2, word);
    if (!same(word, place))
        return;
    argument(1, word);
#define EACH(name)                                                              \
    if (same(word, #name)) {                                                    \
        first.result = call_##name();                                           \
        first.called = 1;                                                       \
    }
#include "calls.h"
}

/* ------------------------------------------------------------------ before everything */

static int
resolved(void)
{
    return 1;
}

static int (*resolve(void))(void)
{
    resolving = 1;
    call_at(RESOLVER_PLACE);
    resolving = 0;
    return resolved;
}

static int indirect(void) __attribute__((ifunc("resolve")));

static void
early(void)
{
    call_at(PLACE);
}

#ifdef LIBRARY

__attribute__((constructor)) static void
constructor(void)
{
    early();
}

struct first *
first_of_library(void)
{
    return indirect() ? &first : NULL;
}

#else

__attribute__((section(".preinit_array"), used)) static void (*const entry)(void) = early;

static void
report(const struct first *from)
{
    struct sigaction old;
    sigset_t blocked;

    printf("called %d, result %d\n", from->called, from->result);
    for (int number = SIGBUS; number <= SIGSEGV; number += SIGSEGV - SIGBUS) {
        sigaction(number, NULL, &old);
        printf("signal %d: flags %d, mask %d%d\n", number, old.sa_flags, sigismember(&old.sa_mask, SIGBUS),
               sigismember(&old.sa_mask, SIGUSR1));
        if (old.sa_handler != SIG_DFL) {
            raise(number);
            printf("caught %d\n", from->caught);
        }
    }
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    printf("mask %d%d\n", sigismember(&blocked, SIGBUS), sigismember(&blocked, SIGUSR2));
}

int
main(void)
{
    struct first *library = first_of_library(), *from = library->called ? library : &first;
    char *volatile blocks[100];

    if (!indirect())
        return 9;
    report(from);
    if (from->block) {
        from->block = realloc(from->block, 5000);
        for (int i = 0; i < 100; i++)
            if (from->block[i] != i)
                return 8;
        free(from->block);
    }
    for (int i = 0; i < 100; i++)
        blocks[i] = malloc((size_t)i);
    for (int i = 0; i < 100; i++)
        free(blocks[i]);
    return 7;
}
#endif
/* SPDX-License-Identifier: MIT */
