/*
 * name_parts.h -- where the arguments stand in the name of a function: of templates and generics, and
 * parameters.
 *
 * Names are those of C++ as libiberty, gcc and clang write them, of Rust, and of D.  A `<` may be an
 * operator's, compare two constants, or begin a type (`<T as Trait>::f`, `<lambda(int)>`): then it
 * encloses a part of the name, no arguments.  Names that are not understood, because brackets do not
 * match, have no lists: whoever shortens names leaves them whole.
 */
#ifndef MP_NAME_PARTS_H
#define MP_NAME_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

/* A part of a text, of LENGTH bytes. */
struct mp_span {
    const char *text;
    size_t length;
};

/* SPAN without the blanks around it. */
struct mp_span mp_span_trimmed(struct mp_span span);

struct mp_name_list {
    enum {
        MP_LIST_ARGUMENTS,      /* std::map<A, B>, f::<T>, map!(F), and f(A)::local, {lambda(A)#1} */
        MP_LIST_SIGNATURE       /* of the function itself, with what follows: f(A) const */
    } kind;
    struct mp_span span;        /* with its brackets */
};

/* The lists of NAME that are in no other list, in order; *N: how many.  SIGNATURE: a list of
 * parameters at the end is one.  In ARENA. */
struct mp_name_list *mp_name_lists(struct mp_span name, bool signature, struct mp_arena *arena,
                                   uint32_t *n);

/* What stands between the brackets and commas of LIST, without blanks around it; at least one.  In
 * ARENA. */
struct mp_span *mp_name_arguments(const struct mp_name_list *list, struct mp_arena *arena,
                                  uint32_t *n);

/* NAME with <...> and (...) for its lists, and no signature.  In ARENA. */
const char *mp_name_bare(struct mp_span name, struct mp_arena *arena);

#endif
