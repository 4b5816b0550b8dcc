/* SPDX-License-Identifier: MIT */
/*
 * ecl_c_name.h -- parses the names that ECL's compiler gives to its C functions.
 *
 * L<n><name> is a global function. LC<n><name> is a local function, a lambda, a method or a macro. <n> counts
 * functions in the order in which ECL finishes compiling them. So a function has a larger number than the functions
 * nested in it, and these have larger numbers than all functions that were finished before it was begun. <name> has
 * only the letters and digits of the Lisp name.
 *
 * Later builds of ECL compile a function with an object of its own to two C functions. L1foo_va is the entry of the
 * function object. It checks the number of arguments and calls L1foo, its body, which functions of the same file
 * call directly.
 */
#ifndef MP_ECL_C_NAME_H
#define MP_ECL_C_NAME_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the part of NAME after PREFIX ("L" or "LC") and digits, or NULL if NAME does not begin with these. */
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

/* Returns whether NAME may be that of an entry. Earlier builds of ECL give such a name to the body of FOO-VA. */
static inline bool
mp_ecl_is_entry(const char *name)
{
    const size_t n = strlen(name);

    return n > 3 && strcmp(name + n - 3, "_va") == 0;
}

/* Returns whether ENTRY is the name of the entry of the function with the body BODY. BODY may have a suffix of gcc's,
 * as in L1foo.isra.0, but not .cold, which is only the unlikely part of a body. */
static inline bool
mp_ecl_is_entry_of(const char *entry, const char *body)
{
    const size_t n = strcspn(body, ".");

    return strncmp(entry, body, n) == 0 && strcmp(entry + n, "_va") == 0 && strncmp(body + n, ".cold", 5) != 0;
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

/* Writes the last component of a local function's name to ROOM, which has SIZE bytes: "FOO-BAR" for "LC2foo_bar".
 * Returns false if NAME is not the name of a local function. */
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
