/*
 * die.h -- walks of DWARF trees that end on every input; names and sizes in them.
 *
 * DIEs are libdw's, and last as long as the handle that they come from.
 */
#ifndef MP_SYMBOLS_DIE_H
#define MP_SYMBOLS_DIE_H

#include <elfutils/libdw.h>

#include "texts.h"

#define MP_DIE_DEPTH 128        /* levels of a DIE tree that are looked at */

/* Walk the tree below a DIE, in the order of the file.  Each DIE is farther on in the file than
 * the one before, or the walk ends: a damaged tree cannot make it run in circles. */
struct mp_die_walk {
    Dwarf_Die stack[MP_DIE_DEPTH];
    int depth;                  /* -1: before the first */
    const void *last;           /* address of the DIE visited last */
};
void mp_die_walk_begin(struct mp_die_walk *walk, Dwarf_Die *top);
/* Next DIE, NULL at the end.  DESCEND: first into the children of the present one. */
Dwarf_Die *mp_die_walk_next(struct mp_die_walk *walk, bool descend);

/* Next unit after *CU (NULL: the first) that has a DIE; *TOP is its tree (in the .dwo file if it is
 * split), *CODE what has its ranges and line table. */
bool mp_die_next_unit(Dwarf *dwarf, Dwarf_CU **cu, uint8_t *kind, Dwarf_Die *top, Dwarf_Die *code);

/* Gives pages back while units are walked: what libdw maps of a large program would else all be in
 * memory at once. */
struct mp_trim {
    Dwarf *dwarf;
    Dwarf_Off last;             /* what was walked last */
    Dwarf_Off walked;           /* bytes since pages were given back */
};
/* The walk has come to DIE, a unit or what is in one. */
void mp_trim_at(struct mp_trim *trim, Dwarf_Die *die);

/* DIE that ATTRIBUTE (reference) of DIE names, through abstract origins; false if none. */
bool mp_die_reference(Dwarf_Die *die, unsigned int attribute, Dwarf_Die *result);

/* What DIE, a copy of a function or a definition outside of its class, was declared as first. */
Dwarf_Die mp_die_declaration(Dwarf_Die *die);

/* Name with the namespaces and classes around it, found by a walk of its unit. */
const char *mp_die_qualified_name(struct mp_texts *texts, Dwarf_Die *die);
/* Its own name; "(anonymous namespace)" for such a one, NULL if it has none. */
const char *mp_die_own_name(Dwarf_Die *die);
/* Is function DIE the body of a lambda without a name of its own?  *CLOSURE is its type then. */
bool mp_die_closure(Dwarf_Die *die, Dwarf_Die *closure);
/* Does its language have namespaces, which make a name part of a longer one? */
bool mp_die_has_scopes(Dwarf_Die *die);

bool mp_die_is_aggregate(int tag);      /* struct, class or union */
/* Bytes of the struct, or of the array of structs, that type DIE stands for behind typedefs; 0 if
 * it is nothing of the kind, its size is not known here, or its elements come to LIMIT. */
uint64_t mp_die_size(Dwarf_Die die, uint64_t limit);

#endif
