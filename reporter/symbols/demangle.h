/* SPDX-License-Identifier: MIT */
/*
 * demangle.h -- makes linkage names of C++ (Itanium), Rust (v0, legacy), D and Ada readable, using libiberty.
 *
 * Linkage names come from untrusted ELF files. Input and output are therefore bounded, and a name whose readable
 * form exceeds the bound remains mangled.
 */
#ifndef MP_DEMANGLE_H
#define MP_DEMANGLE_H

#include <stdbool.h>

#define MP_DEMANGLE_MAX_INPUT   4096u       /* bytes of a linkage name */
#define MP_DEMANGLE_MAX_OUTPUT  16384u      /* bytes of its readable form */

/* Returns the readable form of the linkage name MANGLED, or NULL if it is not mangled or too long. The result is
 * `ns::Class::method`, or with PARAMETERS `ns::Class::method(int) const`. It never includes the return type. The
 * caller frees it. */
char *mp_demangle(const char *mangled, bool parameters);

/* Returns the Ada name for ENCODED, a linkage name by the compiler GNAT, for example shop.make_item for
 * shop__make_item. Returns NULL if it is not such a name. C functions may have names of this form, so the caller
 * must know that ENCODED is from Ada. The caller frees the result. */
char *mp_demangle_ada(const char *encoded);

#endif
