/*
 * ecl_c_name.h -- the names that ECL's compiler gives the C functions that it makes.
 *
 * L<n><name> is a function of its own, LC<n><name> a local one, a lambda, a method or a macro.  They
 * are numbered in the order in which ECL ends compiling them, so those that lie in a function come
 * before it, and after every one that was ended before it was begun.  Of the Lisp name only letters
 * and digits are left.
 */
#ifndef MP_ECL_C_NAME_H
#define MP_ECL_C_NAME_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What follows the digits after PREFIX, "L" or "LC", in NAME; NULL: it is no such name. */
static inline const char *
mp_ecl_after_number(const char *name, const char *prefix)
{
    size_t n = strlen(prefix);

    if (strncmp(name, prefix, n) != 0 || name[n] < '0' || name[n] > '9')
        return NULL;
    for (name += n; *name >= '0' && *name <= '9'; name++)
        continue;
    return name;
}

static inline long
mp_ecl_number(const char *name)
{
    return strtol(name + strcspn(name, "0123456789"), NULL, 10);
}

static inline bool
mp_ecl_is_lambda(const char *name)
{
    const char *rest = mp_ecl_after_number(name, "LC");

    return rest && strncmp(rest, "__lambda", 8) == 0;
}

/* The last component of "LC2foo_bar": "FOO-BAR"; false: NAME is no local function's. */
static inline bool
mp_ecl_local_name(const char *name, char *room, size_t size)
{
    const char *rest = mp_ecl_after_number(name, "LC");
    size_t n = 0;

    if (!rest || !*rest)
        return false;
    if (mp_ecl_is_lambda(name)) {
        snprintf(room, size, "LAMBDA");
        return true;
    }
    for (; *rest && *rest != '.' && n + 1 < size; rest++)
        room[n++] = *rest == '_' ? '-' : *rest >= 'a' && *rest <= 'z' ? (char)(*rest - 32) : *rest;
    room[n] = '\0';
    return n > 0;
}

#endif
