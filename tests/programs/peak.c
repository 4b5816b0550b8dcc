/*
 * peak.c -- a program that knows its own peak, and the share of each function in it.
 *
 * In several phases, the live bytes grow and shrink. The program counts them for each function, and notes the counts
 * whenever the total reaches a new maximum. Blocks are freed before, at and after the peak, by the function that
 * allocated them or by others. A second, lower maximum and one that equals the peak follow.
 *
 * Prints, for the first point in time with the highest total, peak, peak-blocks, and a line `share FUNCTION BYTES
 * BLOCKS` for each function.
 */
#include "program.h"

enum { TREE, TABLE, TEXT, SCRATCH, OWNERS };
static const char *const names[OWNERS] = {"grow_tree", "grow_table", "grow_text", "use_scratch"};

struct books {
    long bytes, blocks;
};

static struct books now[OWNERS], top[OWNERS], total, peak;

static void
book(int owner, long bytes, long blocks)
{
    now[owner].bytes += bytes;
    now[owner].blocks += blocks;
    total.bytes += bytes;
    total.blocks += blocks;
    if (total.bytes > peak.bytes) {
        peak = total;
        memcpy(top, now, sizeof top);
    }
}

struct block {
    void *memory;
    long size;
    int owner;
};

#define MAX_BLOCKS 4096
static struct block blocks[MAX_BLOCKS];
static int n_blocks;

static void
note(void *memory, long size, int owner)
{
    if (memory == NULL || n_blocks == MAX_BLOCKS)
        abort();
    blocks[n_blocks++] = (struct block){memory, size, owner};
    book(owner, size, 1);
}

static FRAME void
grow_tree(int n)
{
    for (int i = 0; i < n; i++) {
        void *volatile memory = malloc(40);
        note(memory, 40, TREE);
    }
}

static FRAME void
grow_table(int n, long size)
{
    for (int i = 0; i < n; i++) {
        void *volatile memory = calloc(1, (size_t)size);
        note(memory, size, TABLE);
    }
}

/* A text grows by realloc, which frees the old size and allocates the new one. */
static FRAME void
grow_text(long from, long to, long step)
{
    char *volatile text = malloc((size_t)from);

    book(TEXT, from, 1);
    for (long size = from + step; size <= to; size += step) {
        text = realloc(text, (size_t)size);
        if (text == NULL)
            abort();
        book(TEXT, step, 0);
        from = size;
    }
    note(text, 0, TEXT);
    book(TEXT, 0, -1);              /* note() counted the block a second time */
    blocks[n_blocks - 1].size = from;
}

static FRAME void
use_scratch(int n, long size)
{
    for (int i = 0; i < n; i++) {
        void *volatile memory = malloc((size_t)size);
        book(SCRATCH, size, 1);
        free(memory);
        book(SCRATCH, -size, -1);
    }
}

static FRAME void
shrink_to(int n)
{
    while (n_blocks > n) {
        struct block *last = &blocks[--n_blocks];
        free(last->memory);
        book(last->owner, -last->size, -1);
    }
}

static void
run(void)
{
    grow_tree(500);                 /*  20,000 */
    grow_table(10, 3000);           /*  50,000 */
    use_scratch(100, 64);           /* reaches the maximum again and again */
    shrink_to(250);                 /*  10,000: the table is gone */
    grow_text(1000, 30000, 1000);   /* below the first maximum */
    grow_table(20, 1500);           /*  70,000 */
    grow_tree(100);                 /*  74,000 */
    use_scratch(3, 6000);           /* the peak, which includes a scratch block */
    shrink_to(100);
    use_scratch(50, 200);
    grow_table(30, 2000);           /* a lower maximum */
    grow_tree(400);                 /* an equal maximum, which is not a new peak */
    shrink_to(7);
}

int
main(void)
{
    run();
    say("peak %ld\npeak-blocks %ld\n", peak.bytes, peak.blocks);
    for (int i = 0; i < OWNERS; i++)
        say("share %s %ld %ld\n", names[i], top[i].bytes, top[i].blocks);
    return 0;
}
/* SPDX-License-Identifier: MIT */
