/* number.c -- see number.h. */
#include <stdlib.h>

#include "number.h"

#define LIMB_BITS 32

static struct link *
cons(uint32_t limb, struct link *next)
{
    struct link *link = malloc(sizeof *link);

    if (link == NULL)
        abort();
    *link = (struct link){next, limb, 1};
    return link;
}

struct link *
keep(struct link *a)
{
    if (a != NULL)
        a->refs++;
    return a;
}

void
drop(struct link *a)
{
    while (a != NULL && --a->refs == 0) {
        struct link *next = a->next;

        free(a);
        a = next;
    }
}

struct link *
number(uint64_t value)
{
    return value == 0 ? NULL : cons((uint32_t)value, number(value >> LIMB_BITS));
}

/* Makes sure that nobody else refers to the link *AT, by copying it if necessary. Replaces NULL by a link with the limb
 * 0. Returns the link. */
static struct link *
own(struct link **at)
{
    struct link *shared = *at;

    if (shared == NULL)
        return *at = cons(0, NULL);
    if (shared->refs > 1) {
        *at = cons(shared->limb, keep(shared->next));
        drop(shared);
    }
    return *at;
}

static int
length(const struct link *a)
{
    int n = 0;

    for (; a != NULL; a = a->next)
        n++;
    return n;
}

int
compare(const struct link *a, const struct link *b)
{
    int result = 0;

    for (; a != NULL && b != NULL; a = a->next, b = b->next)
        if (a->limb != b->limb)
            result = a->limb < b->limb ? -1 : 1;
    return a != NULL ? 1 : b != NULL ? -1 : result;
}

struct link *
add_into(struct link *a, const struct link *b)
{
    struct link **at = &a;
    uint64_t sum = 0;

    while (b != NULL || sum != 0) {
        struct link *link = own(at);

        sum += (uint64_t)link->limb + (b != NULL ? b->limb : 0);
        link->limb = (uint32_t)sum;
        sum >>= LIMB_BITS;
        at = &link->next;
        b = b != NULL ? b->next : NULL;
    }
    return a;
}

static struct link *
trim(struct link *a)
{
    struct link **end = &a;

    for (struct link **at = &a; *at != NULL; at = &(*at)->next)
        if ((*at)->limb != 0)
            end = &(*at)->next;
    if (*end != NULL) {
        drop(*end);
        *end = NULL;
    }
    return a;
}

struct link *
subtract_into(struct link *a, const struct link *b)
{
    struct link **at = &a;
    int64_t sum = 0;

    while (b != NULL || sum != 0) {
        struct link *link = own(at);

        sum += (int64_t)link->limb - (b != NULL ? b->limb : 0);
        link->limb = (uint32_t)sum;
        sum >>= LIMB_BITS;
        at = &link->next;
        b = b != NULL ? b->next : NULL;
    }
    return trim(a);
}

/* Returns a * limb + carry. */
static struct link *
row(const struct link *a, uint32_t limb, uint64_t carry)
{
    struct link *first = NULL, **at = &first;

    for (; limb != 0 && a != NULL; a = a->next) {
        carry += (uint64_t)a->limb * limb;
        *at = cons((uint32_t)carry, NULL);
        at = &(*at)->next;
        carry >>= LIMB_BITS;
    }
    *at = number(carry);
    return first;
}

static struct link *
add_row_into(struct link *a, const struct link *b, uint32_t limb)
{
    struct link *product = row(b, limb, 0);

    a = add_into(a, product);
    drop(product);
    return a;
}

struct link *
multiply(const struct link *a, const struct link *b)
{
    struct link *upper;

    if (a == NULL || b == NULL)
        return NULL;
    if (b->next == NULL)
        return row(a, b->limb, 0);
    upper = multiply(a, b->next);
    return add_row_into(upper != NULL ? cons(0, upper) : NULL, a, b->limb);
}

static struct link *
without_lowest_limb(struct link *a)
{
    struct link *rest = a != NULL ? keep(a->next) : NULL;

    drop(a);
    return rest;
}

static struct link *
half_into(struct link *a)
{
    for (struct link **at = &a; *at != NULL; at = &(*at)->next) {
        struct link *link = own(at);

        link->limb >>= 1;
        if (link->next != NULL)
            link->limb |= link->next->limb << (LIMB_BITS - 1);
    }
    return trim(a);
}

/* Returns the inverse of an odd number modulo 2^32 by Newton's iteration. */
static uint32_t
inverse(uint32_t odd)
{
    uint32_t x = odd;

    for (int i = 0; i < 5; i++)
        x *= 2 - odd * x;
    return x;
}

/* Divides from the lowest limb upwards (Hensel's method). */
struct link *
exact_quotient(struct link *a, const struct link *b)
{
    uint32_t i = inverse(b->limb), limb;
    struct link *rest, *product;

    if (a == NULL)
        return NULL;
    limb = a->limb * i;
    product = row(b, limb, 0);
    rest = subtract_into(keep(a), product);
    drop(product);
    rest = without_lowest_limb(rest);
    product = cons(limb, exact_quotient(rest, b));
    drop(rest);
    return product;
}

struct modulus
modulus(struct link *n)
{
    return (struct modulus){n, -inverse(n->limb), length(n)};
}

struct link *
modulo_into(struct link *a, const struct modulus *m)
{
    return compare(a, m->n) >= 0 ? subtract_into(a, m->n) : a;
}

/* Returns a * b / r modulo m. */
struct link *
product_modulo(const struct link *a, const struct link *b, const struct modulus *m)
{
    struct link *t = multiply(a, b);

    for (int i = 0; i < m->limbs; i++) {
        if (t != NULL)
            t = add_row_into(t, m->n, t->limb * m->inverse);
        t = without_lowest_limb(t);
    }
    return modulo_into(t, m);
}

/* Returns 1 in Montgomery's form, which is r modulo n. Computes it by doubling. */
struct link *
unit_modulo(const struct modulus *m)
{
    struct link *a = number(1);

    for (int i = 0; i < m->limbs * LIMB_BITS; i++) {
        struct link *same = keep(a);

        a = modulo_into(add_into(a, same), m);
        drop(same);
    }
    return a;
}

struct link *
power_modulo(const struct link *base, struct link *exponent, const struct modulus *m)
{
    struct link *result = unit_modulo(m), *square = trim(row(base, 1, 0)), *old;

    for (exponent = keep(exponent); exponent != NULL; exponent = half_into(exponent)) {
        if (exponent->limb & 1) {
            result = product_modulo(old = result, square, m);
            drop(old);
        }
        square = product_modulo(old = square, square, m);
        drop(old);
    }
    drop(square);
    return result;
}

struct link *
gcd(struct link *a, struct link *odd)
{
    struct link *u = keep(a), *v = keep(odd), *larger;

    while (u != NULL) {
        while ((u->limb & 1) == 0)
            u = half_into(u);
        if (compare(u, v) < 0) {
            larger = v;
            v = u;
            u = larger;
        }
        u = subtract_into(u, v);
    }
    return v;
}
