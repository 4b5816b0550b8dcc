/*
 * peak.c -- a program that knows its own peak, and who holds what share of it.
 *
 * Phases grow and shrink the live bytes; the program keeps its own books for each function and
 * notes them whenever the total reaches a new high.  Frees before, at and after the peak, by the
 * owner of the block or by others, and a second, lower top and an equal one after it.
 *
 * Prints, for the moment of the (first) highest total: peak, peak-blocks, and a line
 * `share FUNCTION BYTES BLOCKS` for each function.
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

/* One text that grows by realloc: a free of the old size and an allocation of the new one. */
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
    use_scratch(100, 64);           /* touches the high again and again */
    shrink_to(250);                 /*  10,000: the table is gone */
    grow_text(1000, 30000, 1000);   /*  40,000: below the first high */
    grow_table(20, 1500);           /*  70,000 */
    grow_tree(100);                 /*  74,000 */
    use_scratch(3, 6000);           /*  80,000: the peak, with a scratch block */
    shrink_to(100);
    use_scratch(50, 200);
    grow_table(30, 2000);           /*  64,000: a lower top */
    grow_tree(400);                 /*  80,000: an equal one, which is not a new peak */
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
