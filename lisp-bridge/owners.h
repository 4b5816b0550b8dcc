/* owners.h -- determines which kind of object owns the data that a function of libecl allocates. */
#ifndef MP_LISP_OWNERS_H
#define MP_LISP_OWNERS_H

#include <stdint.h>

/* Must be called after libecl was found. */
void mp_lisp_owners_open(void);

/* Returns the kind that owns the blocks of CONTEXT (struct mp_language). */
unsigned mp_lisp_owner(uint32_t context);

#endif
