/* SPDX-License-Identifier: MIT */
#include "die.h"

#include <dwarf.h>
#include <gelf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "budget.h"

#define A_STEP          16      /* bytes of DIEs that libdw passes in a unit of work */
#define NEAR            1024    /* bytes of a DIE with its children that are charged without asking whether libdw passed
                                   over them */
#define TRIM_SIZE       ((Dwarf_Off)16 << 20)   /* bytes of .debug_info */
#define NAME_MAX_SCOPES 32      /* namespaces and classes around a name */
#define TYPE_CHAIN_MAX  32      /* typedefs and arrays around a struct */

/* Returns the number of bytes from DIE to the end of its unit. */
static uint64_t
bytes_behind(Dwarf_Die *die)
{
    Dwarf *dwarf = dwarf_cu_getdwarf(die->cu);
    const Dwarf_Off at = dwarf_dieoffset(die);
    Dwarf_Off next = at;
    Dwarf_Half version;
    uint64_t signature;

    if (dwarf_next_unit(dwarf, at - dwarf_cuoffset(die), &next, NULL, &version, NULL, NULL, NULL, NULL, NULL) != 0 &&
        dwarf_next_unit(dwarf, at - dwarf_cuoffset(die), &next, NULL, &version, NULL, NULL, NULL, &signature,
                        NULL) != 0)
        return 0;
    return next > at ? next - at : 0;
}

/* Sets the address in DATA to where the value of ATTRIBUTE ends, except for a few bytes. */
static int
note_end(Dwarf_Attribute *attribute, void *data)
{
    const uint8_t **end = data;
    Dwarf_Block block;
    const char *text;

    *end = attribute->valp;
    if (dwarf_formblock(attribute, &block) == 0)
        *end = block.data + block.length;
    else if (dwarf_whatform(attribute) == DW_FORM_string && (text = dwarf_formstring(attribute)) != NULL)
        *end = (const uint8_t *)text + strlen(text) + 1;
    return DWARF_CB_OK;
}

/* Charges the bytes 0x80 behind the attributes of DIE, which has no child. libdw passes over them, because a null entry
 * may be padded. Such bytes begin at most 16 bytes behind where note_end() is. */
static void
charge_padding(Dwarf_Die *die)
{
    const uint8_t *at = die->addr, *const last = at + bytes_behind(die);
    uint64_t padding = 0;

    dwarf_getattrs(die, note_end, &at, 0);
    for (int i = 0; i < 16 && at < last && *at != 0x80; i++)
        at++;
    while (at < last && *at == 0x80) {
        at++;
        padding++;
    }
    mp_budget_work(padding / A_STEP);
}

int
mp_die_child(Dwarf_Die *die, Dwarf_Die *child)
{
    const char *start = die->addr;      /* CHILD may be DIE */
    const int result = mp_budget_work(1) ? dwarf_child(die, child) : -1;

    if (result == 0 && !mp_budget_work((uint64_t)((const char *)child->addr - start) / A_STEP))
        return -1;
    if (result > 0 && dwarf_haschildren(die) > 0)
        charge_padding(die);
    return result;
}

/* libdw passes over all DIEs inside of DIE, unless an attribute leads to the sibling. */
int
mp_die_sibling(Dwarf_Die *die, Dwarf_Die *sibling)
{
    Dwarf_Die next;
    uint64_t passed;
    int result;

    if (!mp_budget_work(1))
        return -1;
    result = dwarf_siblingof(die, &next);
    if (result < 0)
        return result;
    passed = next.addr != NULL ? (uint64_t)((const char *)next.addr - (const char *)die->addr) : bytes_behind(die);
    if (passed > NEAR && dwarf_haschildren(die) > 0 && dwarf_hasattr(die, DW_AT_sibling))
        passed = 0;
    if (passed >= A_STEP && !mp_budget_work(passed / A_STEP))
        return -1;
    if (result == 0)
        *sibling = next;
    return result;
}

ptrdiff_t
mp_die_ranges(Dwarf_Die *die, ptrdiff_t next, Dwarf_Addr *base, Dwarf_Addr *start, Dwarf_Addr *end)
{
    return mp_budget_work(1) ? dwarf_ranges(die, next, base, start, end) : -1;
}

bool
mp_die_has_pc(Dwarf_Die *die, Dwarf_Addr pc)
{
    Dwarf_Addr base, start, end;
    ptrdiff_t next = 0;

    while ((next = mp_die_ranges(die, next, &base, &start, &end)) > 0)
        if (pc >= start && pc < end)
            return true;
    return false;
}

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
                 mp_die_child(&walk->stack[depth], &next) == 0;

    if (found)
        depth++;
    for (; !found && depth > 0; depth -= !found)
        found = mp_die_sibling(&walk->stack[depth], &next) == 0;
    if (!found || (const char *)next.addr <= (const char *)walk->last)
        return NULL;
    walk->stack[depth] = next;
    walk->depth = depth;
    walk->last = next.addr;
    return &walk->stack[depth];
}

/* Releases the whole pages between offsets FROM and TO of the SIZE bytes at START. */
static void
give_back(char *start, size_t size, uint64_t from, uint64_t to)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE) - 1;

    from = (from + page) & ~page;
    to = to < size ? to & ~page : (size + page) & ~page;
    if (from < to)
        madvise(start + from, (size_t)(to - from), MADV_DONTNEED);
}

/* The mapping is private and its file is a copy that nobody changes (private_copy.h), so released pages can be read
 * again at any time. Section headers are kept, because libelf modifies them when it inflates sections. */
void
mp_trim_at(struct mp_trim *trim, Dwarf_Die *die)
{
    Dwarf_Off at = dwarf_dieoffset(die);
    Elf *elf = dwarf_getelf(trim->dwarf);
    GElf_Ehdr header;
    size_t size, sections;
    char *start;

    trim->walked += at > trim->last ? at - trim->last : trim->last - at;
    trim->last = at;
    if (trim->walked < TRIM_SIZE)
        return;
    trim->walked = 0;
    start = elf_rawfile(elf, &size);
    if (start == NULL || (uintptr_t)start % (uintptr_t)sysconf(_SC_PAGESIZE) != 0 ||
        gelf_getehdr(elf, &header) == NULL || elf_getshdrnum(elf, &sections) != 0)
        return;
    give_back(start, size, 0, header.e_shoff);
    give_back(start, size, header.e_shoff + gelf_fsize(elf, ELF_T_SHDR, sections, EV_CURRENT), size);
}

bool
mp_die_next_unit(Dwarf *dwarf, Dwarf_CU **cu, uint8_t *kind, Dwarf_Die *top, Dwarf_Die *code)
{
    Dwarf_Die split;

    while (dwarf_get_units(dwarf, *cu, cu, NULL, kind, code, &split) == 0) {
        if (code->addr == NULL)
            continue;           /* a unit without a DIE */
        *top = *kind == DW_UT_skeleton && split.addr != NULL ? split : *code;
        return true;
    }
    return false;
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
    Dwarf_Die whole;

    if (name == NULL && dwarf_tag(die) == DW_TAG_namespace)
        return "(anonymous namespace)";
    if (name == NULL && mp_die_reference(die, DW_AT_signature, &whole))
        return dwarf_diename(&whole);       /* declared here, defined in a type unit */
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

/* Finds the DIEs that enclose TARGET, outermost first, and returns their number. The file stores DIEs in the order
 * of a depth-first walk. The enclosing DIE on each level is therefore the last one that begins before TARGET. */
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

        if (mp_die_child(&die, &child) != 0)
            break;
        while ((const char *)child.addr > last &&
               (const char *)child.addr < (const char *)target->addr) {
            around = child;
            found = true;
            last = child.addr;
            if (mp_die_sibling(&around, &child) != 0)
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

Dwarf_Die
mp_die_declaration(Dwarf_Die *die)
{
    Dwarf_Die declaration = *die;

    for (int i = 0; i < 8; i++)
        if (!mp_die_reference(&declaration, DW_AT_abstract_origin, &declaration) &&
            !mp_die_reference(&declaration, DW_AT_specification, &declaration))
            break;
    return declaration;
}

const char *
mp_die_qualified_name(struct mp_texts *texts, Dwarf_Die *die)
{
    Dwarf_Die scopes[NAME_MAX_SCOPES], declaration;
    const char *own = mp_die_own_name(die), *parts[NAME_MAX_SCOPES + 1];
    uint32_t count, n = 0;

    if (own == NULL || !mp_die_has_scopes(die))
        return own == NULL ? NULL : mp_texts_add(texts, own);
    /* the declaration of a member is inside its class, even if its definition is outside */
    declaration = mp_die_declaration(die);
    count = find_scopes(&declaration, scopes);
    for (uint32_t i = 0; i < count; i++) {
        parts[n] = mp_die_own_name(&scopes[i]);
        n += parts[n] != NULL;
    }
    parts[n] = own;
    return mp_texts_join(texts, parts, n + 1);
}

bool
mp_die_closure(Dwarf_Die *die, Dwarf_Die *closure)
{
    Dwarf_Die scopes[NAME_MAX_SCOPES], declaration = mp_die_declaration(die);
    const char *own = mp_die_own_name(die), *name;
    uint32_t count;

    if (own == NULL || strncmp(own, "operator()", 10) != 0)
        return false;
    count = find_scopes(&declaration, scopes);
    if (count == 0 || !mp_die_is_aggregate(dwarf_tag(&scopes[count - 1])))
        return false;
    *closure = scopes[count - 1];
    name = mp_die_own_name(closure);
    return name == NULL || strncmp(name, "<lambda", 7) == 0;
}

/* ----------------------------------------------------------------------------- types */

bool
mp_die_is_aggregate(int tag)
{
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* Returns the number of elements of the array DIE, or 0 if it is not constant or reaches LIMIT. */
static uint64_t
count_elements(Dwarf_Die *die, uint64_t limit)
{
    Dwarf_Die child;
    Dwarf_Attribute value;
    Dwarf_Word count, elements = 1;
    const char *last = die->addr;

    if (mp_die_child(die, &child) != 0)
        return 0;
    do {
        if ((const char *)child.addr <= last)
            return 0;
        last = child.addr;
        if (dwarf_tag(&child) != DW_TAG_subrange_type)
            continue;
        if (dwarf_formudata(dwarf_attr(&child, DW_AT_count, &value), &count) != 0) {
            if (dwarf_formudata(dwarf_attr(&child, DW_AT_upper_bound, &value), &count) != 0)
                return 0;
            count++;
        }
        if (count == 0 || count >= limit)
            return 0;
        elements *= count;
        if (elements >= limit)
            return 0;
    } while (mp_die_sibling(&child, &child) == 0);
    return elements;
}

/* Returns the size of DIE, which is neither an array nor a typedef, or 0 if it is unknown. */
static uint64_t
element_size(Dwarf_Die *die)
{
    const int tag = dwarf_tag(die), size = dwarf_bytesize(die);
    uint8_t address;
    Dwarf_Die unit;

    if (size > 0)
        return (uint64_t)size;
    if ((tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type) &&
        dwarf_diecu(die, &unit, &address, NULL) != NULL)
        return address;
    return 0;
}

uint64_t
mp_die_size(Dwarf_Die die, uint64_t limit, bool *scalar)
{
    uint64_t elements = 1, size;

    *scalar = true;
    for (int i = 0; i < TYPE_CHAIN_MAX && elements > 0 && elements < limit; i++) {
        switch (dwarf_tag(&die)) {
        case DW_TAG_array_type:
            *scalar &= dwarf_hasattr(&die, DW_AT_GNU_vector) != 0;
            elements *= count_elements(&die, limit);
            break;
        case DW_TAG_typedef:
        case DW_TAG_const_type:
        case DW_TAG_volatile_type:
        case DW_TAG_restrict_type:
        case DW_TAG_atomic_type:
            break;
        default:
            *scalar &= !mp_die_is_aggregate(dwarf_tag(&die));
            size = element_size(&die);
            return size < limit && elements * size < limit ? elements * size : 0;
        }
        if (!mp_die_reference(&die, DW_AT_type, &die))
            return 0;
    }
    return 0;
}
