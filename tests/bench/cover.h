/*
 * cover.h -- sums of products as sets of cubes.
 *
 * A cube has two bits for each input: whether it admits the value 0, and the value 1.  Each cube is
 * a block of its own and belongs to one cover.  A function that returns a cube or a cover gives it
 * away; cover_add() takes the cube over.
 */
#ifndef COVER_H
#define COVER_H

#include <stdbool.h>
#include <stdint.h>

#define COVER_MAX_INPUTS 63 /* 2^63 minterms can be counted */

struct cube {
    int literals; /* inputs of which it admits one value only */
    uint64_t bits[];
};

struct cover {
    int inputs, words; /* of each cube */
    int size, capacity;
    struct cube **cubes;
};

struct cube *cube_universe(int inputs);
/* Bit 0: the cube admits the value 0 of the input; bit 1: the value 1. */
int cube_admits(const struct cube *c, int input);
void cube_restrict(struct cube *c, int input, int value);
void cube_raise(struct cube *c, int input);
bool cube_touches(const struct cube *a, const struct cube *b, int inputs);

struct cover *cover_new(int inputs);
struct cover *cover_copy(const struct cover *f);
void cover_free(struct cover *f);
void cover_add(struct cover *f, struct cube *c);
/* The last cube takes the place of the one that is dropped. */
void cover_drop(struct cover *f, int i);
void cover_drop_contained(struct cover *f);
/* Whether a cube has no literal. */
bool cover_has_universe(const struct cover *f);
bool cover_touches(const struct cover *f, const struct cube *c);
/* Large cubes first; equal ones are neighbours. */
void cover_sort(struct cover *f);
long cover_literals(const struct cover *f);

/* f within the cube, as a function of the inputs that are free there; without f's cube of that
 * index, or with all for -1. */
struct cover *cover_cofactor(const struct cover *f, const struct cube *within, int without);
/* The same within the half where the input has the value. */
struct cover *cover_half(const struct cover *f, int input, int value);
/* One cover of those of the halves where the input is 0 and 1, which are freed.  It stays outside
 * of the cover around; a cube that does so without a literal of the input has none. */
struct cover *cover_join_halves(struct cover *halves[2], int input, const struct cover *around);
/* Makes the cube as small as its part in f's cubes allows. */
void cube_shrink(struct cube *c, const struct cover *f);

bool cover_is_tautology(const struct cover *f);
struct cover *cover_complement(const struct cover *f);

#endif
