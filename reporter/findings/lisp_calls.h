/* SPDX-License-Identifier: MIT */
/*
 * lisp_calls.h -- finds the functions of Lisp's runtime on the chain between a function of the program and an object:
 * the one that the program called, and those below it that matter for findings.
 */
#ifndef MP_FINDINGS_LISP_CALLS_H
#define MP_FINDINGS_LISP_CALLS_H

#include "reporter/graph/tree.h"

/* Functions of the runtime, and of libraries, that tell why an object was made. Each is a set of names in
 * lisp_calls.c. */
enum mp_lisp_mark {
    MP_BELOW_REST       = 1 << 0,       /* an argument list was made */
    MP_BELOW_TABLE      = 1 << 1,       /* MAKE-HASH-TABLE */
    MP_BELOW_EXTENSION  = 1 << 2,       /* a hash table grew */
    MP_BELOW_FORMAT     = 1 << 3,
    MP_BELOW_PARSING    = 1 << 4,       /* FORMAT parsed its control string */
    MP_BELOW_STREAM     = 1 << 5,       /* a string stream was made */
    MP_BELOW_CONDITION  = 1 << 6,       /* a condition was made or signalled */
    MP_BELOW_INSTANCE   = 1 << 7,       /* an instance was made */
    MP_BELOW_DISPATCH   = 1 << 8,       /* a generic function searched for its methods */
    MP_BELOW_EVAL       = 1 << 9,       /* a form was evaluated or compiled */
    MP_BELOW_BOOT       = 1 << 10,      /* the runtime itself was started */
    MP_BELOW_FORMATTER  = 1 << 11,      /* for lisp_calls.c: parsing or following a control string */
    MP_BELOW_PROTOTYPE  = 1 << 13,      /* an instance was made to stand for its class */
    MP_BELOW_DIRECTIVE  = 1 << 12       /* for lisp_calls.c: a directive of a control string was parsed */
};

/* Libraries whose allocations are charged to their callers. */
enum mp_lisp_library {
    MP_LIBRARY_REGEX, MP_LIBRARY_THREADS, MP_LIBRARY_FOREIGN, MP_LIBRARY_TYPES, MP_LIBRARY_PREPARED, MP_LIBRARIES
};

/* Each list has an element for each node of the tree. */
struct mp_lisp_calls {
    const struct mp_tree *tree;
    uint32_t *user;             /* node of the innermost function of the program, or 0 if there is none, or if the
                                   runtime was being started */
    uint32_t *direct;           /* node of the runtime's function that `user` called, or 0 if it called none that has
                                   a name */
    uint32_t *below;            /* set of enum mp_lisp_mark: functions of the runtime that `user` called */
    uint32_t *beyond[MP_LIBRARIES];     /* node of the function that called the library, or 0 if the chain has no
                                           function of the library */
    uint32_t *entry[MP_LIBRARIES];      /* node of the library's function that was called, or 0 */
};

/* Finds what was called on all chains of TREE. The lists are in ARENA. */
struct mp_lisp_calls *mp_lisp_calls(const struct mp_tree *tree, struct mp_arena *arena);

/* Returns the name of NODE's function, such as "FORMAT", in ARENA. For a method, returns the name of its generic
 * function. */
const char *mp_lisp_calls_name(const struct mp_tree *tree, uint32_t node, struct mp_arena *arena);

#endif
