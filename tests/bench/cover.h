/*
 * cover.h -- sums of products as sets of cubes.
 *
 * A cube has two bits for each input, one for each value that the cube admits. Each cube is a block of its own and
 * belongs to one cover. The caller owns the cubes and covers that functions return; cover_add() takes ownership of
 * the cube.
 */
#ifndef COVER_H
#define COVER_H

#include <stdbool.h>
#include <stdint.h>

#define COVER_MAX_INPUTS 63 /* with more inputs, minterms could not be counted in 64 bits */

struct cube {
    int literals; /* number of inputs of which the cube admits a single value */
    uint64_t bits[];
};

struct cover {
    int inputs, words; /* of each cube */
    int size, capacity;
    struct cube **cubes;
};

struct cube *cube_universe(int inputs);
/* Returns the values of INPUT that the cube admits: bit 0 for the value 0, bit 1 for the value 1. */
int cube_admits(const struct cube *c, int input);
void cube_restrict(struct cube *c, int input, int value);
void cube_raise(struct cube *c, int input);
bool cube_touches(const struct cube *a, const struct cube *b, int inputs);

struct cover *cover_new(int inputs);
struct cover *cover_copy(const struct cover *f);
void cover_free(struct cover *f);
void cover_add(struct cover *f, struct cube *c);
/* Removes cube I. The last cube takes its place. */
void cover_drop(struct cover *f, int i);
void cover_drop_contained(struct cover *f);
/* Returns whether a cube of the cover has no literal. */
bool cover_has_universe(const struct cover *f);
bool cover_touches(const struct cover *f, const struct cube *c);
/* Sorts the cubes, large ones first. Equal cubes become neighbours. */
void cover_sort(struct cover *f);
long cover_literals(const struct cover *f);

/* Returns the cofactor of F with respect to the cube WITHIN, a function of the inputs that WITHIN leaves free. Omits
 * cube number WITHOUT of F; -1 omits none. */
struct cover *cover_cofactor(const struct cover *f, const struct cube *within, int without);
/* Returns the cofactor of F with respect to the half of the space in which INPUT has VALUE. */
struct cover *cover_half(const struct cover *f, int input, int value);
/* Joins HALVES, the covers of the halves in which INPUT is 0 and 1, and frees them. A cube that lies outside of
 * AROUND without a literal of INPUT gets none. */
struct cover *cover_join_halves(struct cover *halves[2], int input, const struct cover *around);
/* Shrinks the cube to the smallest one that contains its part of F. */
void cube_shrink(struct cube *c, const struct cover *f);

bool cover_is_tautology(const struct cover *f);
struct cover *cover_complement(const struct cover *f);

#endif
