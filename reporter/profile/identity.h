/* SPDX-License-Identifier: MIT */
/*
 * identity.h -- what a function is, as data, and the texts that outputs show for it.
 *
 * Functions are compared by the members of struct mp_function. Only identity.c composes and parses texts;
 * tests/lint/identity.sh checks that. A name may contain any character: D writes `f!(int)`, Lisp `|a!b#2|`, and a
 * program may be called `a!b`.
 */
#ifndef MP_IDENTITY_H
#define MP_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reporter/base/arena.h"

struct mp_profile;

enum mp_function_kind {
    MP_FUNCTION_ORDINARY,
    MP_FUNCTION_CLONE,          /* a copy or a part that the compiler made of a function, which is not known for
                                   certain: foo.part.0 */
    MP_FUNCTION_LAMBDA,         /* has no name in the source and is named after its place: lambda@queue.cc:12 */
    MP_FUNCTION_PLACE,          /* its name is unknown; only `module` and `start` identify it */
    MP_FUNCTION_LISP,           /* in a view: a function with a name of the language's runtime; see `lisp` */
    MP_FUNCTION_KINDS
};

/* A function of the program, that is one declaration in one file, or one start address if there is no debug
 * information; see symbols.h. A file that was loaded twice has its functions once. Unknown texts are NULL. The build-id
 * is that of the module. A function without `start` that is no place has no code of its own; it is only inlined. */
struct mp_function {
    const char *text;           /* for output only: the shortest text that distinguishes it in the profile */
    const char *plain;          /* demangled name without parameters; NULL for a place */
    const char *parameters;     /* of C++ and D, with what follows them: "(int) const"; known if the name is mangled */
    const char *runtime_name;   /* the name that the language's runtime gives to it; `file` is then that name's */
    const char *file;           /* source file of the declaration */
    const char *unit;           /* if `file` is unknown, the name of its source file by the symbol table */
    uint32_t line;              /* line of the declaration, or 0 if unknown */
    uint32_t module;            /* MP_NO_ID if none (generated code, marks) */
    uint64_t start;             /* offset of its code in the module (address - bias), or 0 if unknown; for a place
                                   without unwind information, that of the frame; without a module, the address */
    enum mp_function_kind kind;
    uint16_t language;          /* DW_LANG_... of its source, or 0 if unknown */
    uint16_t clone;             /* number of bytes at the end of `plain` that the compiler added: ".part.0" */
    uint32_t label;             /* 1 + the label of processes that it shows, see process_part.h, or 0 */
    uint32_t lisp;              /* in a view: 1 + the index in mp_profile.names of the name that it shows; or 0 */
};

/* Sets `text` of all functions of PROFILE. Functions with the same name get additions step by step, each of which
 * applies only to functions whose texts are still equal: C++ parameters, the module (`program!init`,
 * `libx.so!init`), the source file (`init@queue.c`, `init@a/util.c`), the address, a number. */
void mp_identity_texts(struct mp_profile *profile);

/* Returns TEXT, for output, with the name of the function's MODULE before it, in ARENA. */
const char *mp_identity_in_module(const char *module, const char *text, struct mp_arena *arena);

/* Returns the name of FUNCTION that is the same in every profile: the runtime's name or else `plain`. Returns its text
 * if it has neither. */
static inline const char *
mp_function_name(const struct mp_function *function)
{
    return function->runtime_name ? function->runtime_name : function->plain ? function->plain : function->text;
}

/* Returns whether FUNCTION is known only by its location, as "libfoo.so+0x1234". */
bool mp_function_is_nameless(const struct mp_profile *profile, const struct mp_function *function);

/* Returns whether NAME is the name of FUNCTION, as shown or without additions. The name of a Lisp generic function
 * matches its methods. */
bool mp_function_is_called(const struct mp_function *function, const char *name);

/* Returns the name of FUNCTION without parameters, a clone's suffix and arguments of templates, which are replaced by
 * <...>. The result is in ARENA. */
const char *mp_function_bare_name(const struct mp_function *function, struct mp_arena *arena);

/* ---------------------------------------------------------------- names of Lisp */

/* The runtime's names consist of symbols, lists such as (SETF PKG::F), and words: "INNER in OUTER", "A or B". Symbols
 * may contain these words between bars: |a in b|. */

/* Returns the name of the outermost function in NAME: "C" for "A in B in C". */
const char *mp_lisp_outermost(const char *name);

/* Returns whether NAME is that of several functions: "A or B". */
bool mp_lisp_is_ambiguous(const char *name);

/* Returns the package of the outermost function in NAME, for a method that of its generic function, which is part of
 * NAME, and sets *LENGTH to its length. Returns NULL if there is none. */
const char *mp_lisp_package(const char *name, size_t *length);

/* Returns whether a function called NAME is known only by its location. A lambda in a named function is known by that
 * function. */
bool mp_lisp_is_nameless(const char *name);

/* Returns the text of a function called NAME at PLACE, which is a file, with or without a line: "FOO (a.lisp:12)", or
 * "LAMBDA of a.lisp:12" for a nameless one. */
const char *mp_lisp_text(const char *name, const char *place, struct mp_arena *arena);

/* If FILE is NULL, returns whether TEXT is NAME, with or without a place. Otherwise NAME is NULL, and the result is
 * whether TEXT has a place in FILE. */
bool mp_lisp_text_is(const char *text, const char *name, const char *file);

/* ---------------------------------------------------------------- where functions are born */

/* Returns the number of bytes at the end of NAME that a compiler adds to names of copies and parts of functions, such
 * as ".isra.0.cold" or " [clone .part.0]". */
size_t mp_identity_clone(const char *name);

/* Returns the part of FULL, a demangled name with parameters, that follows its name, which is NAME without the last
 * CLONE bytes. Returns NULL if there are no parameters. The caller frees the result. */
char *mp_identity_parameters(const char *full, const char *name, size_t clone);

/* Fills in the identity of FUNCTION of PROFILE, which comes from an older sealed file. Only `text`, `module`, `start`
 * and `file` are known, and `runtime_name` is mp_function_name() or NULL. */
void mp_identity_of_text(struct mp_profile *profile, struct mp_function *function);

#endif
