/* SPDX-License-Identifier: MIT */
/*
 * kinds.h -- the kinds of Lisp objects: ECL's types, classes of structures and instances, and owners of data.
 *
 * A type's kind is MP_KIND_LISP plus its tag. Classes are numbered from MP_KIND_CLASS on, in the order in which their
 * instances are first seen.
 */
#ifndef MP_LISP_KINDS_H
#define MP_LISP_KINDS_H

#include <stdbool.h>

#include "ecl.h"
#include "runtime/compiler.h"
#include "runtime/language/language.h"
#include "runtime/sizeclass.h"

#define MP_LISP_KIND(type) (MP_KIND_LISP + (unsigned)(type))

enum mp_lisp_kind {
    MP_LISP_FIRST_EXTRA = MP_LISP_KIND(100),
#define TYPE(tag, name, category)
#define EXTRA(id, name, category) MP_LISP_##id,
#include "types.def"
#undef TYPE
#undef EXTRA
    MP_LISP_KINDS
};

/* Returns the kind of objects with the tag TYPE, which is -1 if unknown. All functions have the same kind, regardless
 * of the number of their arguments. */
MP_INLINE unsigned
mp_lisp_type_kind(int type)
{
    return type < 0 ? MP_LISP_OBJECT : MP_LISP_KIND(type == t_cfunfixed ? t_cfun : type);
}

/* Allocates the tables. Must be called first. Returns false if there is no memory. */
bool mp_lisp_kinds_open(void);

/* Returns the built-in kind that KIND belongs to, which is KIND itself unless KIND is a class. */
unsigned mp_lisp_base_kind(unsigned kind);

/* Describes KIND to the monitor. */
void mp_lisp_describe_kind(unsigned kind, struct mp_kind_name *name);

/* Returns whether objects of KIND can get another kind later (deferred.h). */
bool mp_lisp_is_provisional(unsigned kind);

/* Returns the kind of the instances of CLASS, a live class object. Sets *OF_METHODS to whether they are methods. Takes
 * no lock if the class is known. */
unsigned mp_lisp_class_kind(cl_object class, bool *of_methods);

/* Forgets dead classes, because their addresses may be reused. Called at the end of a collection with the gate's lock
 * held. */
void mp_lisp_forget_classes(bool (*marked)(const void *object));

/* mp_lisp_owner() returns the kind of the objects that own the data which functions of libecl allocate in CONTEXT
 * (struct mp_language). mp_lisp_owners_open() must be called before, when libecl was found. */
void mp_lisp_owners_open(void);
unsigned mp_lisp_owner(uint32_t context);

#endif
