/*
 * books.h -- counts calls in programs that are killed or that kill their own threads. Before each call a thread notes
 * what it begins, and after the call what it has done, in a shared file.
 *
 * The exact number lies between the two, because each thread has at most one call in progress. The environment
 * variable BOOKS names the file. Without it, the books are in memory.
 */
#ifndef MP_TEST_BOOKS_H
#define MP_TEST_BOOKS_H

#include <fcntl.h>
#include <sys/mman.h>

#include "program.h"

#define BOOKS_THREADS 1024

struct books {                  /* the books of one thread */
    uint64_t allocs_begun, allocs_done, bytes_done, frees_begun, frees_done, freed_done;
    uint64_t unused[2];
};

static struct books *books;

static inline void
books_open(void)
{
    const char *path = getenv("BOOKS");
    int fd = path != NULL ? open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
    size_t size = BOOKS_THREADS * sizeof *books;

    if (fd >= 0 && ftruncate(fd, (off_t)size) != 0)
        _exit(90);
    books = (struct books *)mmap(NULL, size, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);
    if (books == MAP_FAILED)
        _exit(91);
    if (fd >= 0)
        close(fd);
}

#define BOOKS_ADD(field, n) __atomic_store_n(&(field), (field) + (n), __ATOMIC_SEQ_CST)

/* Allocates a block of SIZE bytes in the function that uses this macro. An inline function would be on the chain. */
#define BOOKS_MALLOC(made, mine, size) \
    do { \
        BOOKS_ADD((mine)->allocs_begun, 1); \
        (made) = malloc(size); \
        if ((made) != NULL) { \
            BOOKS_ADD((mine)->allocs_done, 1); \
            BOOKS_ADD((mine)->bytes_done, size); \
        } \
    } while (0)

/* Allocates every block that the programs need for themselves. */
static FRAME __attribute__((unused)) void *
block(struct books *mine, size_t size)
{
    void *volatile made;

    BOOKS_MALLOC(made, mine, size);
    return made;
}

static FRAME __attribute__((unused)) void
unblock(struct books *mine, void *made, size_t size)
{
    BOOKS_ADD(mine->frees_begun, 1);
    free(made);
    BOOKS_ADD(mine->frees_done, 1);
    BOOKS_ADD(mine->freed_done, size);
    KEEP(mine);
}

/* Prints what was done: `allocs`, `bytes`, `frees`, `freed`. */
static inline void
books_say_of(const struct books *done)
{
    say("allocs %lu\nbytes %lu\nfrees %lu\nfreed %lu\n", (unsigned long)done->allocs_done,
        (unsigned long)done->bytes_done, (unsigned long)done->frees_done,
        (unsigned long)done->freed_done);
}

/* Prints the sums of all threads. */
static inline void
books_say(void)
{
    struct books sum = {0, 0, 0, 0, 0, 0, {0, 0}};

    for (int i = 0; i < BOOKS_THREADS; i++) {
        sum.allocs_done += books[i].allocs_done;
        sum.bytes_done += books[i].bytes_done;
        sum.frees_done += books[i].frees_done;
        sum.freed_done += books[i].freed_done;
    }
    books_say_of(&sum);
}

#endif
/* SPDX-License-Identifier: MIT */
