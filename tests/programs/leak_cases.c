/*
 * Blocks that are lost, and blocks that are not. Each case has its own size, which identifies it in the table of
 * leaks.
 *
 *     leak_cases [LIBRARY [END]]      END: return, exit, _exit, quick
 */
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HIDE ((uintptr_t)0x5555000000000000)

struct node {
    struct node *left, *right;
};

void *volatile global, *volatile global_inside;
static __thread void *volatile in_tls;
static void **volatile mapped, **volatile shared;
static volatile uintptr_t hidden;
static pthread_key_t key;
static sem_t there, go;

/* Overwrites what earlier calls left on the stack. */
static __attribute__((noinline)) void
sweep(void)
{
    volatile char room[16384];

    for (size_t i = 0; i < sizeof room; i++)
        room[i] = 0;
}

static __attribute__((noinline)) void *
get(size_t size)
{
    void *block = malloc(size);

    memset(block, 0, size);
    return block;
}

static __attribute__((noinline)) void
lost_in_local(void)
{
    void *volatile block = get(1001);

    block = NULL;
    (void)block;
}

static __attribute__((noinline)) void
overwritten(void)
{
    global = get(1011);
    global = get(1012);
}

static __attribute__((noinline)) void
cycle(void)
{
    struct node *a = get(1021), *b = get(1022);

    a->left = b;
    b->left = a;
}

static __attribute__((noinline)) void
tree(void)
{
    struct node *root = get(1031);

    root->left = get(1032);
    root->right = get(1033);
    root->left->left = get(1034);
}

static __attribute__((noinline)) void
interior(void)
{
    global_inside = (char *)get(1041) + 72;
}

static __attribute__((noinline)) void
thread_storage(void)
{
    in_tls = get(1051);
    pthread_key_create(&key, NULL);
    pthread_setspecific(key, get(1052));
}

static __attribute__((noinline)) void
in_mapping(void)
{
    mapped = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    shared = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    mapped[100] = get(1061);
    shared[100] = get(1062);
}

static __attribute__((noinline)) void
by_xor(void)
{
    hidden = (uintptr_t)get(1071) ^ HIDE;
}

static __attribute__((noinline)) void
in_freed(void)
{
    struct node *block = get(1081);

    block->right = block->left = get(1082);
    ((struct node **)block)[20] = block->left;
    free(block);
}

static __attribute__((noinline)) void
by_realloc(void)
{
    static void *volatile kept __attribute__((used));
    void *old = get(1091);

    kept = realloc(old, 70001);
    if (!realloc(get(1093), 1094))
        abort();
}

static __attribute__((noinline)) void
array_with_length(void)
{
    uint64_t *block = get(1104);
    static uint64_t *volatile elements;

    block[0] = 8;               /* 8 elements of 137 bytes each, with their number in front, as new[] lays them out */
    elements = block + 1;
    (void)elements;
}

static void *
waits(void *unused)
{
    void *volatile on_stack = get(1111);
    static __thread void *volatile in_its_tls;

    in_its_tls = get(1112);
    sem_post(&there);
    while (sem_wait(&go) != 0)
        continue;
    free(on_stack);
    free(in_its_tls);
    return unused;
}

static void *
ends(void *unused)
{
    static __thread void *volatile in_its_tls;
    void *volatile on_stack = get(1121);

    in_its_tls = get(1122);
    (void)on_stack;
    (void)in_its_tls;
    return unused;
}

static void
threads(void)
{
    pthread_t ended, waiting;

    sem_init(&there, 0, 0);
    sem_init(&go, 0, 0);
    pthread_create(&ended, NULL, ends, NULL);
    pthread_join(ended, NULL);
    pthread_create(&waiting, NULL, waits, NULL);
    while (sem_wait(&there) != 0)
        continue;
}

static void
in_library(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    void **variable = library ? dlsym(library, "mp_leak_holder") : NULL;

    if (!variable) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    *variable = get(1131);
}

/* Ends the process as HOW states. Meanwhile, the only pointer to a block of main() is in a register that calls
 * preserve. */
static __attribute__((noinline, noreturn)) void
end(const char *how)
{
    if (strcmp(how, "_exit") == 0)
        _exit(0);
    if (strcmp(how, "quick") == 0)
        quick_exit(0);
    if (strcmp(how, "wait") == 0) {
        char c;

        puts("ready");
        fflush(stdout);
        for (;;) {
            free(get(8));
            if (read(0, &c, 1) == 0)
                break;
        }
    }
    exit(0);
}

int
main(int argc, char **argv)
{
    static void *volatile in_static __attribute__((used));

    if (argc > 1 && argv[1][0])
        in_library(argv[1]);
    in_static = get(1141);
    lost_in_local();
    overwritten();
    cycle();
    tree();
    interior();
    thread_storage();
    in_mapping();
    by_xor();
    in_freed();
    by_realloc();
    array_with_length();
    threads();
    sweep();
#ifdef __x86_64__
    register void *in_register __asm__("r12") = get(1151);
    __asm__ volatile("" : "+r"(in_register));
#endif
    sweep();
    if (argc > 2 && strcmp(argv[2], "return") == 0)
        return 0;
    end(argc > 2 ? argv[2] : "exit");
}
/* SPDX-License-Identifier: MIT */
