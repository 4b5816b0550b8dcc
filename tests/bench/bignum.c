/*
 * bignum.c -- factors integers whose limbs are small blocks (number.h), by Pollard's rho method.
 *
 *     bignum [INTEGERS [BITS]]      default: 12 integers, each a product of three primes of 24 bits
 *
 * Prints the factors and a checksum of them.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "number.h"

#define MAX_BITS 48
#define BATCH    10 /* number of differences of the walkers that are multiplied before each gcd */

static uint64_t state = 0x9e3779b97f4a7c15u, checksum = 0xcbf29ce484222325u;

static uint64_t
random_bits(int bits)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> (64 - bits);
}

/* Fermat's test for a few bases. It suffices, because the numbers are random. */
static int
is_prime(struct link *n)
{
    struct modulus m = modulus(n);
    struct link *one = unit_modulo(&m), *base = keep(one), *few = number(1), *exponent;
    int prime = 1;

    exponent = subtract_into(keep(n), few);
    for (int i = 0; prime && i < 4; i++) {
        struct link *result;

        base = modulo_into(add_into(base, one), &m);
        result = power_modulo(base, exponent, &m);
        prime = compare(result, one) == 0;
        drop(result);
    }
    drop(few);
    drop(base);
    drop(one);
    drop(exponent);
    return prime;
}

/* Returns x * x + c, one step of the walk. */
static struct link *
step_into(struct link *x, const struct link *c, const struct modulus *m)
{
    struct link *square = product_modulo(x, x, m);

    drop(x);
    return modulo_into(add_into(square, c), m);
}

static struct link *
difference(struct link *a, struct link *b)
{
    return compare(a, b) >= 0 ? subtract_into(keep(a), b) : subtract_into(keep(b), a);
}

/* Returns a divisor of n, found by Pollard's rho method with Floyd's two walkers, or n itself if the walkers met too
 * soon. */
static struct link *
rho(const struct modulus *m, uint32_t constant)
{
    struct link *c = number(constant), *slow = number(2), *fast = number(2), *all = unit_modulo(m);
    struct link *divisor = NULL;

    while (divisor == NULL || (divisor->next == NULL && divisor->limb == 1)) {
        for (int i = 0; i < BATCH; i++) {
            struct link *gap, *old = all;

            slow = step_into(slow, c, m);
            fast = step_into(step_into(fast, c, m), c, m);
            gap = difference(slow, fast);
            all = product_modulo(old, gap, m);
            drop(old);
            drop(gap);
        }
        drop(divisor);
        divisor = gcd(all, m->n);
    }
    drop(c);
    drop(slow);
    drop(fast);
    drop(all);
    return divisor;
}

static void
print(const struct link *a)
{
    if (a->next != NULL) {
        print(a->next);
        printf("%08" PRIx32, a->limb);
    } else {
        printf("%" PRIx32, a->limb);
    }
    checksum = (checksum ^ a->limb) * 0x100000001b3u;
}

static void
factor(struct link *n)
{
    struct modulus m = modulus(n);
    struct link *divisor, *rest;

    if (is_prime(n)) {
        putchar(' ');
        print(n);
        return;
    }
    for (uint32_t c = 1;; c++) {
        divisor = rho(&m, c);
        if (compare(divisor, n) != 0)
            break;
        drop(divisor);
    }
    rest = exact_quotient(n, divisor);
    factor(divisor);
    factor(rest);
    drop(divisor);
    drop(rest);
}

static struct link *
random_prime(int bits)
{
    struct link *n = number(random_bits(bits) | 1 | (uint64_t)1 << (bits - 1)), *two = number(2);

    while (!is_prime(n))
        n = add_into(n, two);
    drop(two);
    return n;
}

int
main(int argc, char **argv)
{
    int integers = argc > 1 ? atoi(argv[1]) : 12, bits = argc > 2 ? atoi(argv[2]) : 24;

    if (integers < 1 || bits < 8 || bits > MAX_BITS)
        return 2;
    for (int i = 0; i < integers; i++) {
        struct link *n = number(1);

        for (int k = 0; k < 3; k++) {
            struct link *prime = random_prime(bits), *old = n;

            n = multiply(old, prime);
            drop(old);
            drop(prime);
        }
        print(n);
        putchar(':');
        factor(n);
        putchar('\n');
        drop(n);
    }
    printf("checksum %016" PRIx64 "\n", checksum);
    return 0;
}
