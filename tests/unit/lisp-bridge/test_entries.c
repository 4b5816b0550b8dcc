/* Redirects functions of this program as entries.c does those of a libgc that is linked into a program. */
#include "tests/unit/tap.h"

#include <link.h>
#include <pthread.h>
#include <stdint.h>

#include "lisp-bridge/entries.h"

struct mp_ecl mp_ecl;

#ifdef __x86_64__

/* Functions that begin like those of libgc. Each returns a number made of its argument. */
extern uint64_t mov_and_jump(uint64_t), xor_and_jump(uint64_t), branch(uint64_t), pushes(uint64_t), variable(uint64_t);
/* Functions that must not be changed: a jump leads between the first instructions, the first instruction calls, and a
 * register contains the address of a jump. */
extern uint64_t loops(uint64_t), calls(uint64_t), anywhere(uint64_t), small(uint64_t);

__asm__(".text\n"
        ".p2align 4\nmov_and_jump: .cfi_startproc\n mov $1, %esi\n jmp sum\n .cfi_endproc\n"
        ".p2align 4\nxor_and_jump: .cfi_startproc\n xor %esi, %esi\n .byte 0xe9\n .long sum - . - 4\n .cfi_endproc\n"
        ".p2align 4\nbranch: .cfi_startproc\n test %rdi, %rdi\n .byte 0x0f, 0x84\n .long 1f - . - 4\n"
        " lea 2(%rdi), %rax\n ret\n1: mov $77, %eax\n ret\n .cfi_endproc\n"
        ".p2align 4\npushes: .cfi_startproc\n endbr64\n push %rbx\n push %r12\n mov %rdi, %rbx\n"
        " lea 3(%rbx), %rax\n pop %r12\n pop %rbx\n ret\n .cfi_endproc\n"
        ".p2align 4\nvariable: .cfi_startproc\n mov a_variable(%rip), %rax\n add %rdi, %rax\n ret\n .cfi_endproc\n"
        ".p2align 4\nloops: .cfi_startproc\n xor %eax, %eax\n1: add $2, %rax\n dec %rdi\n jnz 1b\n ret\n .cfi_endproc\n"
        ".p2align 4\ncalls: .cfi_startproc\n call sum\n ret\n .cfi_endproc\n"
        ".p2align 4\nanywhere: .cfi_startproc\n mov $1, %esi\n lea sum(%rip), %rax\n jmp *%rax\n .cfi_endproc\n"
        ".p2align 4\nsmall: .cfi_startproc\n xor %eax, %eax\n ret\n .cfi_endproc\n"
        ".p2align 4\nsum: .cfi_startproc\n lea (%rdi, %rsi), %rax\n ret\n .cfi_endproc\n"
        ".data\n.p2align 3\na_variable: .quad 1000\n.text\n");

static uint64_t
ours(uint64_t number)
{
    return number + 5000;
}

static struct mp_import import = { .name = "function", .ours = (void *)(uintptr_t)ours };

static const char *
redirect(uint64_t (*function)(uint64_t), size_t size)
{
    const struct mp_range range = { (uintptr_t)function, size };

    mp_ecl.libecl = _r_debug.r_map;
    mp_ecl.libecl_code.start = (uintptr_t)mov_and_jump;
    return mp_entries_redirect(&import, &range, 1);
}

/* Redirects FUNCTION, for which 10 must give RESULT. */
static void
check(uint64_t (*volatile function)(uint64_t), size_t size, uint64_t result)
{
    uint64_t (*theirs)(uint64_t);

    ck_assert_uint_eq(function(10), result);
    ck_assert_ptr_null(redirect(function, size));
    ck_assert_uint_eq(function(10), result);
    mp_imports_set(&import, 1, true);
    ck_assert_uint_eq(function(10), 5010);
    __builtin_memcpy(&theirs, &import.theirs, sizeof theirs);
    ck_assert_uint_eq(theirs(10), result);
    mp_imports_set(&import, 1, false);
    ck_assert_uint_eq(function(10), result);
}

TEST(functions_like_those_of_libgc)
{
    check(mov_and_jump, 10, 11);
    check(xor_and_jump, 7, 10);
    check(branch, 20, 12);
    ck_assert_uint_eq(branch(0), 77);
    check(pushes, 19, 13);
    check(variable, 11, 1010);
}

TEST(others_stay_as_they_are)
{
    ck_assert_ptr_nonnull(redirect(loops, 12));
    ck_assert_uint_eq(loops(4), 8);
    ck_assert_ptr_nonnull(redirect(calls, 6));
    ck_assert_ptr_nonnull(redirect(anywhere, 14));
    ck_assert_ptr_nonnull(redirect(small, 3));
    ck_assert_uint_eq(small(4), 0);
}

static void *
wait_for(void *lock)
{
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

TEST(nothing_is_changed_beside_other_threads)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_t thread;

    pthread_mutex_lock(&lock);
    ck_assert_int_eq(pthread_create(&thread, NULL, wait_for, &lock), 0);
    ck_assert_str_eq(redirect(mov_and_jump, 10), "it may already have several threads");
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    ck_assert_uint_eq(mov_and_jump(10), 11);
}

#endif
/* SPDX-License-Identifier: MIT */
