/* SPDX-License-Identifier: MIT */
/*
 * die.h -- walks of DWARF trees that end soon on any input; names and sizes of DIEs.
 *
 * DIEs belong to libdw and are valid as long as the handle they come from.
 */
#ifndef MP_SYMBOLS_DIE_H
#define MP_SYMBOLS_DIE_H

#include <elfutils/libdw.h>

#include "texts.h"

#define MP_DIE_DEPTH 128        /* maximum levels of a DIE tree that are visited */

/* Like dwarf_child() and dwarf_siblingof(), within the budget (budget.h): they also return -1 if that is spent. */
int mp_die_child(Dwarf_Die *die, Dwarf_Die *child);
int mp_die_sibling(Dwarf_Die *die, Dwarf_Die *sibling);
/* Like dwarf_ranges(), within the budget. */
ptrdiff_t mp_die_ranges(Dwarf_Die *die, ptrdiff_t next, Dwarf_Addr *base, Dwarf_Addr *start, Dwarf_Addr *end);
/* Returns whether one of the ranges of DIE contains PC. */
bool mp_die_has_pc(Dwarf_Die *die, Dwarf_Addr pc);

/* A walk of the tree below a DIE in file order. The walk ends when a DIE is not behind the previous one in the
 * file, so a damaged tree cannot cause an endless loop. */
struct mp_die_walk {
    Dwarf_Die stack[MP_DIE_DEPTH];
    int depth;                  /* -1 before the first DIE */
    const void *last;           /* address of the last DIE visited */
};
void mp_die_walk_begin(struct mp_die_walk *walk, Dwarf_Die *top);
/* Returns the next DIE, or NULL at the end. Visits the children of the present DIE first if DESCEND. */
Dwarf_Die *mp_die_walk_next(struct mp_die_walk *walk, bool descend);

/* Finds the next unit with a DIE after *CU, or the first if *CU is NULL. *TOP is the unit's tree, in its .dwo file
 * if it is split. *CODE is the DIE with its ranges and line table. */
bool mp_die_next_unit(Dwarf *dwarf, Dwarf_CU **cu, uint8_t *kind, Dwarf_Die *top, Dwarf_Die *code);

/* Releases pages while units are walked. Otherwise all of libdw's mapping of a large program would end up in
 * memory. */
struct mp_trim {
    Dwarf *dwarf;
    Dwarf_Off last;             /* offset of the last DIE passed */
    Dwarf_Off walked;           /* bytes walked since pages were released */
};
/* Tells TRIM that the walk has reached DIE, a unit or a DIE in a unit. Releases pages now and then. */
void mp_trim_at(struct mp_trim *trim, Dwarf_Die *die);

/* Sets *RESULT to the DIE to which the reference ATTRIBUTE of DIE leads, also through abstract origins. Returns
 * false if DIE has no such reference. */
bool mp_die_reference(Dwarf_Die *die, unsigned int attribute, Dwarf_Die *result);

/* Returns the first declaration of DIE, which may be a copy of a function or a definition outside of its class. */
Dwarf_Die mp_die_declaration(Dwarf_Die *die);

/* Returns the name with the enclosing namespaces and classes, which are found by a walk of the unit. */
const char *mp_die_qualified_name(struct mp_texts *texts, Dwarf_Die *die);
/* Returns the name of DIE without enclosing scopes, "(anonymous namespace)" for an anonymous namespace, or NULL. */
const char *mp_die_own_name(Dwarf_Die *die);
/* Returns whether function DIE is the body of an unnamed lambda. Sets *CLOSURE to the lambda's type then. */
bool mp_die_closure(Dwarf_Die *die, Dwarf_Die *closure);
/* Returns whether the language of DIE's unit has namespaces or classes, which qualify names. */
bool mp_die_has_scopes(Dwarf_Die *die);

bool mp_die_is_aggregate(int tag);      /* struct, class or union */
/* Returns the size of type DIE in bytes. Returns 0 if it is unknown or if it reaches LIMIT. Sets *SCALAR to whether the
 * type is, behind typedefs, a number, a vector, an enumeration or a pointer. */
uint64_t mp_die_size(Dwarf_Die die, uint64_t limit, bool *scalar);

#endif
