/*
 * widgets.c -- the simple producer/consumer simulation of the 1988 report (its Figure 1).
 *
 * Producers make widgets, the consumer frees them -- but forgets the red ones.  The coin is a
 * fixed one: of the report's 10,000 widgets 5,019 are red, so that every number in the report's
 * tables comes out again.
 *
 *     widgets [COUNT]      default 10000, at most 1000000
 *
 * It prints nothing: what it allocates is widgets and nothing else.
 */
#include <stdlib.h>

#define NUM_WIDGETS 10000
#define MAX_WIDGETS 1000000

/* The chain is what this example shows: each of its functions must have a frame of its own. */
#define FRAME __attribute__((noinline))

enum color { RED, BLUE };

typedef struct {
    enum color c;
    int data[50];
} widget;

#define WSIZE sizeof(widget)

static widget *wqueue[MAX_WIDGETS];
static volatile int red_widgets, blue_widgets;

/* Heads or tails by a linear congruential generator (the constants of Knuth's MMIX); the seed is
 * the first that falls as the report's coin did, 4,981 blue widgets of 10,000. */
static FRAME int
random_flip(void)
{
    static unsigned long long state = 158ULL;

    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (int)(state >> 63);
}

static FRAME widget *
make_widget(void)
{
    widget *volatile w;

    w = malloc(WSIZE);
    if (w == NULL)
        abort();
    return w;
}

static FRAME widget *
make_blue_widget(void)
{
    widget *w;

    w = make_widget();
    w->c = BLUE;
    return w;
}

static FRAME widget *
make_red_widget(void)
{
    widget *w;

    w = make_widget();
    w->c = RED;
    return w;
}

static FRAME void
consume_widget(widget *w)
{
    if (w->c == BLUE) {
        blue_widgets++;
        free(w);
    } else {
        red_widgets++;          /* and here is the bug */
    }
}

int
main(int argc, char **argv)
{
    long i, count = argc > 1 ? strtol(argv[1], NULL, 10) : NUM_WIDGETS;

    if (count < 1 || count > MAX_WIDGETS)
        return 2;
    for (i = 0; i < count; i++)
        if (random_flip())
            wqueue[i] = make_blue_widget();
        else
            wqueue[i] = make_red_widget();

    for (i = 0; i < count; i++)
        consume_widget(wqueue[i]);
    return 0;
}
/* SPDX-License-Identifier: MIT */
