/*
 * dwarf_units.h -- which function of the debug information has an address.
 *
 * A table of the units' addresses is made from their own ranges (.debug_aranges is optional), and
 * for each unit that holds a frame one of its functions' ranges: a lookup is two binary searches.
 */
#ifndef MP_SYMBOLS_DWARF_UNITS_H
#define MP_SYMBOLS_DWARF_UNITS_H

#include "binary.h"

struct mp_unit {
    Dwarf_Die top;              /* what holds the functions (of the .dwo file if it is split) */
    Dwarf_Die lines;            /* what holds the line table */
    bool missing;               /* `top` is in a .dwo file which is not there */

    /* dwarf_units.c's own */
    enum { MP_UNIT_UNREAD, MP_UNIT_OUTER, MP_UNIT_ALL } state;  /* which functions were read */
    struct mp_arena *arena;     /* of the following; NULL: unread */
    struct mp_spans spans;      /* value: index in functions */
    Dwarf_Die *functions;
    uint32_t n_functions, room;
    uint32_t ranges;            /* that were read for them */
};

/* Open the debug information of BINARY, which is being loaded; if it has none, or none that can be
 * read, its `dwarf` stays NULL, and its `problem` says why. */
void mp_units_open(struct mp_binary *binary);
void mp_units_close(struct mp_binary *binary);

/* A number for the unit that has ADDRESS, MP_NO_ID: none. */
uint32_t mp_unit_number(const struct mp_binary *binary, uint64_t address);

/* The unit that has ADDRESS, NULL: none. */
struct mp_unit *mp_unit_at(const struct mp_binary *binary, uint64_t address);

/* The function of UNIT that has ADDRESS, NULL: none.  It lasts until functions of other units are
 * asked for. */
Dwarf_Die *mp_unit_function(struct mp_binary *binary, struct mp_unit *unit, uint64_t address);

/* DIE of BINARY is going to be read: gives pages back, see mp_trim_at(). */
void mp_units_trim(struct mp_binary *binary, Dwarf_Die *die);

#endif
