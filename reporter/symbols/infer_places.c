/* SPDX-License-Identifier: MIT */
#include "infer_places.h"

#include <dwarf.h>
#include <stdlib.h>

#include "budget.h"
#include "die.h"
#include "dwarf_units.h"
#include "elf_symbols.h"
#include "infer_types.h"

#define MOST_LOOKS         (1u << 18)   /* maximum number of variable lookups for one address, for large functions
                                           without optimisation */
#define A_SCAN             256u         /* bytes of unwind information that are read in a unit of work */
#define GLOBALS_A_VARIABLE 16u          /* number of a unit's DIEs that cost as much as one variable lookup */

/* ------------------------------------------------------------------ variables */

static void
read_variables(struct mp_infer_places *places)
{
    struct mp_die_walk walk;
    Dwarf_Die scopes[MP_DIE_DEPTH], top = places->function;
    bool descend = true;

    scopes[0] = top;
    mp_die_walk_begin(&walk, &top);
    for (Dwarf_Die *die; places->n < MP_INFER_VARIABLES && (die = mp_die_walk_next(&walk, descend)) != NULL;) {
        int tag = dwarf_tag(die);

        descend = tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_try_block ||
                  tag == DW_TAG_catch_block;
        scopes[walk.depth] = *die;
        if (tag != DW_TAG_variable && tag != DW_TAG_formal_parameter)
            continue;
        places->scopes[places->n] = scopes[walk.depth - 1];
        places->variables[places->n++] = *die;
    }
}

void
mp_infer_places_begin(struct mp_infer_places *places, struct mp_binary *binary, uint64_t address)
{
    struct mp_unit *unit = mp_unit_at(binary, address);
    Dwarf_Die *function = unit == NULL ? NULL : mp_unit_function(binary, unit, address);

    places->binary = binary;
    places->n = 0;
    places->left = MOST_LOOKS;
    places->frame_pc = UINT64_MAX;
    places->function.addr = NULL;
    if (function == NULL)
        return;
    places->unit = unit->top;
    places->function = *function;
    mp_units_trim(binary, function);
    read_variables(places);
}

void
mp_infer_places_at(struct mp_infer_places *places, uint64_t address)
{
    places->pc = address - places->binary->bias;
}

/* --------------------------------------------------------------------- frames */

/* Sets frame_register and frame_offset from the rule in CFI at PC. Returns false if there is no simple rule. */
static bool
frame_by(struct mp_infer_places *places, Dwarf_CFI *cfi, Dwarf_Addr pc)
{
    Dwarf_Frame *frame = NULL;
    Dwarf_Op *ops;
    size_t n;

    if (cfi == NULL || dwarf_cfi_addrframe(cfi, pc, &frame) != 0)
        return false;
    if (dwarf_frame_cfa(frame, &ops, &n) != 0 || n != 1) {
        places->frame_register = -1;
    } else if (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31) {
        places->frame_register = ops[0].atom - DW_OP_breg0;
        places->frame_offset = (int64_t)ops[0].number;
    } else if (ops[0].atom == DW_OP_bregx && ops[0].number < 32) {
        places->frame_register = (int)ops[0].number;
        places->frame_offset = (int64_t)ops[0].number2;
    }
    free(frame);
    return places->frame_register >= 0;
}

static void
find_frame(struct mp_infer_places *places)
{
    struct mp_binary *binary = places->binary;
    Dwarf_Addr bias;

    if (places->frame_pc == places->pc)
        return;
    places->frame_pc = places->pc;
    places->frame_register = -1;
    if (binary->fdes == NULL)
        binary->fdes = mp_fdes_open(binary->elf, &binary->code, binary->arena);
    if (!mp_budget_work(1 + mp_fdes_longest(binary->fdes) / A_SCAN))
        return;
    if (!frame_by(places, dwfl_module_eh_cfi(binary->dwfl_module, &bias), places->pc + binary->bias))
        frame_by(places, dwfl_module_dwarf_cfi(binary->dwfl_module, &bias), places->pc);
}

struct mp_infer_place
mp_infer_place_in_frame(struct mp_infer_places *places, int reg, int64_t offset)
{
    find_frame(places);
    if (places->frame_register != reg)
        return (struct mp_infer_place){.kind = MP_INFER_NOWHERE};
    return (struct mp_infer_place){MP_INFER_FRAME, 0, (int64_t)((uint64_t)offset - (uint64_t)places->frame_offset)};
}

/* Sets *OP to the expression in LOCATION, a location list or an expression, that is valid at the present address.
 * Returns false unless there is one, of a single operation. dwarf_getlocation_addr() would not stay within the
 * budget. */
static bool
only_operation(struct mp_infer_places *places, Dwarf_Attribute *location, Dwarf_Op **op)
{
    Dwarf_Addr base, start, end;
    ptrdiff_t next = 0;
    size_t n;

    while (mp_budget_work(1) && (next = dwarf_getlocations(location, next, &base, &start, &end, op, &n)) > 0)
        if (places->pc >= start && places->pc < end)
            return n == 1;
    return false;
}

/* Returns the frame base (DW_AT_frame_base) of the function as a place. */
static struct mp_infer_place
frame_base(struct mp_infer_places *places)
{
    Dwarf_Attribute value;
    Dwarf_Op *ops;

    if (dwarf_attr_integrate(&places->function, DW_AT_frame_base, &value) == NULL ||
        !only_operation(places, &value, &ops))
        return (struct mp_infer_place){.kind = MP_INFER_NOWHERE};
    if (ops[0].atom == DW_OP_call_frame_cfa)
        return (struct mp_infer_place){MP_INFER_FRAME, 0, 0};
    if (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
        return mp_infer_place_in_frame(places, ops[0].atom - DW_OP_reg0, 0);
    if (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31)
        return mp_infer_place_in_frame(places, ops[0].atom - DW_OP_breg0, (int64_t)ops[0].number);
    return (struct mp_infer_place){.kind = MP_INFER_NOWHERE};
}

/* Returns the address in the address table to which OP of LOCATION refers. */
static struct mp_infer_place
address_of(struct mp_infer_places *places, Dwarf_Attribute *location, const Dwarf_Op *op)
{
    Dwarf_Attribute value;
    Dwarf_Addr address;

    if (dwarf_getlocation_attr(location, op, &value) != 0 || dwarf_formaddr(&value, &address) != 0)
        return (struct mp_infer_place){.kind = MP_INFER_NOWHERE};
    return (struct mp_infer_place){MP_INFER_ADDRESS, 0, (int64_t)(address + places->binary->bias)};
}

/* Returns the place of VARIABLE, or MP_INFER_NOWHERE if it has no simple place at the present address. */
static struct mp_infer_place
place_of(struct mp_infer_places *places, Dwarf_Die *variable)
{
    struct mp_infer_place place = {.kind = MP_INFER_NOWHERE};
    Dwarf_Attribute value;
    Dwarf_Op *ops;

    if (dwarf_attr(variable, DW_AT_location, &value) == NULL || !only_operation(places, &value, &ops))
        return place;
    if (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
        return (struct mp_infer_place){MP_INFER_REGISTER, ops[0].atom - DW_OP_reg0, 0};
    if (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31)
        return mp_infer_place_in_frame(places, ops[0].atom - DW_OP_breg0, (int64_t)ops[0].number);
    if (ops[0].atom == DW_OP_addr)
        return (struct mp_infer_place){MP_INFER_ADDRESS, 0, (int64_t)(ops[0].number + places->binary->bias)};
    if (ops[0].atom == DW_OP_addrx)
        return address_of(places, &value, ops);
    if (ops[0].atom == DW_OP_fbreg) {
        place = frame_base(places);
        place.at = (int64_t)((uint64_t)place.at + ops[0].number);
    }
    return place;
}

/* ------------------------------------------------------------------- questions */

/* Sets *TYPE to the type of the object at PLACE if that is VARIABLE or a part of it. Returns false otherwise. */
static bool
type_at(struct mp_infer_places *places, Dwarf_Die *variable, struct mp_infer_place place, Dwarf_Die *type)
{
    const struct mp_infer_place its = place_of(places, variable);
    const uint64_t inside = (uint64_t)place.at - (uint64_t)its.at;

    if (its.kind != place.kind || !mp_die_reference(variable, DW_AT_type, type))
        return false;
    if (place.kind == MP_INFER_REGISTER)
        return its.reg == place.reg;
    return (inside == 0 || inside < mp_infer_size(*type)) && mp_infer_part(type, inside);
}

static bool
type_in_function(struct mp_infer_places *places, struct mp_infer_place place, uint32_t *next, Dwarf_Die *type)
{
    while (*next < places->n && places->left > 0) {
        const uint32_t i = (*next)++;
        Dwarf_Die *scope = &places->scopes[i];

        places->left--;
        if (scope->addr != places->function.addr && !mp_die_has_pc(scope, places->pc))
            continue;
        if (type_at(places, &places->variables[i], place, type))
            return true;
    }
    return false;
}

/* Like type_at(), for the unit's variables outside of functions. */
static bool
type_of_global(struct mp_infer_places *places, struct mp_infer_place place, Dwarf_Die *type)
{
    struct mp_die_walk walk;
    uint32_t seen = 0;
    bool descend = true;

    mp_die_walk_begin(&walk, &places->unit);
    for (Dwarf_Die *die; places->left > 0 && (die = mp_die_walk_next(&walk, descend)) != NULL;) {
        int tag = dwarf_tag(die);

        places->left -= ++seen % GLOBALS_A_VARIABLE == 0;
        descend = tag == DW_TAG_namespace;
        if (tag == DW_TAG_variable && type_at(places, die, place, type))
            return true;
    }
    return false;
}

bool
mp_infer_place_type(struct mp_infer_places *places, struct mp_infer_place place, uint32_t *next, Dwarf_Die *type)
{
    if (places->function.addr == NULL || place.kind == MP_INFER_NOWHERE)
        return false;
    if (type_in_function(places, place, next, type))
        return true;
    return place.kind == MP_INFER_ADDRESS && (*next)++ == places->n && type_of_global(places, place, type);
}

Dwarf_Die
mp_infer_returned(struct mp_infer_places *places)
{
    Dwarf_Die type = {.addr = NULL};

    if (places->function.addr != NULL && !mp_die_reference(&places->function, DW_AT_type, &type))
        type.addr = NULL;
    return type;
}
