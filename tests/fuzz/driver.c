/*
 * driver.c -- runs a fuzz target without libFuzzer.
 *
 *     TARGET [-runs=0] [-max_total_time=S] [-seed=N] [-max_len=N] [-timeout=S]
 *            [-artifact_prefix=P] FOLDER|FILE...
 *
 * The options are libFuzzer's. Runs each file once. Then, unless -runs=0, mutates the files: changes, removes and
 * inserts bytes, also from other files, with a random generator whose seed is printed. Coverage is not used. An input
 * that crashes or exceeds the timeout is written to P. The same seed, files and time reproduce it.
 */
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MOST_FILES 4096
#define MOST_CHANGES 6

struct input {
    uint8_t *bytes;
    size_t size;
};

static struct input corpus[MOST_FILES], present;
static size_t n_corpus, max_len = 1 << 16;
static long runs = -1, seconds = 60, timeout = 20;
static uint64_t state;
static const char *prefix = "";

/* ------------------------------------------------------------------ an input that crashes */

void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void
write_input(void)
{
    char path[4096];
    int fd;

    snprintf(path, sizeof path, "%scrash-%016llx", prefix, (unsigned long long)state);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0 || write(fd, present.bytes, present.size) != (ssize_t)present.size)
        return;
    close(fd);
    dprintf(2, "the input is in %s\n", path);
}

static void
on_signal(int number)
{
    write_input();
    signal(number, SIG_DFL);
    raise(number);
}

static void
catch_crashes(void)
{
    static const int signals[] = {SIGABRT, SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(write_input);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (!__sanitizer_set_death_callback || i < 2)
            signal(signals[i], on_signal);
}

/* ------------------------------------------------------------------ inputs */

static uint64_t
next_number(void)
{
    state ^= state << 13;       /* xorshift64 (Marsaglia 2003) */
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1du;
}

static size_t
below(size_t limit)
{
    return limit > 0 ? (size_t)((next_number() >> 16) % limit) : 0;
}

static void
run_present(void)
{
    alarm((unsigned)timeout);
    LLVMFuzzerTestOneInput(present.bytes, present.size);
    alarm(0);
}

static void
change_number(void)
{
    static const int64_t odd[] = {0, 1, -1, 127, 128, 255, 256, 0x7fff, 0x7fffffff, INT64_MAX,
                                  INT64_MIN, 16, 64, 4096};
    size_t width = (size_t)1 << below(4), at = below(present.size);
    int64_t value = odd[below(sizeof odd / sizeof *odd)];

    if (width <= present.size - at)
        memcpy(present.bytes + at, &value, width);
}

/* Inserts up to 32 bytes of one of the files at a random place. */
static void
insert(void)
{
    const struct input *from = &corpus[below(n_corpus)];
    size_t at = below(present.size + 1), source = below(from->size);
    size_t n = 1 + below(32);

    if (n > from->size - source || present.size + n > max_len)
        return;
    memmove(present.bytes + at + n, present.bytes + at, present.size - at);
    memcpy(present.bytes + at, from->bytes + source, n);
    present.size += n;
}

static void
take_out(void)
{
    size_t at = below(present.size), n = 1 + below(below(4) ? 16 : present.size);

    if (n > present.size - at)
        n = present.size - at;
    memmove(present.bytes + at, present.bytes + at + n, present.size - at - n);
    present.size -= n;
}

static void
change(void)
{
    if (present.size == 0)
        return;
    switch (below(6)) {
    case 0:
        present.bytes[below(present.size)] ^= (uint8_t)(1u << below(8));
        break;
    case 1:
        present.bytes[below(present.size)] = (uint8_t)next_number();
        break;
    case 2:
    case 3:
        change_number();
        break;
    case 4:
        insert();
        break;
    default:
        take_out();
    }
}

static void
make_input(void)
{
    const struct input *from = &corpus[below(n_corpus)];

    present.size = from->size < max_len ? from->size : max_len;
    memcpy(present.bytes, from->bytes, present.size);
    for (size_t n = 1 + below(MOST_CHANGES); n > 0; n--)
        change();
}

/* ------------------------------------------------------------------ files */

static void
add_file(const char *path)
{
    struct stat status;
    struct input input;
    FILE *file = fopen(path, "r");

    if (!file || fstat(fileno(file), &status) != 0 || n_corpus == MOST_FILES) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    input.size = (size_t)status.st_size;
    input.bytes = malloc(input.size + 1);
    if (!input.bytes || fread(input.bytes, 1, input.size, file) != input.size)
        exit(1);
    fclose(file);
    corpus[n_corpus++] = input;
}

static void
add(const char *path)
{
    struct dirent **names;
    int n = scandir(path, &names, NULL, alphasort);

    if (n < 0) {
        add_file(path);
        return;
    }
    for (int i = 0; i < n; i++) {
        char name[4096];

        snprintf(name, sizeof name, "%s/%s", path, names[i]->d_name);
        if (names[i]->d_name[0] != '.')
            add_file(name);
        free(names[i]);
    }
    free(names);
}

static void
take_argument(const char *argument)
{
    if (sscanf(argument, "-runs=%ld", &runs) == 1 ||
        sscanf(argument, "-max_total_time=%ld", &seconds) == 1 ||
        sscanf(argument, "-timeout=%ld", &timeout) == 1 ||
        sscanf(argument, "-max_len=%zu", &max_len) == 1 ||
        sscanf(argument, "-seed=%lu", &state) == 1)
        return;
    if (strncmp(argument, "-artifact_prefix=", 17) == 0)
        prefix = argument + 17;
    else if (argument[0] != '-')
        add(argument);
}

int
main(int argc, char **argv)
{
    const struct rlimit no_core = {0, 0};
    time_t end;
    unsigned long done;

    for (int i = 1; i < argc; i++)
        take_argument(argv[i]);
    setrlimit(RLIMIT_CORE, &no_core);
    catch_crashes();
    for (done = 0; done < n_corpus; done++) {
        present = corpus[done];
        run_present();
    }
    if (state == 0)
        state = (uint64_t)time(NULL);
    fprintf(stderr, "seed %llu\n", (unsigned long long)state);
    present.bytes = malloc(max_len + 1);
    end = time(NULL) + seconds;
    for (; present.bytes && n_corpus > 0 && runs != 0 && time(NULL) < end; done++, runs--) {
        make_input();
        run_present();
    }
    fprintf(stderr, "Done %lu runs\n", done);
    return 0;
}
/* SPDX-License-Identifier: MIT */
