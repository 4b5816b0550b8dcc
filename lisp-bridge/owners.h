/* owners.h -- to what kind of object the data belongs that a function of libecl allocates. */
#ifndef MP_LISP_OWNERS_H
#define MP_LISP_OWNERS_H

#include <stdint.h>

/* Once libecl is there. */
void mp_lisp_owners_open(void);

/* The kind that owns the blocks of CONTEXT (struct mp_language). */
unsigned mp_lisp_owner(uint32_t context);

#endif
