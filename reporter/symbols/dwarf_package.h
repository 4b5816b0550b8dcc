/* SPDX-License-Identifier: MIT */
/*
 * dwarf_package.h -- reads .dwp files, packages of the .dwo files of a program.
 *
 * libdw does not read them. A unit's parts of the package are therefore copied to a file like its .dwo file. The
 * package has one string table for all units; the copy contains only the strings that the unit uses.
 */
#ifndef MP_SYMBOLS_DWARF_PACKAGE_H
#define MP_SYMBOLS_DWARF_PACKAGE_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

/* A package. All zeros is none. */
struct mp_package {
    Elf *elf;
    Elf_Data *index, *strings;
    uint32_t version, n_columns, n_units, n_slots;      /* of the index */
};

/* Opens the package FD, a private copy, which must stay open. Returns false if it is none. */
bool mp_package_open(struct mp_package *package, int fd);
void mp_package_close(struct mp_package *package);

/* Returns a descriptor of a file with the parts of the unit ID, or -1 if there is no such unit, its parts are damaged,
 * or exceed the budget. */
int mp_package_unit(const struct mp_package *package, uint64_t id);

#endif
