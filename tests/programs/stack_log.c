/*
 * stack_log.c -- preloaded behind libmprof.so, finds the lowest stack pointer of the first thread at a call of
 * malloc.
 *
 * The monitor's hook has a frame pointer, which points to the caller's frame pointer and the return address. The
 * caller's stack begins after these two words. At the end, the distance between the lowest stack pointer and the
 * beginning of the program's stack is written to the file STACK_LOG (environment variable).
 */
#include <dlfcn.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern const void *__libc_stack_end;
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *block, size_t size);

static uintptr_t lowest = UINTPTR_MAX;
static int is_on;

/* FRAME is the frame address of the function in this file that the hook called. */
static inline void
note(const void *frame)
{
    const uintptr_t sp = *(const uintptr_t *)frame + 2 * sizeof sp;

    if (is_on && gettid() == getpid() && sp < lowest)
        lowest = sp;
}

void *
malloc(size_t size)
{
    note(__builtin_frame_address(0));
    return __libc_malloc(size);
}

void *
calloc(size_t n, size_t size)
{
    note(__builtin_frame_address(0));
    return __libc_calloc(n, size);
}

void *
realloc(void *block, size_t size)
{
    note(__builtin_frame_address(0));
    return __libc_realloc(block, size);
}

/* Earlier allocations include those of the monitor itself. */
__attribute__((constructor)) static void
begin(void)
{
    is_on = 1;
}

__attribute__((destructor)) static void
end(void)
{
    const char *name = getenv("STACK_LOG");
    FILE *file;

    is_on = 0;
    file = name ? fopen(name, "w") : NULL;
    if (file) {
        fprintf(file, "main %lu\n", (unsigned long)((uintptr_t)__libc_stack_end - lowest));
        fclose(file);
    }
}
