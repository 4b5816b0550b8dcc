/* cover_split.c -- recursive computations on the two halves of a cover; see cover.h. */
#include "cover.h"

/* Number of cubes that admit only the value 0, or only the value 1, of an input. */
struct column {
    int zeros, ones;
};

static void
count_columns(const struct cover *f, struct column columns[])
{
    for (int v = 0; v < f->inputs; v++) {
        columns[v] = (struct column){0, 0};
        for (int i = 0; i < f->size; i++) {
            int admits = cube_admits(f->cubes[i], v);

            columns[v].zeros += admits == 1;
            columns[v].ones += admits == 2;
        }
    }
}

/* Returns the input to split by: the one that most cubes depend on, with both values. */
static int
most_binate(const struct column columns[], int inputs)
{
    int best = 0, best_weight = -1;

    for (int v = 0; v < inputs; v++) {
        int zeros = columns[v].zeros, ones = columns[v].ones;
        int weight = 1000 * (zeros < ones ? zeros : ones) + zeros + ones;

        if (weight > best_weight) {
            best = v;
            best_weight = weight;
        }
    }
    return best;
}

/* Returns whether the cubes together are smaller than the space, even if they are disjoint. */
static bool
too_small(const struct cover *f)
{
    double share = 0;

    for (int i = 0; i < f->size; i++)
        share += 1 / (double)((uint64_t)1 << f->cubes[i]->literals);
    return share < 1;
}

bool
cover_is_tautology(const struct cover *f)
{
    struct column columns[COVER_MAX_INPUTS];
    bool result = true;
    int v;

    if (cover_has_universe(f) || too_small(f))
        return cover_has_universe(f);
    count_columns(f, columns);
    v = most_binate(columns, f->inputs);
    for (int value = 0; result && value < 2; value++) {
        struct cover *half;

        /* If all literals of the input have the same value, one half contains the other, and the half with fewer
         * cubes decides. */
        if (value == 0 ? columns[v].ones == 0 : columns[v].zeros == 0)
            continue;
        half = cover_half(f, v, value);
        result = cover_is_tautology(half);
        cover_free(half);
    }
    return result;
}

/* De Morgan: not (a b c) = a' + a b' + a b c'. */
static struct cover *
complement_of_cube(const struct cube *c, int inputs)
{
    struct cover *result = cover_new(inputs);

    for (int v = 0; v < inputs; v++)
        if (cube_admits(c, v) != 3) {
            struct cube *part = cube_universe(inputs);

            cube_restrict(part, v, cube_admits(c, v) == 1);
            cover_add(result, part);
        }
    return result;
}

struct cover *
cover_complement(const struct cover *f)
{
    struct column columns[COVER_MAX_INPUTS];
    struct cover *halves[2];
    int v;

    if (f->size == 1)
        return complement_of_cube(f->cubes[0], f->inputs);
    if (f->size == 0 || cover_has_universe(f)) {
        halves[0] = cover_new(f->inputs);
        if (f->size == 0)
            cover_add(halves[0], cube_universe(f->inputs));
        return halves[0];
    }
    count_columns(f, columns);
    v = most_binate(columns, f->inputs);
    for (int value = 0; value < 2; value++) {
        struct cover *half = cover_half(f, v, value);

        halves[value] = cover_complement(half);
        cover_free(half);
    }
    return cover_join_halves(halves, v, f);
}
