/* SPDX-License-Identifier: MIT */
/*
 * name_parts.h -- finds the argument lists of templates, generics and functions in
 * them.
 *
 * Names are C++ as written by libiberty, gcc and clang, Rust, and D. A `<` may also belong to an operator,
 * compare two constants, or begin a type (`<T as Trait>::f`, `<lambda(int)>`). In the last case it encloses a
 * part of the name, not arguments. Names with unbalanced brackets are not understood and have no lists, so they
 * are never shortened.
 */
#ifndef MP_NAME_PARTS_H
#define MP_NAME_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

/* A part of a text, LENGTH bytes. */
struct mp_text_part {
    const char *text;
    size_t length;
};

/* Returns SPAN without leading and trailing blanks. */
struct mp_text_part mp_span_trimmed(struct mp_text_part span);

struct mp_name_list {
    enum {
        MP_LIST_ARGUMENTS,      /* std::map<A, B>, f::<T>, map!(F), and f(A)::local, {lambda(A)#1} */
        MP_LIST_SIGNATURE       /* parameters of the function itself, with what follows: f(A) const */
    } kind;
    struct mp_text_part span;        /* includes the brackets */
};

/* Returns the *N outermost lists of NAME, in order, in ARENA. If SIGNATURE, a list of parameters at the end is
 * MP_LIST_SIGNATURE. */
struct mp_name_list *mp_name_lists(struct mp_text_part name, bool signature, struct mp_arena *arena,
                                   uint32_t *n);

/* Returns the *N arguments of LIST, without blanks around them, in ARENA. There is at least one. */
struct mp_text_part *mp_name_arguments(const struct mp_name_list *list, struct mp_arena *arena,
                                  uint32_t *n);

/* Returns NAME without signature and with its other lists replaced by <...> and (...), in ARENA. */
const char *mp_name_bare(struct mp_text_part name, struct mp_arena *arena);

#endif
