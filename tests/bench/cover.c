/* cover.c -- see cover.h. */
#include <stdlib.h>
#include <string.h>

#include "cover.h"

#define ADMITS_0 0x5555555555555555u /* in each word, the bits of "admits 0" */

static int
words_of(int inputs)
{
    return (inputs + 31) / 32;
}

/* Returns the bits of word WORD that belong to inputs. */
static uint64_t
mask(int inputs, int word)
{
    int bits = 2 * (inputs - 32 * word);

    return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

static struct cube *
cube_new(int words)
{
    struct cube *c = malloc(sizeof *c + (size_t)words * sizeof c->bits[0]);

    if (c == NULL)
        abort();
    return c;
}

struct cube *
cube_universe(int inputs)
{
    struct cube *c = cube_new(words_of(inputs));

    c->literals = 0;
    for (int w = 0; w < words_of(inputs); w++)
        c->bits[w] = mask(inputs, w);
    return c;
}

int
cube_admits(const struct cube *c, int input)
{
    return (int)(c->bits[input / 32] >> (2 * (input % 32)) & 3);
}

void
cube_restrict(struct cube *c, int input, int value)
{
    c->bits[input / 32] &= ~((uint64_t)2 >> value << (2 * (input % 32)));
    c->literals++;
}

void
cube_raise(struct cube *c, int input)
{
    c->bits[input / 32] |= (uint64_t)3 << (2 * (input % 32));
    c->literals--;
}

bool
cube_touches(const struct cube *a, const struct cube *b, int inputs)
{
    for (int w = 0; w < words_of(inputs); w++) {
        uint64_t both = a->bits[w] & b->bits[w];

        if (((both | both >> 1) & ADMITS_0) != (mask(inputs, w) & ADMITS_0))
            return false;
    }
    return true;
}

static bool
cube_contains(const struct cube *a, const struct cube *b, int words)
{
    for (int w = 0; w < words; w++)
        if ((b->bits[w] & ~a->bits[w]) != 0)
            return false;
    return true;
}

static void
count_literals(struct cube *c, int inputs)
{
    c->literals = 2 * inputs;
    for (int w = 0; w < words_of(inputs); w++)
        c->literals -= __builtin_popcountll(c->bits[w]);
}

struct cover *
cover_new(int inputs)
{
    struct cover *f = malloc(sizeof *f);

    if (f == NULL)
        abort();
    *f = (struct cover){.inputs = inputs, .words = words_of(inputs)};
    return f;
}

void
cover_free(struct cover *f)
{
    for (int i = 0; i < f->size; i++)
        free(f->cubes[i]);
    free(f->cubes);
    free(f);
}

void
cover_add(struct cover *f, struct cube *c)
{
    if (f->size == f->capacity) {
        f->capacity = f->capacity == 0 ? 8 : 2 * f->capacity;
        f->cubes = realloc(f->cubes, (size_t)f->capacity * sizeof(struct cube *));
        if (f->cubes == NULL)
            abort();
    }
    f->cubes[f->size++] = c;
}

void
cover_drop(struct cover *f, int i)
{
    free(f->cubes[i]);
    f->cubes[i] = f->cubes[--f->size];
}

void
cover_drop_contained(struct cover *f)
{
    for (int i = f->size - 1; i >= 0; i--)
        for (int j = 0; j < f->size; j++)
            if (j != i && cube_contains(f->cubes[j], f->cubes[i], f->words)) {
                cover_drop(f, i);
                break;
            }
}

bool
cover_touches(const struct cover *f, const struct cube *c)
{
    for (int i = 0; i < f->size; i++)
        if (cube_touches(f->cubes[i], c, f->inputs))
            return true;
    return false;
}

bool
cover_has_universe(const struct cover *f)
{
    for (int i = 0; i < f->size; i++)
        if (f->cubes[i]->literals == 0)
            return true;
    return false;
}

static int
compare(const struct cube *a, const struct cube *b, int words)
{
    if (a->literals != b->literals)
        return a->literals - b->literals;
    for (int w = 0; w < words; w++)
        if (a->bits[w] != b->bits[w])
            return a->bits[w] < b->bits[w] ? -1 : 1;
    return 0;
}

/* Insertion sort, because most covers are small or nearly sorted. */
void
cover_sort(struct cover *f)
{
    for (int i = 1; i < f->size; i++) {
        struct cube *c = f->cubes[i];
        int j = i;

        for (; j > 0 && compare(f->cubes[j - 1], c, f->words) > 0; j--)
            f->cubes[j] = f->cubes[j - 1];
        f->cubes[j] = c;
    }
}

long
cover_literals(const struct cover *f)
{
    long sum = 0;

    for (int i = 0; i < f->size; i++)
        sum += f->cubes[i]->literals;
    return sum;
}

struct cover *
cover_cofactor(const struct cover *f, const struct cube *within, int without)
{
    struct cover *result = cover_new(f->inputs);

    for (int i = 0; i < f->size; i++) {
        struct cube *c;

        if (i == without || !cube_touches(f->cubes[i], within, f->inputs))
            continue;
        c = cube_new(f->words);
        for (int w = 0; w < f->words; w++)
            c->bits[w] = f->cubes[i]->bits[w] | (~within->bits[w] & mask(f->inputs, w));
        count_literals(c, f->inputs);
        cover_add(result, c);
    }
    return result;
}

struct cover *
cover_copy(const struct cover *f)
{
    struct cube *all = cube_universe(f->inputs);
    struct cover *result = cover_cofactor(f, all, -1);

    free(all);
    return result;
}

struct cover *
cover_half(const struct cover *f, int input, int value)
{
    struct cube *half = cube_universe(f->inputs);
    struct cover *result;

    cube_restrict(half, input, value);
    result = cover_cofactor(f, half, -1);
    free(half);
    return result;
}

static void
drop_equal_neighbours(struct cover *f)
{
    int kept = 0;

    for (int i = 0; i < f->size; i++)
        if (kept > 0 && compare(f->cubes[kept - 1], f->cubes[i], f->words) == 0)
            free(f->cubes[i]);
        else
            f->cubes[kept++] = f->cubes[i];
    f->size = kept;
}

struct cover *
cover_join_halves(struct cover *halves[2], int input, const struct cover *around)
{
    struct cover *result = cover_new(around->inputs);

    for (int value = 0; value < 2; value++) {
        for (int i = 0; i < halves[value]->size; i++) {
            struct cube *c = halves[value]->cubes[i];

            if (cover_touches(around, c))
                cube_restrict(c, input, value);
            cover_add(result, c);
        }
        halves[value]->size = 0;
        cover_free(halves[value]);
    }
    cover_sort(result);
    drop_equal_neighbours(result);
    return result;
}

void
cube_shrink(struct cube *c, const struct cover *f)
{
    for (int w = 0; w < f->words; w++) {
        uint64_t all = 0;

        for (int i = 0; i < f->size; i++)
            all |= f->cubes[i]->bits[w];
        c->bits[w] &= all;
    }
    count_literals(c, f->inputs);
}
