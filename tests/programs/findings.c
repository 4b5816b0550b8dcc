/*
 * findings.c -- for each rule of mprof findings, a program with the fault and one without, selected by name.
 */
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "program.h"

struct node {
    struct node *next;
};

static void *volatile kept;

static FRAME void *
make_record(size_t size)
{
    return malloc(size);
}

/* ---------------------------------------------------------------- kept */

static FRAME void
leak(void)
{
    for (int i = 0; i < 5000; i++)
        kept = make_record(200);
}

static FRAME void
leak_half(void)
{
    for (int i = 0; i < 5000; i++) {
        kept = make_record(200);
        free(make_record(64));
    }
}

static FRAME void
leak_here(void)
{
    for (int i = 0; i < 2000; i++)
        kept = make_record(200);
}

static FRAME void
leak_there(void)
{
    for (int i = 0; i < 2000; i++)
        kept = make_record(200);
}

static FRAME void
leak_twice(void)
{
    leak_here();
    leak_there();
}

static FRAME void
no_leak(void)
{
    for (int i = 0; i < 5000; i++)
        free(make_record(200));
}

static FRAME void
keep_once(void)
{
    for (int i = 0; i < 20; i++)
        kept = make_record(50000);
}

/* ---------------------------------------------------------------- churn */

static FRAME void
use_buffer(char *buffer)
{
    buffer[0] = 1;
    __asm__ volatile("" : : "r"(buffer) : "memory");
}

static FRAME void
churn(void)
{
    for (int i = 0; i < 600000; i++) {
        char *buffer = malloc(64);

        use_buffer(buffer);
        free(buffer);
    }
}

static FRAME void
no_churn(void)
{
    char *buffer = malloc(64);

    for (int i = 0; i < 600000; i++)
        use_buffer(buffer);
    free(buffer);
}

/* ---------------------------------------------------------------- tiny */

enum { N_NODES = 200000 };

static FRAME void
tiny(void)
{
    struct node *list = NULL, *next;

    for (int i = 0; i < N_NODES; i++) {
        struct node *node = malloc(sizeof *node);

        node->next = list;
        list = node;
    }
    for (; list; list = next) {
        next = list->next;
        free(list);
    }
}

static FRAME void
no_tiny(void)
{
    struct node *list = malloc(N_NODES * sizeof *list);

    memset(list, 0, N_NODES * sizeof *list);
    kept = list;
    free(list);
}

/* ---------------------------------------------------------------- small steps */

enum { N_TEXTS = 60, N_LINES = 2000, LINE = 50 };

struct text {
    char *bytes;
    size_t used, room;
};

static FRAME void
add_room(struct text *text, size_t room)
{
    text->room = room;
    text->bytes = realloc(text->bytes, room);
}

static FRAME void
add_line(struct text *text, bool steps)
{
    text->used += LINE;
    if (text->used > text->room)
        add_room(text, steps ? text->used : 2 * text->used);
}

static FRAME void
write_texts(bool steps)
{
    for (int i = 0; i < N_TEXTS; i++) {
        struct text text = {0};

        for (int line = 0; line < N_LINES; line++)
            add_line(&text, steps);
        free(text.bytes);
    }
}

static void
in_steps(void)
{
    write_texts(true);
}

static void
doubled(void)
{
    write_texts(false);
}

/* Makes many blocks and enlarges each of them once, by little. */
static FRAME void
one_step_each(void)
{
    for (int i = 0; i < 200000; i++)
        free(realloc(malloc(1000), 1010));
}

/* ---------------------------------------------------------------- across threads */

enum { N_HANDED = 60000 };

static void *handed[N_HANDED];

static FRAME void
make_all(void)
{
    for (int i = 0; i < N_HANDED; i++)
        handed[i] = malloc(48);
}

static FRAME void *
free_all(void *unused)
{
    for (int i = 0; i < N_HANDED; i++)
        free(handed[i]);
    return unused;
}

static FRAME void
across(void)
{
    pthread_t thread;

    for (int i = 0; i < 3; i++) {
        make_all();
        if (pthread_create(&thread, NULL, free_all, NULL) != 0 || pthread_join(thread, NULL) != 0)
            _exit(99);
    }
}

static FRAME void
no_across(void)
{
    for (int i = 0; i < 3; i++) {
        make_all();
        free_all(NULL);
    }
}

/* ---------------------------------------------------------------- in rounds */

enum { N_ROUNDS = 3000, N_WORDS = 100 };

static FRAME void *
make_word(int i)
{
    return malloc(i % 2 ? 64 : 96);
}

/* Makes words in rounds and frees them at the end of the round. */
static FRAME void
in_rounds(void)
{
    for (int round = 0; round < N_ROUNDS; round++) {
        void *words[N_WORDS];

        for (int i = 0; i < N_WORDS; i++)
            words[i] = make_word(i);
        for (int i = 0; i < N_WORDS; i++)
            free(words[i]);
    }
}

/* ---------------------------------------------------------------- over time */

enum { N_STEPS = 100, STEP_MS = 30 };

static void
pause_ms(long ms)
{
    const struct timespec time = {0, ms * 1000000};

    nanosleep(&time, NULL);
}

/* Takes so long that it grows in seven eighths of the time even if the machine stands still for a second. */
static FRAME void
grow(void)
{
    for (int i = 0; i < N_STEPS; i++) {
        for (int j = 0; j < 20; j++)
            kept = make_record(1000);
        pause_ms(2 * STEP_MS);
    }
}

/* Grows in steps that are much smaller than the resolution of the trace. */
static FRAME void
drip(void)
{
    for (int i = 0; i < 1500; i++) {
        kept = make_record(1000);
        pause_ms(1);
    }
}

static FRAME void
no_grow(void)
{
    void *records[20];

    for (int i = 0; i < N_STEPS; i++) {
        for (int j = 0; j < 20; j++)
            records[j] = make_record(100000);
        pause_ms(STEP_MS);
        for (int j = 0; j < 20; j++)
            free(records[j]);
    }
}

/* Reaches the same peak, for a short time or until the end. */
static FRAME void
copy_all(bool short_phase)
{
    void *copy = malloc(20000000);

    kept = copy;
    pause_ms(STEP_MS * 5);
    for (int i = 0; i < N_STEPS && !short_phase; i++)
        pause_ms(STEP_MS);
    free(copy);
}

static FRAME void
phase(bool short_phase)
{
    void *data = malloc(1000000);

    for (int i = 0; i < N_STEPS; i++)           /* long enough for a loaded machine, on which sleep ends late */
        pause_ms(STEP_MS);
    copy_all(short_phase);
    for (int i = 0; i < N_STEPS && short_phase; i++)
        pause_ms(STEP_MS);
    free(data);
}

static void
short_phase(void)
{
    phase(true);
}

static void
long_phase(void)
{
    phase(false);
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } faults[] = {
        {"leak", leak}, {"leak-half", leak_half}, {"leak-twice", leak_twice},
        {"no-leak", no_leak}, {"keep-once", keep_once},
        {"churn", churn}, {"no-churn", no_churn},
        {"tiny", tiny}, {"no-tiny", no_tiny},
        {"steps", in_steps}, {"no-steps", doubled}, {"one-step", one_step_each},
        {"across", across}, {"no-across", no_across}, {"rounds", in_rounds},
        {"grow", grow}, {"drip", drip}, {"no-grow", no_grow},
        {"phase", short_phase}, {"no-phase", long_phase}};

    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (argc == 2 && strcmp(argv[1], faults[i].name) == 0) {
            faults[i].run();
            return 0;
        }
    return 2;
}
/* SPDX-License-Identifier: MIT */
