/*
 * demangle.h -- linkage names of C++ (Itanium), Rust (v0, legacy), D and Ada for people, through libiberty.
 *
 * Linkage names come from ELF files that may be hostile: input and output are bounded, and a
 * name that would unfold beyond the bound stays mangled.
 */
#ifndef MP_DEMANGLE_H
#define MP_DEMANGLE_H

#include <stdbool.h>

#define MP_DEMANGLE_MAX_INPUT   4096u       /* bytes of a linkage name */
#define MP_DEMANGLE_MAX_OUTPUT  16384u      /* bytes of its readable form */

/* The readable form of linkage name MANGLED, or NULL if it is not mangled (or too long).
 * Without PARAMETERS, `ns::Class::method`; with them `ns::Class::method(int) const`; a return
 * type is never shown.  The caller frees it. */
char *mp_demangle(const char *mangled, bool parameters);

/* The name of which GNAT, the compiler of Ada, made the linkage name ENCODED: shop.make_item of shop__make_item; or
 * NULL.  C may have such names, too: the caller must know that ENCODED is of Ada.  The caller frees it. */
char *mp_demangle_ada(const char *encoded);

#endif
