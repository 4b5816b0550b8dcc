/*
 * minimiser.c -- minimises covers of boolean functions as espresso does, by expansion, irredundancy and reduction,
 * until nothing becomes smaller.
 *
 *     minimiser [FUNCTIONS [INPUTS [USED [CUBES]]]]
 *
 * The default is 25 functions of 48 inputs. Each is a random cover of 160 cubes which depends on 15 of the inputs.
 * All runs use the same covers. Prints the numbers of cubes and literals before and after, and a checksum of the
 * results. Ends with status 1 if a result is not equivalent to its function.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "cover.h"

#define MAX_FUNCTIONS    1000
#define LITERALS_PERCENT 45 /* percentage of the chosen inputs of which a random cube has literals */

static uint64_t state = 0x2545f4914f6cdd1du, checksum = 0xcbf29ce484222325u;

static uint64_t
random_below(uint64_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
}

/* Chooses the inputs that a function depends on, because an output of a circuit depends on only some inputs. */
static void
choose_inputs(int chosen[], int inputs)
{
    for (int v = 0; v < inputs; v++)
        chosen[v] = v;
    for (int v = 0; v < inputs; v++) {
        int other = v + (int)random_below((uint64_t)(inputs - v)), old = chosen[v];

        chosen[v] = chosen[other];
        chosen[other] = old;
    }
}

static struct cover *
random_cover(int inputs, int used, int cubes)
{
    struct cover *f = cover_new(inputs);
    int chosen[COVER_MAX_INPUTS];

    choose_inputs(chosen, inputs);
    for (int i = 0; i < cubes; i++) {
        struct cube *c = cube_universe(inputs);

        for (int v = 0; v < used; v++)
            if (random_below(100) < LITERALS_PERCENT)
                cube_restrict(c, chosen[v], (int)random_below(2));
        cover_add(f, c);
    }
    return f;
}

/* Expands each cube as far as R, the complement of F, allows, and removes cubes that are contained in others. */
static void
expand(struct cover *f, const struct cover *r)
{
    cover_sort(f);
    for (int i = 0; i < f->size; i++)
        for (int v = 0; v < f->inputs; v++) {
            int admits = cube_admits(f->cubes[i], v);

            if (admits == 3)
                continue;
            cube_raise(f->cubes[i], v);
            if (cover_touches(r, f->cubes[i]))
                cube_restrict(f->cubes[i], v, admits == 2);
        }
    cover_drop_contained(f);
}

/* Removes each cube that the others cover together. */
static void
irredundant(struct cover *f)
{
    for (int i = f->size - 1; i >= 0; i--) {
        struct cover *others = cover_cofactor(f, f->cubes[i], i);

        if (cover_is_tautology(others))
            cover_drop(f, i);
        cover_free(others);
    }
}

/* Shrinks each cube as far as the others allow, so that it can expand in another direction. */
static void
reduce(struct cover *f)
{
    for (int i = f->size - 1; i >= 0; i--) {
        struct cover *others = cover_cofactor(f, f->cubes[i], i), *own = cover_complement(others);

        if (own->size == 0)
            cover_drop(f, i);
        else
            cube_shrink(f->cubes[i], own);
        cover_free(others);
        cover_free(own);
    }
}

static long
cost(const struct cover *f)
{
    return 1000L * f->size + cover_literals(f);
}

struct problem {
    struct cover *on, *off, *result; /* the function, its complement, the minimised function */
};

static void
minimise(struct problem *p)
{
    struct cover *f = cover_copy(p->on);

    p->off = cover_complement(f);
    for (;;) {
        expand(f, p->off);
        irredundant(f);
        if (p->result != NULL && cost(f) >= cost(p->result))
            break;
        if (p->result != NULL)
            cover_free(p->result);
        p->result = cover_copy(f);
        reduce(f);
    }
    cover_free(f);
}

/* Returns whether the result is equivalent to the function. */
static bool
is_right(const struct problem *p)
{
    bool result = true;

    for (int i = 0; result && i < p->on->size; i++) {
        struct cover *part = cover_cofactor(p->result, p->on->cubes[i], -1);

        result = cover_is_tautology(part);
        cover_free(part);
    }
    for (int i = 0; result && i < p->off->size; i++)
        result = !cover_touches(p->result, p->off->cubes[i]);
    return result;
}

static void
add_to_checksum(const struct cover *f)
{
    for (int i = 0; i < f->size; i++)
        for (int w = 0; w < f->words; w++)
            checksum = (checksum ^ f->cubes[i]->bits[w]) * 0x100000001b3u;
}

static void
print(const struct problem *p)
{
    printf("%d cubes, %ld literals: ", p->on->size, cover_literals(p->on));
    printf("%d cubes, %ld literals\n", p->result->size, cover_literals(p->result));
    add_to_checksum(p->result);
}

static int
argument(int argc, char **argv, int i, int otherwise)
{
    return i < argc ? atoi(argv[i]) : otherwise;
}

int
main(int argc, char **argv)
{
    int functions = argument(argc, argv, 1, 25), inputs = argument(argc, argv, 2, 48);
    int used = argument(argc, argv, 3, 15), cubes = argument(argc, argv, 4, 160), status = 0;
    static struct problem problems[MAX_FUNCTIONS];

    if (functions < 1 || functions > MAX_FUNCTIONS || inputs < 1 || inputs > COVER_MAX_INPUTS ||
        used < 1 || used > inputs || cubes < 1)
        return 2;
    for (int i = 0; i < functions; i++)
        problems[i].on = random_cover(inputs, used, cubes);
    for (int i = 0; i < functions; i++)
        minimise(&problems[i]);
    for (int i = 0; i < functions; i++) {
        struct problem *p = &problems[i];

        print(p);
        if (!is_right(p))
            status = 1;
        cover_free(p->on);
        cover_free(p->off);
        cover_free(p->result);
    }
    printf("checksum %016" PRIx64 "\n", checksum);
    return status;
}
