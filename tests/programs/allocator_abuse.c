/*
 * allocator_abuse.c -- misuse and extreme uses of the malloc family.
 *
 *     allocator_abuse WHAT       see the table at the end
 *
 * Its output and its end are compared with those of a run without mprof.
 */
#include <errno.h>
#include <malloc.h>
#include <sys/mman.h>

#include "program.h"

static FRAME void *
block(size_t size)
{
    void *volatile made = malloc(size);

    return made;
}

static void
double_free(void)
{
    void *volatile made = block(40);

    free(made);
    free(made);
}

/* A double free that glibc does not notice, because it compares only with the first block of its list. */
static void
unnoticed_double_free(void)
{
    void *volatile made[9];

    for (int i = 0; i < 9; i++)
        made[i] = block(40);
    for (int i = 0; i < 9; i++)
        free(made[i]);
    free(made[7]);
    say("not noticed\n");
    _exit(0);
}

/* What free() reports, and whether it aborts or crashes, depends on the words in the place of a block's header. They
 * are 0 here and in the following functions. */
static void
free_of_stack(void)
{
    volatile char room[64] __attribute__((aligned(16))) = {0};
    void *volatile made = (void *)(uintptr_t)(room + 32);

    free(made);
}

static void
free_of_inside(void)
{
    char *volatile made = memset(block(100), 0, 100);

    free(made + 48);
}

static void
free_unaligned(void)
{
    char *volatile made = memset(block(100), 0, 100);

    free(made + 51);
}

static void
realloc_of_foreign(void)
{
    static char foreign[64] __attribute__((aligned(16)));
    void *volatile made = foreign + 32;

    made = realloc(made, 100);
}

static void
double_free_of_mapping(void)
{
    void *volatile made = block((size_t)1 << 20);

    free(made);
    free(made);
}

/* A block of more than 4 GiB. Only its two ends are touched. */
static void
huge(void)
{
    const size_t size = ((size_t)5 << 30) + 7;
    char *volatile made = block(size), *volatile more;

    if (made == NULL) {
        say("no memory for it\n");
        return;
    }
    made[0] = made[size - 1] = 'x';
    more = realloc(made, size + ((size_t)1 << 30));
    if (more == NULL) {
        say("no memory for more\n");
        free(made);
        return;
    }
    say("kept %d %d\n", more[0] == 'x', more[size - 1] == 'x');
    made = realloc(more, 100);
    say("kept %d\n", made[0] == 'x');
    more = calloc(size, 1);
    say("zero %d\n", more != NULL && more[size - 1] == 0);
    free(more);
    say("usable %d\n", malloc_usable_size(made) >= 100);
    free(made);
}

/* Modelled on glibc's tests tst-malloc-usable, -memalign-2, -aligned-alloc, -realloc, -calloc, -malloc-too-large. */
static void
semantics(void)
{
    static volatile size_t beyond[] = {PTRDIFF_MAX, (size_t)PTRDIFF_MAX + 1, SIZE_MAX - 4096,
                                       SIZE_MAX};
    unsigned long errors = 0, nulls = 0;

    for (int i = 0; i < 4; i++) {
        void *volatile made = block(10);

        errno = 0;
        nulls += malloc(beyond[i]) == NULL && errno == ENOMEM;
        errno = 0;
        nulls += calloc(beyond[i], 1) == NULL && errno == ENOMEM;
        errno = 0;
        nulls += realloc(made, beyond[i]) == NULL && errno == ENOMEM;
        errno = 0;
        nulls += reallocarray(made, beyond[i], 3) == NULL && errno == ENOMEM;
        errno = 0;
        nulls += aligned_alloc(64, beyond[i]) == NULL && errno == ENOMEM;
        errno = 0;
        nulls += memalign(4096, beyond[i]) == NULL && errno == ENOMEM;
        free(made);
    }
    for (size_t alignment = 1; alignment <= (size_t)1 << 24; alignment *= 2)
        for (size_t size = 0; size < 5000; size = size * 3 + 1) {
            char *made = memalign(alignment, size);

            errors += made == NULL || (uintptr_t)made % alignment != 0 ||
                      malloc_usable_size(made) < size;
            memset(made, 0xa5, size);
            made = realloc(made, size + 1);
            for (size_t i = 0; i < size; i++)
                errors += made[i] != (char)0xa5;
            free(made);
        }
    for (size_t size = 0; size < 3000; size++) {    /* calloc must clear memory that was used before */
        char *made = memset(block(size), 1, size);

        free(made);
        made = calloc(size, 1);
        for (size_t i = 0; i < size; i++)
            errors += made[i] != 0;
        free(made);
    }
    errno = 5;
    free(NULL);
    say("errors %lu nulls %lu errno %d\n", errors, nulls, errno);
}

/* Allocates many blocks that live at the same time. */
static void
many(void)
{
    long n = number_or(getenv("BLOCKS"), 300000);
    void **made = mmap(NULL, (size_t)n * sizeof *made, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (made == MAP_FAILED)
        _exit(50);
    for (long i = 0; i < n; i++)
        made[i] = block(16);
    say("made %ld\n", n);
    for (long i = 0; i < n; i++)
        free(made[i]);
}

static const struct {
    const char *name;
    void (*run)(void);
} all[] = {
    {"double", double_free}, {"unnoticed", unnoticed_double_free}, {"stack", free_of_stack},
    {"inside", free_of_inside}, {"unaligned", free_unaligned}, {"realloc", realloc_of_foreign},
    {"mapping", double_free_of_mapping}, {"huge", huge}, {"semantics", semantics}, {"many", many},
};

int
main(int argc, char **argv)
{
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (argc > 1 && strcmp(all[i].name, argv[1]) == 0) {
            all[i].run();
            return 0;
        }
    return 2;
}
/* SPDX-License-Identifier: MIT */
