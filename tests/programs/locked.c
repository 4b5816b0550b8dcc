/*
 * locked.c -- a program that locks its memory, and may lock so many MEGABYTES only; then it allocates
 * BLOCKS blocks of 100 bytes.
 *
 *     locked MEGABYTES BLOCKS     prints `allocs`, `failed`, and `locked`, in kilobytes
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "program.h"

static FRAME void *
block(void)
{
    void *volatile made = malloc(100);

    return made;
}

/* Who may lock as much as he likes gives that up. */
static void
be_limited(rlim_t bytes)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};
    struct rlimit limit = {bytes, bytes};

    if (syscall(SYS_capset, &header, none) != 0 || setrlimit(RLIMIT_MEMLOCK, &limit) != 0)
        _exit(50);
}

static long
locked(void)
{
    char text[8192];
    const char *line;
    int fd = open("/proc/self/status", O_RDONLY);
    ssize_t n = read(fd, text, sizeof text - 1);

    close(fd);
    text[n > 0 ? n : 0] = '\0';
    line = strstr(text, "VmLck:");
    return line ? strtol(line + 6, NULL, 10) : -1;
}

int
main(int argc, char **argv)
{
    long n = argc > 2 ? number_or(argv[2], 0) : 0, made = 0;

    be_limited((rlim_t)number_or(argc > 1 ? argv[1] : NULL, 8) << 20);
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
        say("mlockall: %s\n", strerror(errno));
        return 51;
    }
    for (long i = 0; i < n; i++)
        made += block() != NULL;
    say("allocs %ld\nfailed %ld\nlocked %ld\n", made, n - made, locked());
    return 0;
}
