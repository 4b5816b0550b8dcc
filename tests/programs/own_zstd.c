/*
 * own_zstd [FILE] -- a program with its own libzstd, whose calls it traces. Two threads compress before, while and
 * after snapshots of the heap are made, until FILE exists. The program keeps a list of known size.
 */
#include "program.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <zstd.h>

enum { LINKS = 200000, LINK = 40, SIZE = 300000 };

struct link { struct link *next; uint64_t number; };

void *volatile the_list;
static pid_t own;
static uint64_t begun, ended;           /* compressions that libzstd reported */

/* libzstd calls these functions if the program has them. */
struct trace;
unsigned long long ZSTD_trace_compress_begin(const ZSTD_CCtx *context);
void ZSTD_trace_compress_end(unsigned long long context, const struct trace *trace);

unsigned long long
ZSTD_trace_compress_begin(const ZSTD_CCtx *context)
{
    (void)context;
    if (getpid() != own)
        mkdir("traced", 0700);
    return __atomic_add_fetch(&begun, 1, __ATOMIC_RELAXED);
}

void
ZSTD_trace_compress_end(unsigned long long context, const struct trace *trace)
{
    (void)context, (void)trace;
    __atomic_add_fetch(&ended, 1, __ATOMIC_RELAXED);
}

static FRAME void
keep(void)
{
    struct link *list = NULL;

    for (uint64_t i = 0; i < LINKS; i++) {
        struct link *first = calloc(1, LINK);

        first->next = list;
        first->number = i;
        list = first;
    }
    the_list = list;
}

/* Compresses and decompresses data made from NUMBER. Returns the number of errors. */
static unsigned
round_trip(uint64_t number)
{
    const size_t room = ZSTD_compressBound(SIZE);
    char *text = malloc(SIZE), *frame = malloc(room), *back = malloc(SIZE);
    size_t size;
    bool right;

    for (size_t i = 0; i < SIZE; i++)
        text[i] = (char)((i >> 4) * number);
    size = ZSTD_compress(frame, room, text, SIZE, 1 + (int)(number % 5));
    right = !ZSTD_isError(size) && size < SIZE && ZSTD_decompress(back, SIZE, frame, size) == SIZE &&
            memcmp(text, back, SIZE) == 0;
    free(text);
    free(frame);
    free(back);
    return !right;
}

static bool stop;

/* Works until the end. Sets *DATA to the number of errors. */
static void *
work(void *data)
{
    unsigned *wrong = data;

    for (uint64_t i = 1; !__atomic_load_n(&stop, __ATOMIC_ACQUIRE); i++)
        *wrong += round_trip(i);
    return NULL;
}

int
main(int argc, char **argv)
{
    unsigned wrong[3] = { 0 };
    pthread_t threads[2];

    own = getpid();
    keep();
    wrong[0] = round_trip(1);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, work, &wrong[1 + i]) != 0)
            return 99;
    say("ready\n");
    while (argc > 1 && access(argv[1], F_OK) != 0)
        wrong[0] += round_trip(2);
    __atomic_store_n(&stop, true, __ATOMIC_RELEASE);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    wrong[0] += round_trip(3);
    say("wrong %u, told of %s\n", wrong[0] + wrong[1] + wrong[2], begun < 2 ? "none" : begun == ended ? "all" : "some");
    sweep();
    return 0;
}
