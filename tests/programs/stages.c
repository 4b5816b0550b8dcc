/*
 * stages.c -- a program that waits for a word on its standard input before each stage, and prints the word after the
 * stage, so that an observer knows what lives.
 *
 *     load    load() allocates 100 blocks of 10,000 bytes
 *     work    work() allocates 50 blocks of 4,000 bytes, and then 60 of load's are freed
 *     tail    work's blocks are freed, and tail() allocates 10 blocks of 1,000 bytes
 *
 * The peak is in between: 1,000,000 bytes of load() and 200,000 bytes of work().
 */
#include "program.h"

static void *loaded[100], *worked[50], *last[10];

static FRAME void
load(void)
{
    for (int i = 0; i < 100; i++)
        loaded[i] = malloc(10000);
}

static FRAME void
work(void)
{
    for (int i = 0; i < 50; i++)
        worked[i] = malloc(4000);
    for (int i = 0; i < 60; i++)
        free(loaded[i]);
}

static FRAME void
tail(void)
{
    for (int i = 0; i < 50; i++)
        free(worked[i]);
    for (int i = 0; i < 10; i++)
        last[i] = malloc(1000);
}

int
main(void)
{
    static const struct { const char *word; void (*stage)(void); } stages[] = {
        {"load\n", load}, {"work\n", work}, {"tail\n", tail}};
    char word[16];
    ssize_t n;

    while ((n = read(0, word, sizeof word)) > 0) {
        for (int i = 0; i < 3; i++)
            if (n == (ssize_t)strlen(stages[i].word) && memcmp(word, stages[i].word, (size_t)n) == 0)
                stages[i].stage();
        if (write(1, word, (size_t)n) != n)
            return 1;
    }
    return 0;
}
/* SPDX-License-Identifier: MIT */
