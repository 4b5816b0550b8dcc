/*
 * symbols_lines.c -- line tables, not all of them at once.
 *
 * libdw keeps each table that it has read until its handle is closed: some megabytes for a unit of
 * C++, and a program like clang has thousands of units.  So tables are read through a second handle,
 * which is closed when there are too many, and opened anew.
 */
#include "internal.h"

#include <string.h>

#define MOST_ROWS (UINT64_C(1) << 19)   /* in one handle: some 30 MB */

void
mp_lines_close(struct mp_lines *lines)
{
    if (lines->dwarf != NULL)
        dwarf_end(lines->dwarf);
    *lines = (struct mp_lines){ 0 };
}

static bool
open_handle(struct mp_binary *binary, Dwarf *main)
{
    struct mp_lines *lines = &binary->lines;

    if (lines->rows > MOST_ROWS)
        mp_lines_close(lines);
    if (lines->dwarf != NULL)
        return true;
    lines->dwarf = dwarf_begin_elf(dwarf_getelf(main), DWARF_C_READ, NULL);
    if (lines->dwarf != NULL && binary->common != NULL)
        dwarf_setalt(lines->dwarf, binary->common);
    return lines->dwarf != NULL;
}

/* Count the rows of UNIT; those of one that is met again count again, which does no harm. */
static void
count_rows(struct mp_lines *lines, Dwarf_Die *unit)
{
    Dwarf_Lines *rows;
    size_t n;

    if (unit->addr == lines->last)
        return;
    lines->last = unit->addr;
    if (dwarf_getsrclines(unit, &rows, &n) == 0)
        lines->rows += n;
}

Dwarf_Die
mp_lines_unit(struct mp_binary *binary, Dwarf_Die *unit)
{
    Dwarf *main = mp_dwarf_handle(binary->dwarf);
    Dwarf_Die same;

    /* what is split is put together in the first handle only */
    if (binary->is_split || dwarf_cu_getdwarf(unit->cu) != main || !open_handle(binary, main) ||
        dwarf_offdie(binary->lines.dwarf, dwarf_dieoffset(unit), &same) == NULL)
        return *unit;
    count_rows(&binary->lines, &same);
    return same;
}
