/* SPDX-License-Identifier: MIT */
/*
 * dwarf_check.h -- counts what libdw would do with debug information before libdw is asked.
 *
 * libdw reads abbreviations, lists and line tables as a whole, whatever they contain, and keeps most of it. The
 * functions below read the same bytes first, charge what libdw will need for them (budget.h), and refuse what no
 * compiler writes.
 */
#ifndef MP_SYMBOLS_DWARF_CHECK_H
#define MP_SYMBOLS_DWARF_CHECK_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "reporter/base/map.h"

/* Returns the content of ELF's first section .debug_NAME, .zdebug_NAME or .debug_NAME.dwo, as libdw does, or NULL. */
Elf_Data *mp_dwarf_section(Elf *elf, const char *name);

/* Charges the units and abbreviations in ELF. Returns false if they exceed the budget, or if a list would keep libdw
 * busy without a result. libdw must not read ELF then. */
bool mp_dwarf_take(Elf *elf);

/* The line tables that libdw has read, or would have to read. Initially zero. */
struct mp_line_tables {
    Elf *elf;                   /* the file to which the sections belong */
    Elf_Data *line, *line_str, *str;
    struct mp_arena *arena;     /* owns the following data; NULL = there is none */
    struct mp_map tables;       /* keys: file and offset of each table */
    bool *good;                 /* indexed by the number in `tables`: libdw may read it */
    uint32_t room;
    uint64_t bytes;             /* charged for all tables */
};

/* Charges the memory of the line table of UNIT, once, and the work of reading it. Returns false if that exceeds the
 * budget, or if the table has a form that no compiler writes. */
bool mp_line_table_take(struct mp_line_tables *tables, Dwarf_Die *unit);
/* Returns the memory to the budget, because libdw has released the tables. */
void mp_line_tables_return(struct mp_line_tables *tables);

#endif
