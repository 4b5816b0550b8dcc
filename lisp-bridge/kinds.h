/*
 * kinds.h -- kinds of Lisp objects: ECL's types, and the classes of structures and instances.
 *
 * A type's kind is MP_KIND_LISP + its tag.  Classes get kinds from MP_KIND_CLASS on, in the order in
 * which their instances are first seen.
 */
#ifndef MP_LISP_KINDS_H
#define MP_LISP_KINDS_H

#include <stdbool.h>

#include "ecl.h"
#include "runtime/language/language.h"
#include "runtime/sizeclass.h"

#define MP_LISP_KIND(type) (MP_KIND_LISP + (unsigned)(type))

/* The kind of objects whose header says TYPE; -1: not known.  A function is one, however many arguments it has. */
#define mp_lisp_type_kind(type) \
    ((type) < 0 ? MP_LISP_OBJECT : MP_LISP_KIND((type) == t_cfunfixed ? t_cfun : (type)))

enum mp_lisp_kind {
    MP_LISP_FIRST_EXTRA = MP_LISP_KIND(100),
#define TYPE(tag, name, category)
#define EXTRA(id, name, category) MP_LISP_##id,
#include "types.def"
#undef TYPE
#undef EXTRA
    MP_LISP_KINDS
};

/* Before all else: memory for what follows; false: there is none. */
bool mp_lisp_kinds_open(void);

/* What KIND is called, for the monitor. */
void mp_lisp_describe_kind(unsigned kind, struct mp_kind_name *name);

/* Do objects of KIND get another kind at second sight (deferred.h)? */
bool mp_lisp_is_provisional(unsigned kind);

/* The kind of the instances of CLASS, a class object that is alive, and whether they are methods;
 * lock-free once it is known. */
unsigned mp_lisp_class_kind(cl_object class, bool *of_methods);

/* Forget classes that are dead: their addresses may come to mean something else.  At the end of a
 * collection, with the gate's lock held. */
void mp_lisp_forget_classes(bool (*marked)(const void *object));

#endif
