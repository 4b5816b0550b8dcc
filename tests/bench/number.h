/*
 * number.h -- integers that are chains of small blocks.
 *
 * A number is the link of its lowest limb, or NULL for 0. Its highest limb is not 0. Links count references: numbers
 * share their upper limbs, and a link with several references is copied before it changes. A function borrows its
 * arguments, and the caller owns the result. A function whose name ends in _into takes ownership of its first
 * argument.
 */
#ifndef NUMBER_H
#define NUMBER_H

#include <stdint.h>

struct link {
    struct link *next;
    uint32_t limb;
    uint32_t refs;
};

/* An odd number and the constants for arithmetic modulo this number. Borrows n. */
struct modulus {
    struct link *n;
    uint32_t inverse; /* inverse of -n modulo 2^32 */
    int limbs;
};

struct link *number(uint64_t value);
struct link *keep(struct link *a);
void drop(struct link *a);
int compare(const struct link *a, const struct link *b);

struct link *add_into(struct link *a, const struct link *b);
/* Returns a - b, which must not be negative. */
struct link *subtract_into(struct link *a, const struct link *b);
struct link *multiply(const struct link *a, const struct link *b);
/* Returns a / b. b must be odd and divide a. */
struct link *exact_quotient(struct link *a, const struct link *b);
/* Returns the greatest common divisor of a and an odd number. */
struct link *gcd(struct link *a, struct link *odd);

/* Montgomery's arithmetic: r is 2^(32 * limbs), and a residue x is represented by x * r. */
struct modulus modulus(struct link *n);
/* Returns a modulo n. a must be below 2 n. */
struct link *modulo_into(struct link *a, const struct modulus *m);
struct link *unit_modulo(const struct modulus *m);
struct link *product_modulo(const struct link *a, const struct link *b, const struct modulus *m);
struct link *power_modulo(const struct link *base, struct link *exponent, const struct modulus *m);

#endif
