#include "dwarf_answer.h"

#include <dwarf.h>

#include "dwarf_names.h"
#include "dwarf_units.h"

#define CHAIN_MAX 128u          /* inlined calls at one address */

/* -------------------------------------------------------------------- inlined calls */

/* Sets *INSIDE to the scope directly inside SCOPE that contains PC. Returns false if no inner scope contains
 * PC. */
static bool
scope_inside(Dwarf_Die *scope, Dwarf_Addr pc, Dwarf_Die *inside)
{
    const char *last = scope->addr;

    if (dwarf_child(scope, inside) != 0)
        return false;
    do {
        int tag = dwarf_tag(inside);

        if ((const char *)inside->addr <= last)
            return false;
        last = inside->addr;
        if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine ||
             tag == DW_TAG_try_block || tag == DW_TAG_catch_block) &&
            dwarf_haspc(inside, pc) > 0)
            return true;
    } while (dwarf_siblingof(inside, inside) == 0);
    return false;
}

/* Sets CHAIN to FUNCTION and the calls inlined in it at PC, outermost first. Returns their number. */
static uint32_t
inline_chain(Dwarf_Die *function, Dwarf_Addr pc, Dwarf_Die chain[CHAIN_MAX])
{
    Dwarf_Die scope = *function, inside;
    uint32_t count = 1;

    chain[0] = *function;
    while (count < CHAIN_MAX && scope_inside(&scope, pc, &inside)) {
        scope = inside;
        if (dwarf_tag(&scope) == DW_TAG_inlined_subroutine)
            chain[count++] = scope;
    }
    return count;
}

/* ----------------------------------------------------------------------------- lines */

static void
line_at(struct mp_binary *binary, struct mp_unit *unit, Dwarf_Addr pc, const char **file,
        uint32_t *line)
{
    Dwarf_Die lines = mp_lines_unit(&binary->lines, &unit->lines);
    Dwarf_Line *row = dwarf_getsrc_die(&lines, pc);
    const char *name = row == NULL ? NULL : dwarf_linesrc(row, NULL, NULL);
    int number = 0;

    if (name == NULL)
        return;
    *file = mp_dwarf_path(binary, &lines, name);
    if (dwarf_lineno(row, &number) == 0 && number > 0)
        *line = (uint32_t)number;
}

void
mp_dwarf_line(struct mp_binary *binary, uint64_t address, const char **file, uint32_t *line)
{
    struct mp_unit *unit = mp_unit_at(binary, address);

    /* if the inlined calls are unknown, the line may belong to another function */
    if (unit != NULL && !unit->missing)
        line_at(binary, unit, address - binary->bias, file, line);
}

/* Fills PLACE with the file and line of the inlined CALL in its caller. */
static void
line_of_call(struct mp_binary *binary, struct mp_unit *unit, Dwarf_Die *call,
             struct mp_place *place)
{
    Dwarf_Attribute value;
    Dwarf_Word file, line;

    if (dwarf_formudata(dwarf_attr(call, DW_AT_call_file, &value), &file) == 0)
        place->file = mp_dwarf_file(binary, &unit->top, file);
    if (dwarf_formudata(dwarf_attr(call, DW_AT_call_line, &value), &line) == 0 &&
        line <= INT32_MAX)
        place->line = (uint32_t)line;
}

/* Returns the start address of FUNCTION's code, or 0 if it is unknown. */
static uint64_t
entry_of(const struct mp_binary *binary, Dwarf_Die *function)
{
    Dwarf_Addr base, start, end;

    if (dwarf_entrypc(function, &start) != 0 && dwarf_ranges(function, 0, &base, &start, &end) <= 0)
        return 0;
    return start + binary->bias;
}

/* Adds the COUNT calls of CHAIN at PC to the answers, innermost first. The last one is the function CONCRETE. */
static void
add_places(struct mp_binary *binary, struct mp_unit *unit, Dwarf_Addr pc, Dwarf_Die *chain,
           uint32_t count, uint32_t concrete)
{
    struct mp_place place = { .file = "" };

    line_at(binary, unit, pc, &place.file, &place.line);
    for (uint32_t i = count; i-- > 0;) {
        Dwarf_Die origin = mp_dwarf_origin(&chain[i]);

        place.known = i == 0 ? concrete : mp_dwarf_known(binary, &origin, 0);
        if (place.known != MP_NO_ID)
            mp_place_add(&binary->answers, &place);
        place = (struct mp_place){ .file = "" };
        if (i > 0)
            line_of_call(binary, unit, &chain[i], &place);
    }
}

/* Returns the DIE of the function at ADDRESS in UNIT, or NULL if it has no DIE there. UNIT may be NULL. */
static Dwarf_Die *
function_in(struct mp_binary *binary, struct mp_unit *unit, uint64_t address)
{
    return unit == NULL ? NULL : mp_unit_function(binary, unit, address);
}

uint32_t
mp_dwarf_function(struct mp_binary *binary, uint64_t address)
{
    Dwarf_Die *function = function_in(binary, mp_unit_at(binary, address), address);

    return function == NULL ? MP_NO_ID
                            : mp_dwarf_known(binary, function, entry_of(binary, function));
}

bool
mp_dwarf_answer(struct mp_binary *binary, uint64_t address)
{
    struct mp_unit *unit = mp_unit_at(binary, address);
    Dwarf_Die *function = function_in(binary, unit, address), chain[CHAIN_MAX];
    uint32_t concrete, count;

    if (function == NULL)
        return false;
    concrete = mp_dwarf_known(binary, function, entry_of(binary, function));
    if (concrete == MP_NO_ID)
        return false;
    count = inline_chain(function, address - binary->bias, chain);
    add_places(binary, unit, address - binary->bias, chain, count, concrete);
    return true;
}
