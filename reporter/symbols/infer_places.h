/* SPDX-License-Identifier: MIT */
/*
 * infer_places.h -- finds the variables of a function that are located at a given place, at one address of its code.
 */
#ifndef MP_SYMBOLS_INFER_PLACES_H
#define MP_SYMBOLS_INFER_PLACES_H

#include "binary.h"

#define MP_INFER_VARIABLES 1024u /* maximum number of variables examined in a function */

/* The place of a variable: a register; a word of the function's frame, as offset from the canonical frame address
 * (DWARF 5, 6.4); or an address. */
struct mp_infer_place {
    enum { MP_INFER_NOWHERE, MP_INFER_REGISTER, MP_INFER_FRAME, MP_INFER_ADDRESS } kind;
    int reg;
    int64_t at;
};

/* The variables and parameters of one function and of functions inlined into it. */
struct mp_infer_places {
    struct mp_binary *binary;
    Dwarf_Die unit, function;   /* function.addr is NULL if there is no debug information */
    Dwarf_Addr pc;              /* DWARF address to which all questions refer */
    Dwarf_Addr frame_pc;        /* address to which the next two fields refer */
    int frame_register;         /* the canonical frame address is this register plus frame_offset; -1 = unknown */
    int64_t frame_offset;       /* in bytes */
    uint32_t left;              /* remaining budget of variable lookups */
    uint32_t n;
    Dwarf_Die variables[MP_INFER_VARIABLES];     /* outermost scope first */
    Dwarf_Die scopes[MP_INFER_VARIABLES];        /* scope of each variable */
};

/* Reads the variables of the function that contains ADDRESS, an offset in the module. */
void mp_infer_places_begin(struct mp_infer_places *places, struct mp_binary *binary, uint64_t address);

/* Sets the address to which the following questions refer. */
void mp_infer_places_at(struct mp_infer_places *places, uint64_t address);

/* Returns the place at OFFSET bytes from register REG, if it is in the frame. */
struct mp_infer_place mp_infer_place_in_frame(struct mp_infer_places *places, int reg, int64_t offset);

/* Finds the next variable at PLACE, from *NEXT on, which is 0 at first, and sets *TYPE to its type. Returns false
 * if there is no further variable. The outermost scope comes first, because inlined functions may see only a part
 * of the object, or a base class. */
bool mp_infer_place_type(struct mp_infer_places *places, struct mp_infer_place place, uint32_t *next, Dwarf_Die *type);

/* Returns the function's return type. Its addr is NULL for void or without debug information. */
Dwarf_Die mp_infer_returned(struct mp_infer_places *places);

#endif
