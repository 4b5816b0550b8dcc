/*
 * trees.c -- trees that are built, measured and freed recursively, with a chain for each node.
 *
 *     trees [DEPTH [ROUNDS]]      default 16 2
 *
 * ROUNDS times, makes two complete binary trees of DEPTH levels. The nodes of the first one, all of one size, are
 * made by one function that calls itself in two places. The levels of the second one are made by two functions, even
 * and odd, in turn, which get their memory from a third. Then both are freed. Prints how many nodes each function
 * made: "build N", "even N", "odd N", "get N".
 */
#include "program.h"

struct node {
    struct node *left, *right;
    long level;
};

static unsigned long made[4];           /* nodes made by build, even, odd, get */

static FRAME struct node *
build(long level)
{
    struct node *node;

    if (level == 0)
        return NULL;
    node = malloc(sizeof *node);
    made[0]++;
    node->level = level;
    node->left = build(level - 1);
    node->right = build(level - 1);
    return node;
}

static FRAME struct node *
get(long level)
{
    struct node *node = malloc(2 * sizeof *node);

    made[3]++;
    node->level = level;
    node->left = node->right = NULL;
    return node;
}

static FRAME struct node *odd(long level);

static FRAME struct node *
even(long level)
{
    struct node *node = get(level);

    made[1]++;
    if (level > 1) {
        node->left = odd(level - 1);
        node->right = odd(level - 1);
    }
    return node;
}

static FRAME struct node *
odd(long level)
{
    struct node *node = get(level);

    made[2]++;
    if (level > 1) {
        node->left = even(level - 1);
        node->right = even(level - 1);
    }
    return node;
}

static FRAME void
drop(struct node *node)
{
    if (node == NULL)
        return;
    drop(node->left);
    drop(node->right);
    free(node);
    KEEP(node);
}

int
main(int argc, char **argv)
{
    long depth = number_or(argv[argc > 1 ? 1 : argc], 16);
    long rounds = number_or(argv[argc > 2 ? 2 : argc], 2);

    for (long i = 0; i < rounds; i++) {
        drop(build(depth));
        drop(even(depth));
    }
    say("build %lu\neven %lu\nodd %lu\nget %lu\n", made[0], made[1], made[2], made[3]);
    return 0;
}
/* SPDX-License-Identifier: MIT */
