/*
 * look.c -- measures what the observer of `mprof run` needs for one sample of all cells.
 *
 *     look FILE EVERY ROUNDS
 *
 * FILE is a live file that is no longer being written. Before each round, one block is allocated in each EVERYth
 * cell. A round reads all cells without further work, and then takes a sample of them. Prints the medians of both in
 * nanoseconds of processor time, and the median of their ratios.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "reporter/run/live_sample.h"

struct round {
    double read, look, changes;
};

static struct mp_look look;
static char *buffer;
static uint64_t n_cells, n_taken;

static double
now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int
compare(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

static double
median(double *values, long n)
{
    qsort(values, (size_t)n, sizeof *values, compare);
    return values[n / 2];
}

/* Reads everything that a sample reads, into one buffer. */
static void
read_all(void)
{
    char *to = buffer;

    for (uint32_t i = 0; i < look.n_extents; i++) {
        const struct mp_live_extent *extent = &look.header.extents[i];
        size_t size = (size_t)extent->count * extent->record_size;

        if (extent->kind != MP_EXT_CELLS && extent->kind != MP_EXT_MIXED)
            continue;
        if (pread(look.fd, to, size, (off_t)extent->offset) != (ssize_t)size)
            exit(1);
        to += size;
    }
}

static void
allocate_in(off_t at)
{
    struct mp_live_cell cell;

    if (pread(look.fd, &cell, sizeof cell, at) != (ssize_t)sizeof cell)
        exit(1);
    cell.allocs++;
    if (cell.context != 0 && pwrite(look.fd, &cell, sizeof cell, at) != (ssize_t)sizeof cell)
        exit(1);
}

/* Adds one block to each EVERYth cell. */
static void
change(uint32_t every)
{
    n_cells = 0;
    for (uint32_t i = 0; i < look.n_extents; i++) {
        const struct mp_live_extent *extent = &look.header.extents[i];

        if (extent->kind != MP_EXT_CELLS)
            continue;
        for (uint32_t j = 0; j < extent->count; j += every)
            allocate_in((off_t)(extent->offset + j * sizeof(struct mp_live_cell)));
        n_cells += extent->count;
    }
}

static void
take(void *data, const struct mp_change *taken)
{
    (void)data;
    n_taken += taken->allocs > 0;
}

static struct round
measure(void)
{
    struct mp_point point;
    struct round round;
    double start;

    if (!mp_look_totals(&look, &point))
        exit(1);
    start = now();
    read_all();
    round.read = now() - start;
    start = now();
    if (!mp_look_cells_read(&look.cells, look.fd, &point))
        exit(1);
    round.look = now() - start;
    start = now();
    mp_look_cells_changes(&look.cells, take, NULL);
    round.changes = now() - start;
    return round;
}

int
main(int argc, char **argv)
{
    const uint32_t every = argc > 3 ? (uint32_t)atol(argv[2]) : 0;
    const long rounds = argc > 3 ? atol(argv[3]) : 0;
    double *columns[4];
    struct mp_point point;

    if (every < 1 || rounds < 1 || !mp_look_open(&look, open(argv[1], O_RDWR), 0) ||
        !mp_look_totals(&look, &point) || !(buffer = malloc(mp_look_cells_size(&look.cells) + 1)))
        return 2;
    for (int i = 0; i < 4; i++)
        if (!(columns[i] = calloc((size_t)rounds, sizeof(double))))
            return 2;
    measure();
    for (long i = 0; i < rounds; i++) {
        struct round round;

        n_taken = 0;
        change(every);
        round = measure();
        columns[0][i] = round.read;
        columns[1][i] = round.look;
        columns[2][i] = round.changes;
        columns[3][i] = (round.look + round.changes) / round.read;
    }
    printf("%" PRIu64 " cells, %" PRIu64 " changed: read in %.0f ns, a look %.0f ns, changes %.0f ns; %.2f times "
           "the reading\n", n_cells, n_taken, median(columns[0], rounds), median(columns[1], rounds),
           median(columns[2], rounds), median(columns[3], rounds));
    return 0;
}
