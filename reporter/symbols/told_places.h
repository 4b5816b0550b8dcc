/*
 * told_places.h -- which variables of a function live where, at one address of its code.
 */
#ifndef MP_SYMBOLS_TOLD_PLACES_H
#define MP_SYMBOLS_TOLD_PLACES_H

#include "binary.h"

#define MP_TOLD_VARIABLES 1024u /* of a function, that are looked at */

/* A register, a word of the function's frame, told from the canonical frame address (DWARF 5, 6.4), or an address. */
struct mp_told_place {
    enum { MP_TOLD_NOWHERE, MP_TOLD_REGISTER, MP_TOLD_FRAME, MP_TOLD_ADDRESS } kind;
    int reg;
    int64_t at;
};

/* Variables and parameters of one function and of what is inlined in it. */
struct mp_told_places {
    struct mp_binary *binary;
    Dwarf_Die unit, function;   /* function.addr NULL: no debug information tells of it */
    Dwarf_Addr pc;              /* as DWARF has it, for all questions below */
    Dwarf_Addr frame_pc;        /* that the next two are of */
    int frame_register;         /* the canonical frame address is this register; -1: not known */
    int64_t frame_offset;       /* and this */
    uint32_t left;              /* looks at variables that may still be had */
    uint32_t n;
    Dwarf_Die variables[MP_TOLD_VARIABLES];     /* outermost scope first */
    Dwarf_Die scopes[MP_TOLD_VARIABLES];        /* in which they are */
};

/* The function that has ADDRESS, an offset in the module. */
void mp_told_places_begin(struct mp_told_places *places, struct mp_binary *binary, uint64_t address);

/* Questions are of ADDRESS from now on. */
void mp_told_places_at(struct mp_told_places *places, uint64_t address);

/* The word OFFSET bytes from what REG holds, if it is of the frame. */
struct mp_told_place mp_told_place_in_frame(struct mp_told_places *places, int reg, int64_t offset);

/* The types of the variables that live in PLACE, outermost scope first (what is inlined may see a part only, or
 * what it is derived from): the next one, from *NEXT on (0 first). */
bool mp_told_place_type(struct mp_told_places *places, struct mp_told_place place, uint32_t *next, Dwarf_Die *type);

/* The type that the function returns; none: no debug information, or void. */
Dwarf_Die mp_told_returned(struct mp_told_places *places);

#endif
