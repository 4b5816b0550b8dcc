/* SPDX-License-Identifier: MIT */
/*
 * dwarf_units.h -- finds the function at an address in the debug information.
 *
 * A table of the units' addresses is built from the units' own ranges, because .debug_aranges is optional. Each
 * unit with a frame also gets a table of its functions' ranges. A lookup is then two binary searches.
 */
#ifndef MP_SYMBOLS_DWARF_UNITS_H
#define MP_SYMBOLS_DWARF_UNITS_H

#include "binary.h"

struct mp_unit {
    Dwarf_Die top;              /* DIE that contains the functions, in the .dwo file if the unit is split */
    Dwarf_Die lines;            /* DIE with the line table */
    bool missing;               /* `top` would be in a .dwo file that is missing */

    /* internal data of dwarf_units.c */
    enum { MP_UNIT_UNREAD, MP_UNIT_OUTER, MP_UNIT_ALL } state;  /* which functions were read: none, those outside of
                                                                   functions, or all */
    struct mp_arena *arena;     /* owns the following data; NULL = unread */
    struct mp_spans spans;      /* value: index in functions */
    Dwarf_Die *functions;
    uint32_t n_functions, room;
    uint32_t ranges;            /* number of ranges read for the functions */
};

/* Opens the debug information of BINARY, which is being loaded. If it is missing or unreadable, `dwarf` remains
 * NULL and `problem` gives the reason. */
void mp_units_open(struct mp_binary *binary);
void mp_units_close(struct mp_binary *binary);

/* Returns the number of the unit that contains ADDRESS, or MP_NO_ID. */
uint32_t mp_unit_number(const struct mp_binary *binary, uint64_t address);

/* Returns the unit that contains ADDRESS, or NULL. */
struct mp_unit *mp_unit_at(const struct mp_binary *binary, uint64_t address);

/* Returns the function of UNIT that contains ADDRESS, or NULL. It is valid until functions of other units are asked
 * for. */
Dwarf_Die *mp_unit_function(struct mp_binary *binary, struct mp_unit *unit, uint64_t address);

/* Returns UNIT in the handle for line tables if possible (struct mp_lines). Data read from the result is valid until
 * the next call. The result's addr is NULL if its line table exceeds the budget. */
Dwarf_Die mp_lines_unit(struct mp_lines *lines, Dwarf_Die *unit);

/* Must be called before DIE of BINARY is read. Releases pages, see mp_trim_at(). */
void mp_units_trim(struct mp_binary *binary, Dwarf_Die *die);

#endif
