/*
 * lines.h -- line tables, not all of them at once.
 *
 * libdw keeps each table that it has read until its handle is closed: some megabytes for a unit of
 * C++, and a program like clang has thousands of units.  So tables are read through a second
 * handle, which is closed when it holds too many, and opened anew.
 */
#ifndef MP_SYMBOLS_LINES_H
#define MP_SYMBOLS_LINES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

struct mp_lines {
    Dwarf *first;               /* the caller's handle; NULL: all tables are read there */
    Dwarf *common;              /* dwz's common file, the caller's, or NULL */
    Dwarf *second;
    uint64_t rows;              /* that were read in the second handle */
    const void *last;           /* address of the unit that was asked for last */
};

/* UNIT in a handle whose line tables do not stay: what is read of it lasts until the next call. */
Dwarf_Die mp_lines_unit(struct mp_lines *lines, Dwarf_Die *unit);
void mp_lines_close(struct mp_lines *lines);

#endif
