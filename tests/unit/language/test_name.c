/*
 * test_name.c -- the table of names that a language gives to functions. One test lets another thread fork at the worst
 * point: during the system call that unmaps the old table after the table has grown.
 */
#include "tests/unit/tap.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "runtime/language/name.h"
#include "runtime/store/store.h"
#include "runtime/system/gate.h"
#include "tests/unit/record/recording.h"

#define NAMES 20000u            /* the table grows three times meanwhile */
#define AT(i) ((uintptr_t)0x10000 + (i) * 64u)

/* Looks up the first TOLD names in a forked child, then forgets their records. Returns 0 if all were found. */
static int
look(uint32_t told)
{
    for (uint32_t i = 0; i < told; i++)
        if (!mp_name_known(AT(i)))
            return 1;
    mp_name_reset();
    return 0;
}

/* The test replaces munmap(), which AddressSanitizer needs. */
#if defined __x86_64__ && !defined __SANITIZE_ADDRESS__

static sem_t wish, done;
static volatile sig_atomic_t is_watched, n_forks, n_failed;
static volatile uint32_t n_told;

static void *
forker(void *unused)
{
    for (;;) {
        pid_t pid;
        int status = -1;

        sem_wait(&wish);
        pid = fork();
        if (pid == 0) {
            mp_gate_reset();            /* as the handlers of fork() do */
            _exit(look(n_told));
        }
        waitpid(pid, &status, 0);
        n_forks++;
        n_failed += status != 0;
        sem_post(&done);
    }
    return unused;
}

/* Handles the trapped system call munmap(): makes the memory inaccessible, then lets the other thread fork. */
static void
on_munmap(int number, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

    (void)number, (void)info;
    mmap((void *)registers[REG_RDI], (size_t)registers[REG_RSI], PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    registers[REG_RAX] = 0;
    if (is_watched) {
        sem_post(&wish);
        while (sem_wait(&done) != 0)
            continue;
    }
}

static bool
trap_munmap(void)
{
    struct sigaction action = {.sa_sigaction = on_munmap, .sa_flags = SA_SIGINFO | SA_NODEFER};
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_munmap, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {4, filter};

    return sigaction(SIGSYS, &action, NULL) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(a_fork_while_the_table_grows)
{
    struct mp_function_name name = {"NAME", NULL, -1, 0, 0};
    pthread_t thread;

    ck_assert(sem_init(&wish, 0, 0) == 0 && sem_init(&done, 0, 0) == 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, forker, NULL), 0);
    if (!trap_munmap()) {
        printf("# no seccomp here: %s\n", strerror(errno));
        return;
    }
    is_watched = 1;
    for (uint32_t i = 0; i < NAMES; i++) {
        mp_name_tell(AT(i), &name);
        n_told = i + 1;
    }
    is_watched = 0;
    ck_assert_int_ge(n_forks, 2);
    ck_assert_int_eq(n_failed, 0);
    ck_assert_int_eq(look(NAMES), 0);
}

#endif

TEST(all_are_known)
{
    struct mp_function_name name = {"NAME", NULL, -1, 0, 0};

    for (uint32_t i = 0; i < NAMES; i++)
        mp_name_tell(AT(i), &name);
    ck_assert_int_eq(look(NAMES), 0);
    ck_assert(!mp_name_known(AT(NAMES)));
    mp_name_forget(AT(0), AT(100));
    ck_assert(!mp_name_known(AT(99)));
    ck_assert(mp_name_known(AT(100)));
}

static void
settle(void)
{
}

static bool
resolve(const char *present, char *room, size_t size)
{
    (void)present, (void)room, (void)size;
    return false;
}

/* "A or B" has no space for a name of this length, so copies of the function's code stay without a name. */
TEST(a_merged_function_with_a_very_long_name)
{
    static const struct mp_language language = {.settle = settle, .resolve = resolve};
    static char text[510];
    const struct mp_function_name name = {text, NULL, -1, 0, 0};
    struct mp_gate_hold hold;

    memset(text, 'A', sizeof text - 1);
    begin_recording();
    mp_language = &language;
    mp_name_tell(AT(1), &name);
    mp_name_twin(AT(1), AT(2), MP_TWIN_COPIED);
    mp_name_copies(AT(0), AT(10));
    ck_assert(mp_gate_lock(&hold));
    ck_assert_uint_eq(mp_name_for_frame(AT(1), mp_store_take(MP_EXT_FRAMES, 1), 1), 0);
    ck_assert_uint_eq(mp_store_taken(MP_EXT_NAMES), 0);
    mp_gate_unlock(&hold);
}
/* SPDX-License-Identifier: MIT */
