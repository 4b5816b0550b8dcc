/*
 * generated.c -- code without unwind tables, and many stacks.
 *
 *     generated code COUNT          a function made at run time allocates COUNT blocks of 24 bytes
 *     generated image PLUG          the bytes of PLUG, copied to where it was loaded, allocate 10 blocks of 40 bytes;
 *                                   then PLUG is loaded there again and allocates 10 blocks of 60 bytes
 *     generated contexts N ROUNDS   N contexts of makecontext() take turns; in each round, each allocates a block of
 *                                   32 bytes, two functions deep, and frees it when its turn comes again
 */
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "program.h"

#define BLOCKS 10

/* ------------------------------------------------------------------ a function */

#ifdef __x86_64__
static FRAME void
call_generated(void *(*function)(void), int count)
{
    for (int i = 0; i < count; i++) {
        void *volatile block = function();

        free(block);
    }
}

static int
run_code(int count)
{
    static const unsigned char begin[] = {0x55, 0x48, 0x89, 0xe5, 0xbf, 24, 0, 0, 0, 0x48, 0xb8};
    static const unsigned char end[] = {0xff, 0xd0, 0x5d, 0xc3};
    unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *(*allocate)(size_t) = malloc, *(*function)(void);

    if (code == MAP_FAILED)
        return 3;
    /* push rbp; mov rbp, rsp; mov edi, 24; mov rax, malloc; call rax; pop rbp; ret */
    memcpy(code, begin, sizeof begin);
    memcpy(code + sizeof begin, &allocate, sizeof allocate);
    memcpy(code + sizeof begin + sizeof allocate, end, sizeof end);
    memcpy(&function, &code, sizeof function);
    call_generated(function, count);
    munmap(code, 4096);
    say("allocs %d\n", count);
    return 0;
}
#else
static int
run_code(int count)
{
    (void)count;
    say("allocs 0\n");
    return 0;
}
#endif

/* ------------------------------------------------------------------ an image */

struct image {
    const char *path;
    char *start, *copy;
    size_t size;
};

static int
save(struct dl_phdr_info *info, size_t size, void *argument)
{
    struct image *image = argument;

    (void)size;
    if (strcmp(info->dlpi_name, image->path) != 0)
        return 0;
    image->start = (char *)info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD)
            image->size = info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
    image->size = (image->size + 4095) & ~(size_t)4095;
    image->copy = mmap(NULL, image->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD)
            memcpy(image->copy + info->dlpi_phdr[i].p_vaddr, image->start + info->dlpi_phdr[i].p_vaddr,
                   info->dlpi_phdr[i].p_memsz);
    return 1;
}

static FRAME void
use(void *(*run)(size_t), size_t size)
{
    for (int i = 0; i < BLOCKS; i++)
        free(run(size));
}

static int
run_image(const char *path)
{
    void *(*run)(size_t), *(*again)(size_t), *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    struct image image = {.path = path};

    if (handle == NULL || dl_iterate_phdr(save, &image) != 1)
        return 3;
    *(void **)&run = dlsym(handle, "plug_run");
    dlclose(handle);
    if (mmap(image.start, image.size, PROT_READ | PROT_WRITE | PROT_EXEC,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != image.start)
        return 4;
    memcpy(image.start, image.copy, image.size);
    use(run, 40);
    munmap(image.start, image.size);
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        return 5;
    *(void **)&again = dlsym(handle, "plug_run");
    use(again, 60);
    say("same-address %d\n", run == again);
    return 0;
}

/* ------------------------------------------------------------------ contexts */

#define STACK_SIZE 16384

static ucontext_t scheduler;
static ucontext_t *running;
static int rounds;

static FRAME void
inner(void)
{
    void *volatile block = malloc(32);

    swapcontext(running, &scheduler);
    free(block);
}

static void
routine(void)
{
    for (int i = 0; i < rounds; i++)
        inner();
}

static int
run_contexts(int n)
{
    ucontext_t *contexts = mmap(NULL, (size_t)n * sizeof *contexts, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *stacks = mmap(NULL, (size_t)n * STACK_SIZE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (contexts == MAP_FAILED || stacks == MAP_FAILED)
        return 3;
    for (int i = 0; i < n; i++) {
        getcontext(&contexts[i]);
        contexts[i].uc_stack.ss_sp = stacks + (size_t)i * STACK_SIZE;
        contexts[i].uc_stack.ss_size = STACK_SIZE;
        contexts[i].uc_link = &scheduler;
        makecontext(&contexts[i], routine, 0);
    }
    for (int round = 0; round <= rounds; round++)
        for (int i = 0; i < n; i++) {
            running = &contexts[i];
            swapcontext(&scheduler, running);
        }
    say("allocs %d\n", n * rounds);
    return 0;
}

int
main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "code") == 0)
        return run_code(atoi(argv[2]));
    if (argc > 2 && strcmp(argv[1], "image") == 0)
        return run_image(argv[2]);
    rounds = argc > 3 ? atoi(argv[3]) : 0;
    return rounds > 0 ? run_contexts(atoi(argv[2])) : 2;
}
/* SPDX-License-Identifier: MIT */
