/*
 * lines.h -- reads line tables with bounded memory.
 *
 * libdw keeps each line table that it has read until its handle is closed. A C++ unit takes some megabytes, and a
 * program such as clang has thousands of units. Tables are therefore read through a second handle, which is closed
 * and reopened when it holds too many rows.
 */
#ifndef MP_SYMBOLS_LINES_H
#define MP_SYMBOLS_LINES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

struct mp_lines {
    Dwarf *first;               /* the caller's handle; NULL = read all tables through the unit's own handle */
    Dwarf *common;              /* dwz's common file, owned by the caller, or NULL */
    Dwarf *second;
    uint64_t rows;              /* number of rows read through the second handle */
    const void *last;           /* address of the unit asked for last */
};

/* Returns UNIT in the second handle if possible. Data read from the result is valid until the next call. */
Dwarf_Die mp_lines_unit(struct mp_lines *lines, Dwarf_Die *unit);
void mp_lines_close(struct mp_lines *lines);

#endif
