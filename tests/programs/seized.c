/*
 * seized.c -- a program that takes away memory that is not its own, as some sandboxes and checkpointers do with all
 * that /proc/self/maps shows; see tests/e2e/seized.sh.
 *
 *     seized HOW WHAT     HOW is what it does to WHAT of the monitor's memory: a mapping's number, file, anonymous, all
 *
 * HOW of "raw-X" does X without libc. Then the program allocates in two threads and in a forked child, and ends with
 * status 7. WHAT of `list` prints the number of mappings.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_MAPPINGS 4096

static struct mapping {
    unsigned long start, end;
    int file;
} mappings[MAX_MAPPINGS];
static int n_mappings;

__attribute__((noinline)) static void *
block(size_t size)
{
    return malloc(size);
}

static void *
work(void *unused)
{
    static __thread void *blocks[1000];

    for (int i = 0; i < 20000; i++) {
        free(blocks[i % 1000]);
        blocks[i % 1000] = i % 7 ? block((size_t)(i * 37 % 3000)) : calloc(1, 10);
    }
    for (int i = 0; i < 1000; i++) {
        free(blocks[i]);
        blocks[i] = NULL;
    }
    return unused;
}

/* Lists the mappings in the second eighth of the address space, where only the monitor maps memory. */
static void
list(void)
{
    static char text[1 << 20];
    int fd = open("/proc/self/maps", O_RDONLY);
    size_t used = 0;
    ssize_t n;

    while ((n = read(fd, text + used, sizeof text - used - 1)) > 0)
        used += (size_t)n;
    close(fd);
    for (char *line = strtok(text, "\n"); line && n_mappings < MAX_MAPPINGS; line = strtok(NULL, "\n")) {
        struct mapping *m = &mappings[n_mappings];

        if (sscanf(line, "%lx-%lx", &m->start, &m->end) == 2 && m->start >> 44 == 1) {
            m->file = strchr(line, '/') != NULL;
            n_mappings++;
        }
    }
}

static void
take(const struct mapping *m, const char *how)
{
    void *start = (void *)m->start;
    size_t size = m->end - m->start;
    int raw = strncmp(how, "raw-", 4) == 0;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;

#define DO(name, number, ...) (raw ? (void)syscall(number, __VA_ARGS__) : (void)name(__VA_ARGS__))
    how += 4 * raw;
    if (strcmp(how, "unmap") == 0)
        DO(munmap, SYS_munmap, start, size);
    else if (strcmp(how, "none") == 0)
        DO(mprotect, SYS_mprotect, start, size, PROT_NONE);
    else if (strcmp(how, "read") == 0)
        DO(mprotect, SYS_mprotect, start, size, PROT_READ);
    else if (strcmp(how, "write") == 0)
        DO(mprotect, SYS_mprotect, start, size, PROT_WRITE);
    else if (strcmp(how, "execute") == 0)
        DO(mprotect, SYS_mprotect, start, size, PROT_EXEC);
    else if (strcmp(how, "key") == 0)
        DO(pkey_mprotect, SYS_pkey_mprotect, start, size, PROT_READ | PROT_WRITE, pkey_alloc(0, PKEY_DISABLE_ACCESS));
    else if (strcmp(how, "dontneed") == 0)
        DO(madvise, SYS_madvise, start, size, MADV_DONTNEED);
    else if (strcmp(how, "remove") == 0)
        DO(madvise, SYS_madvise, start, size, MADV_REMOVE);
    else if (strcmp(how, "move") == 0)
        DO(mremap, SYS_mremap, start, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)(0x300000000000 + m->start));
    else if (strcmp(how, "reserve") == 0)
        DO(mmap, SYS_mmap, start, size, PROT_NONE, flags, -1, 0);
    else if (strcmp(how, "over") == 0)
        DO(mmap, SYS_mmap, start, size, PROT_READ | PROT_WRITE, flags, -1, 0);
    else
        _exit(99);
}

int
main(int argc, char **argv)
{
    pthread_t thread;
    int status = 0;
    pid_t child;

    if (argc < 3)
        return 98;
    work(NULL);
    list();
    if (strcmp(argv[2], "list") == 0)
        printf("%d\n", n_mappings);
    for (int i = 0; i < n_mappings; i++)
        if (strcmp(argv[2], "all") == 0 || (argv[2][0] >= '0' && argv[2][0] <= '9' && atoi(argv[2]) == i) ||
            strcmp(argv[2], mappings[i].file ? "file" : "anonymous") == 0)
            take(&mappings[i], argv[1]);
    work(NULL);
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
    child = fork();
    if (child == 0) {
        work(NULL);
        _exit(6);
    }
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 6)
        printf("child: %x\n", (unsigned)status);
    puts("done");
    return 7;
}
/* SPDX-License-Identifier: MIT */
