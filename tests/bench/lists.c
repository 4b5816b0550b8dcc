/*
 * lists.c -- two programs whose data are lists of small blocks.
 *
 *     lists bignum [N]         N * 6,000 (10 by default) products of random integers whose limbs are blocks
 *     lists boolean [N]        N * 10 random boolean functions, complemented twice by recursion
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A limb of a number, the lowest first, or a product of a sum of products. */
struct link {
    struct link *next;
    uint64_t bits;
};

static struct link *
cons(uint64_t bits, struct link *next)
{
    struct link *link = malloc(sizeof *link);

    if (link == NULL)
        abort();
    *link = (struct link){next, bits};
    return link;
}

static void
drop(struct link *list)
{
    while (list != NULL) {
        struct link *next = list->next;

        free(list);
        list = next;
    }
}

static uint32_t
random_below(uint32_t n)
{
    static uint64_t state = 0x2545f4914f6cdd1du;

    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

/* ---------------------------------------------------------------- integers */

/* Adds FACTOR * B to the number A, and returns A. */
static struct link *
add(struct link *a, const struct link *b, uint64_t factor)
{
    struct link **at = &a;

    for (uint64_t sum = 0; b != NULL || sum != 0; b = b != NULL ? b->next : NULL) {
        if (*at == NULL)
            *at = cons(0, NULL);
        sum += (*at)->bits + factor * (b != NULL ? b->bits : 0);
        (*at)->bits = (uint32_t)sum;
        sum >>= 32;
        at = &(*at)->next;
    }
    return a;
}

static struct link *
multiply(const struct link *a, const struct link *b)
{
    return b == NULL ? NULL : add(cons(0, multiply(a, b->next)), a, b->bits);
}

/* Returns a number of 20 limbs on average. */
static struct link *
random_number(void)
{
    struct link *a = NULL;

    do
        a = cons(random_below(UINT32_MAX), a);
    while (random_below(20) > 0);
    return a;
}

static void
multiply_numbers(int n)
{
    for (int i = 0; i < 6000 * n; i++) {
        struct link *a = random_number(), *b = random_number();

        drop(multiply(a, b));
        drop(a);
        drop(b);
    }
}

/* ---------------------------------------------------------------- boolean functions */

/* A product has two bits for each input, one for each value that it admits. */
#define INPUTS   15
#define PRODUCTS 120
#define UNIVERSE (((uint64_t)1 << 2 * INPUTS) - 1)
#define ADMITS_0 (UNIVERSE / 3)
#define BITS(input, values) ((uint64_t)(values) << 2 * (input))

/* Returns the cofactor of F: its restriction to the product WITHIN, without the inputs that WITHIN decides. */
static struct link *
cofactor(const struct link *f, uint64_t within)
{
    struct link *result = NULL;

    for (; f != NULL; f = f->next) {
        uint64_t both = f->bits & within;

        if (((both | both >> 1) & ADMITS_0) == ADMITS_0)
            result = cons(f->bits | (~within & UNIVERSE), result);
    }
    return result;
}

/* Returns the input of F that most products depend on, or -1 if a product depends on none. */
static int
input_to_split(const struct link *f)
{
    int n[INPUTS] = {0}, best = 0;

    for (; f != NULL; f = f->next) {
        if (f->bits == UNIVERSE)
            return -1;
        for (int v = 0; v < INPUTS; v++)
            n[v] += (f->bits & BITS(v, 3)) != BITS(v, 3);
    }
    for (int v = 1; v < INPUTS; v++)
        best = n[v] > n[best] ? v : best;
    return best;
}

static struct link *complement(const struct link *f);

/* Adds the complement of F within the product WITHIN to RESULT. */
static struct link *
add_complement(const struct link *f, uint64_t within, struct link *result)
{
    struct link *half = cofactor(f, within), *outside = complement(half);

    for (const struct link *product = outside; product != NULL; product = product->next)
        result = cons(product->bits & within, result);
    drop(outside);
    drop(half);
    return result;
}

static struct link *
complement(const struct link *f)
{
    int v = input_to_split(f);

    if (f == NULL)
        return cons(UNIVERSE, NULL);
    return v < 0 ? NULL : add_complement(f, UNIVERSE & ~BITS(v, 1), add_complement(f, UNIVERSE & ~BITS(v, 2), NULL));
}

static void
complement_functions(int n)
{
    for (int i = 0; i < 10 * n; i++) {
        struct link *f = NULL, *off;

        for (int k = 0; k < PRODUCTS; k++) {
            f = cons(UNIVERSE, f);
            for (int v = 0; v < INPUTS; v++)
                if (random_below(100) < 45)
                    f->bits &= ~BITS(v, 1 + random_below(2));
        }
        off = complement(f);
        drop(complement(off));
        drop(f);
        drop(off);
    }
}

int
main(int argc, char **argv)
{
    int n = argc > 2 ? atoi(argv[2]) : 10;

    if (argc > 1 && strcmp(argv[1], "bignum") == 0)
        multiply_numbers(n);
    else
        complement_functions(n);
    return 0;
}
/* SPDX-License-Identifier: MIT */
