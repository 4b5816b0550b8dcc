/*
 * sizeclass.h -- kinds of objects: the C size classes of the 1988 tables.
 *
 * A leaf: the monitor and the reporter share it.  Kinds 0..3 are C size classes; kinds from
 * MP_KIND_LISP on are Lisp types.  A kind belongs to one column of a breakdown.
 */
#ifndef MP_SIZECLASS_H
#define MP_SIZECLASS_H

#include <stddef.h>
#include <stdint.h>

enum mp_kind {
    MP_KIND_SMALL = 0,          /*          size <=   32 */
    MP_KIND_MEDIUM,             /*   32  <  size <=  256 */
    MP_KIND_LARGE,              /*  256  <  size <= 2048 */
    MP_KIND_EXTRA,              /* 2048  <  size         */
    MP_KIND_C_COUNT,
    MP_KIND_LISP = 16,
    MP_KIND_CLASS = 256,        /* from here on: classes of the program's own */
    MP_KIND_END = 0x4000
};

/* Added to a kind from MP_KIND_LISP on, in cells: see struct mp_live_cell in format.h. */
#define MP_KIND_PAYLOAD 0x8000u

static inline unsigned
mp_sizeclass(size_t size)
{
    return (unsigned)(size > 32) + (unsigned)(size > 256) + (unsigned)(size > 2048);
}

#endif
