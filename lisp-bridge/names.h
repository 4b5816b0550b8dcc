/* SPDX-License-Identifier: MIT */
/*
 * names.h -- names code addresses by ECL's function objects.
 *
 * A compiled function is identified by the address where its code starts. Names come from function objects when they
 * are created, from a .fas file's symbol table for local functions, which have no named object, and from method
 * objects (methods.c). Interpreted functions are identified by their bytecodes.
 */
#ifndef MP_LISP_NAMES_H
#define MP_LISP_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ecl.h"
#include "runtime/language/language.h"

#define MP_LISP_NAME_SIZE 512   /* maximum length of a name in bytes */

/* Registers the name of FUNCTION, a compiled function. Called when it is created or first seen. */
void mp_lisp_name_function(cl_object function);

/* Describes FUNCTION, which is bytecodes or a generic function, to the monitor (struct mp_language). */
void mp_lisp_describe(uintptr_t function, struct mp_function_name *name, char *room, size_t size);

/* Names FUNCTION, a closure or a function without a name, which was created in CONTEXT. Returns false, and names
 * nothing, if FUNCTION may still become the global function of a symbol. If LAST is true, the caller will not ask
 * again; then names FUNCTION if symbols can be read, and returns true. */
bool mp_lisp_name_closure(cl_object function, uint32_t context, bool last);

/* Replaces the name PRESENT by a better one, if there is one (struct mp_language). */
bool mp_lisp_resolve(const char *present, char *room, size_t size);

/* Reads the names of local functions from the symbol table of the file PATH, which was loaded with BIAS. */
void mp_lisp_name_file(const char *path, uintptr_t bias);

/* Does what mp_lisp_name_file() does, for all files that were loaded before the bridge was opened. */
void mp_lisp_name_files(void);

/* Names libecl's own dispatch functions, and finds identical-code-folded functions of libecl. */
void mp_lisp_name_runtime(void);

/* Names METHOD, a live method object, now or when it is complete. */
void mp_lisp_name_method(cl_object method);

/* Names the methods that are complete by now. Gate's lock held. */
void mp_lisp_settle_methods(void);

/* Forgets dead methods. Called at the end of a collection with the gate's lock held. */
void mp_lisp_forget_methods(bool (*alive)(const void *object));

#endif
