/* SPDX-License-Identifier: MIT */
/*
 * sizeclass.h -- defines the kinds of objects, and the size classes of C's blocks.
 *
 * Used by the monitor and the reporter. Kinds 0 to 3 are C's size classes; kinds from MP_KIND_LISP on are Lisp
 * types. Each kind belongs to one column of a breakdown.
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
    MP_KIND_CLASS = 256,        /* first kind for classes that the program defines */
    MP_KIND_END = 0x4000
};

/* Flag in the kind of a cell, for kinds from MP_KIND_LISP on. format.h describes it after struct mp_live_mixed. */
#define MP_KIND_PAYLOAD 0x8000u

static inline unsigned
mp_sizeclass(size_t size)
{
    return (unsigned)(size > 32) + (unsigned)(size > 256) + (unsigned)(size > 2048);
}

#endif
