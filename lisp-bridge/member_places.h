/* SPDX-License-Identifier: MIT */
/*
 * member_places.h -- the places of members that differ between versions of ECL.
 *
 * The places of members in a symbol or an interpreted function follow from the size of the object, because new
 * versions of ECL added members in front of the last ones. The places of members in a thread's environment are in
 * environments.def. layout.c verifies some of the places in the running ECL.
 */
#ifndef MP_LISP_PLACES_H
#define MP_LISP_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Byte offsets of members, and sizes of objects. An offset of 0 means that this version of ECL lacks the member. */
struct mp_ecl_layout {
    bool symbol_whole, bytecodes_whole; /* objects of this size have no members that mprof does not know */
    uint16_t symbol_size;
    uint16_t symbol_macfun;     /* expansion function of a macro */
    uint16_t symbol_setf;       /* a cons whose car is the function named (SETF FOO), for the symbol FOO */
    uint16_t symbol_plist, symbol_name, symbol_cname, symbol_hpack, symbol_binding;
    uint16_t bytecodes_flex;    /* captured variables */
    uint16_t bytecodes_file, bytecodes_file_position;
#define MEMBER(name, ...) uint16_t name;
#include "environments.def"
#undef MEMBER
};

/* Stores the places for symbols with SIZE bytes. Returns false if there is no room for them. */
bool mp_places_of_symbols(struct mp_ecl_layout *at, size_t size);

/* Stores the places for interpreted functions with SIZE bytes. Returns false if there is no room for them. */
bool mp_places_of_bytecodes(struct mp_ecl_layout *at, size_t size);

/* Stores the places from column I of environments.def. Returns false if the file has no such column. */
bool mp_places_of_environment(struct mp_ecl_layout *at, size_t i);

#endif
