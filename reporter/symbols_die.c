/*
 * symbols_die.c -- walks of DWARF trees that end on every input, and qualified names.
 */
#include "symbols_internal.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#define NAME_MAX_SCOPES 32      /* namespaces and classes around a name */

void
mp_die_walk_begin(struct mp_die_walk *walk, Dwarf_Die *top)
{
    walk->stack[0] = *top;
    walk->depth = -1;
    walk->last = top->addr;
}

Dwarf_Die *
mp_die_walk_next(struct mp_die_walk *walk, bool descend)
{
    int depth = walk->depth < 0 ? 0 : walk->depth;
    Dwarf_Die next;
    bool found = (descend || walk->depth < 0) && depth + 1 < MP_DIE_DEPTH &&
                 dwarf_haschildren(&walk->stack[depth]) > 0 &&
                 dwarf_child(&walk->stack[depth], &next) == 0;

    if (found)
        depth++;
    for (; !found && depth > 0; depth -= !found)
        found = dwarf_siblingof(&walk->stack[depth], &next) == 0;
    if (!found || (const char *)next.addr <= (const char *)walk->last)
        return NULL;
    walk->stack[depth] = next;
    walk->depth = depth;
    walk->last = next.addr;
    return &walk->stack[depth];
}

bool
mp_die_reference(Dwarf_Die *die, unsigned int attribute, Dwarf_Die *result)
{
    Dwarf_Attribute value;

    return dwarf_attr_integrate(die, attribute, &value) != NULL &&
           dwarf_formref_die(&value, result) != NULL;
}

const char *
mp_die_own_name(Dwarf_Die *die)
{
    const char *name = dwarf_diename(die);

    if (name == NULL && dwarf_tag(die) == DW_TAG_namespace)
        return "(anonymous namespace)";
    return name;
}

bool
mp_die_has_scopes(Dwarf_Die *die)
{
    Dwarf_Die unit;

    if (dwarf_diecu(die, &unit, NULL, NULL) == NULL)
        return false;
    switch (dwarf_srclang(&unit)) {
    case DW_LANG_C:
    case DW_LANG_C89:
    case DW_LANG_C99:
    case DW_LANG_C11:
    case DW_LANG_Mips_Assembler:
        return false;
    default:
        return true;
    }
}

static bool
is_scope(Dwarf_Die *die)
{
    switch (dwarf_tag(die)) {
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
        return true;
    default:
        return false;
    }
}

/* The DIEs around TARGET, outermost first.  DIEs lie in the file in the order of a walk, so the
 * one around it is always the last one that begins before it. */
static uint32_t
find_scopes(Dwarf_Die *target, Dwarf_Die scopes[NAME_MAX_SCOPES])
{
    Dwarf_Die die, child, around;
    uint32_t count = 0;

    if (dwarf_diecu(target, &die, NULL, NULL) == NULL)
        return 0;
    for (int depth = 0; depth < MP_DIE_DEPTH && count < NAME_MAX_SCOPES; depth++) {
        const char *last = die.addr;
        bool found = false;

        if (dwarf_child(&die, &child) != 0)
            break;
        while ((const char *)child.addr > last &&
               (const char *)child.addr < (const char *)target->addr) {
            around = child;
            found = true;
            last = child.addr;
            if (dwarf_siblingof(&around, &child) != 0)
                break;
        }
        if (!found || child.addr == target->addr)
            break;
        die = around;
        if (is_scope(&die))
            scopes[count++] = die;
    }
    return count;
}

const char *
mp_die_qualified_name(struct mp_symboliser *symboliser, Dwarf_Die *die)
{
    Dwarf_Die scopes[NAME_MAX_SCOPES], declaration = *die;
    const char *own = mp_die_own_name(die), *name;
    char text[MP_TEXT_MAX + 1];
    size_t length = 0;
    uint32_t count;

    if (own == NULL || !mp_die_has_scopes(die))
        return own == NULL ? NULL : mp_texts_add(&symboliser->names, own);
    /* what is defined outside of its class is declared inside */
    for (int i = 0; i < 8; i++)
        if (!mp_die_reference(&declaration, DW_AT_abstract_origin, &declaration) &&
            !mp_die_reference(&declaration, DW_AT_specification, &declaration))
            break;
    count = find_scopes(&declaration, scopes);
    for (uint32_t i = 0; i < count; i++) {
        name = mp_die_own_name(&scopes[i]);
        if (name != NULL && length + strlen(name) + 2 < sizeof text)
            length += (size_t)snprintf(text + length, sizeof text - length, "%s::", name);
    }
    snprintf(text + length, sizeof text - length, "%s", own);
    return mp_texts_add(&symboliser->names, text);
}
