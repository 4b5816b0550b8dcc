#include "lines.h"

#define MOST_ROWS (UINT64_C(1) << 19)   /* maximum number of rows in one handle, about 30 MB */

void
mp_lines_close(struct mp_lines *lines)
{
    if (lines->second != NULL)
        dwarf_end(lines->second);
    lines->second = NULL;
    lines->rows = 0;
    lines->last = NULL;
}

static bool
open_second(struct mp_lines *lines)
{
    if (lines->rows > MOST_ROWS)
        mp_lines_close(lines);
    if (lines->second != NULL)
        return true;
    lines->second = dwarf_begin_elf(dwarf_getelf(lines->first), DWARF_C_READ, NULL);
    if (lines->second != NULL && lines->common != NULL)
        dwarf_setalt(lines->second, lines->common);
    return lines->second != NULL;
}

/* Adds the rows of UNIT. A unit that is asked for again may be counted again, which is harmless. */
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
mp_lines_unit(struct mp_lines *lines, Dwarf_Die *unit)
{
    Dwarf_Die same;

    if (lines->first == NULL || dwarf_cu_getdwarf(unit->cu) != lines->first ||
        !open_second(lines) ||
        dwarf_offdie(lines->second, dwarf_dieoffset(unit), &same) == NULL)
        return *unit;
    count_rows(lines, &same);
    return same;
}
