/*
 * number.h -- integers that are chains of small blocks.
 *
 * A number is the link of its lowest limb, none for 0; its highest limb is not 0.  References to
 * links are counted: numbers share their upper limbs, and a link that others hold is copied before
 * it is changed.  A function borrows its arguments and gives its result away; one whose name ends
 * in _into takes its first argument over.
 */
#ifndef NUMBER_H
#define NUMBER_H

#include <stdint.h>

struct link {
    struct link *next;
    uint32_t limb;
    uint32_t refs;
};

/* An odd number, and what arithmetic modulo it needs.  n is borrowed. */
struct modulus {
    struct link *n;
    uint32_t inverse; /* of -n modulo 2^32 */
    int limbs;
};

struct link *number(uint64_t value);
struct link *keep(struct link *a);
void drop(struct link *a);
int compare(const struct link *a, const struct link *b);

struct link *add_into(struct link *a, const struct link *b);
/* a - b, which is not negative. */
struct link *subtract_into(struct link *a, const struct link *b);
struct link *multiply(const struct link *a, const struct link *b);
/* a / b, when it is known that b, which is odd, divides a. */
struct link *exact_quotient(struct link *a, const struct link *b);
/* The greatest common divisor of a and an odd number. */
struct link *gcd(struct link *a, struct link *odd);

/* Montgomery's arithmetic: r stands for 2^(32 * limbs), and residues for themselves times r. */
struct modulus modulus(struct link *n);
/* a modulo n, when it is below 2 n. */
struct link *modulo_into(struct link *a, const struct modulus *m);
struct link *unit_modulo(const struct modulus *m);
struct link *product_modulo(const struct link *a, const struct link *b, const struct modulus *m);
struct link *power_modulo(const struct link *base, struct link *exponent, const struct modulus *m);

#endif
