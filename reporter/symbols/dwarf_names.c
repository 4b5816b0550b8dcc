#include "dwarf_names.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "die.h"
#include "dwarf_units.h"
#include "elf_symbols.h"
#include "reporter/base/text.h"

static const char *
linkage_name(Dwarf_Die *die)
{
    Dwarf_Attribute value;

    if (dwarf_attr_integrate(die, DW_AT_linkage_name, &value) == NULL &&
        dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &value) == NULL)
        return NULL;
    return dwarf_formstring(&value);
}

const char *
mp_dwarf_path(struct mp_binary *binary, Dwarf_Die *unit, const char *path)
{
    Dwarf_Attribute value;
    const char *folder = NULL;
    char joined[4096];

    if (path && path[0] != '/' && dwarf_attr(unit, DW_AT_comp_dir, &value) != NULL)
        folder = dwarf_formstring(&value);
    if (folder && (size_t)snprintf(joined, sizeof joined, "%s/%s", folder, path) < sizeof joined)
        path = joined;
    return mp_texts_add_path(&binary->texts, path);
}

/* Does not call dwarf_decl_file(), because that aborts on split units. */
const char *
mp_dwarf_file(struct mp_binary *binary, Dwarf_Die *unit, Dwarf_Word file)
{
    Dwarf_Die lines = mp_lines_unit(&binary->lines, unit);
    Dwarf_Files *files;
    size_t count;

    if (dwarf_getsrcfiles(&lines, &files, &count) != 0 || file >= count)
        return "";
    return mp_dwarf_path(binary, &lines, dwarf_filesrc(files, file, NULL, NULL));
}

/* Returns the file where DIE is declared, or "" if it is unknown. */
static const char *
declared_in(struct mp_binary *binary, Dwarf_Die *die)
{
    Dwarf_Attribute value;
    Dwarf_Word file;
    Dwarf_Die unit;

    if (dwarf_attr_integrate(die, DW_AT_decl_file, &value) == NULL ||
        dwarf_cu_die(value.cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL) == NULL ||
        dwarf_formudata(&value, &file) != 0)
        return "";
    return mp_dwarf_file(binary, &unit, file);
}

/* Returns a better ELF name of the function NAME at START, or NULL. C libraries define functions under internal
 * names, such as __libc_malloc, that no caller uses. Some aliases are mangled, such as _ZTH5table, which
 * initialises a thread-local variable. */
static const char *
find_alias(struct mp_binary *binary, const char *name, uint64_t start)
{
    const char *alias = *name == '_' && start != 0 ? mp_elf_name_at(binary, start) : NULL;
    char *demangled;

    if (alias == NULL || strspn(alias, "_") >= strspn(name, "_"))
        return NULL;
    demangled = mp_demangle(alias, false);
    if (demangled != NULL)
        alias = mp_texts_add(&binary->texts, demangled);
    free(demangled);
    return alias;
}

/* The names of a DIE. The caller frees `name` and `full`. */
struct names {
    char *name, *full;          /* demangled, without and with parameters; NULL if not mangled */
    const char *plain;          /* `name`, or else the name in DWARF; NULL if it has no name */
    const char *file;           /* of the declaration; "" if unknown */
    int line;
    bool lambda;
};

/* Names a lambda function after the place where it begins, as lambda@shop.cc:12. gcc gives lambdas no name. */
static void
name_lambda(struct mp_binary *binary, Dwarf_Die *die, struct names *names)
{
    Dwarf_Die closure;
    const char *file, *own;
    int line = 0;

    names->lambda = names->name == NULL && names->plain != NULL && mp_die_closure(die, &closure);
    if (!names->lambda || dwarf_decl_line(&closure, &line) != 0 || line <= 0)
        return;
    file = declared_in(binary, &closure);
    own = strstr(names->plain, "operator()");
    if (*file == '\0' || own == NULL)
        return;
    names->plain = mp_arena_printf(binary->arena, "%.*slambda@%s:%d", (int)(own - names->plain),
                                   names->plain, mp_text_basename(file), line);
    names->file = file;
    names->line = line;
}

/* Returns the Ada name of function DIE, or NULL if the unit is in another language. LINKAGE is its linkage name or
 * NULL. The caller frees the result. */
static char *
ada_name(Dwarf_Die *die, const char *linkage)
{
    Dwarf_Die unit;
    const char *name = linkage != NULL ? linkage : dwarf_diename(die);

    if (name == NULL || dwarf_diecu(die, &unit, NULL, NULL) == NULL)
        return NULL;
    switch (dwarf_srclang(&unit)) {
    case DW_LANG_Ada83:
    case DW_LANG_Ada95:
        return mp_demangle_ada(name);
    default:
        return NULL;
    }
}

static struct names
read_names(struct mp_binary *binary, Dwarf_Die *die)
{
    const char *linkage = linkage_name(die);
    struct names names = { .file = declared_in(binary, die) };

    if (linkage != NULL) {
        names.name = mp_demangle(linkage, false);
        names.full = mp_demangle(linkage, true);
    }
    if (names.name == NULL)
        names.name = ada_name(die, linkage);
    names.plain = names.name != NULL ? names.name : mp_die_qualified_name(&binary->texts, die);
    if (names.plain == NULL)
        names.plain = linkage;
    if (dwarf_decl_line(die, &names.line) != 0)
        names.line = 0;
    name_lambda(binary, die, &names);
    return names;
}

/* Returns the DWARF offset of the function's declaration if name and line do not identify the function, else 0. gcc
 * gives lambdas neither a mangled name nor a line, and gives all instances of a generic lambda the same name. */
static uint64_t
nameless_place(Dwarf_Die *die, const struct names *names)
{
    Dwarf_Die declaration;

    if (names->name != NULL ||
        (!names->lambda && names->line != 0 && strstr(names->plain, "<lambda") == NULL))
        return 0;
    declaration = mp_die_declaration(die);
    return dwarf_dieoffset(&declaration);
}

/* Returns the function's identity. DIEs with equal keys are the same function. With a mangled name, the key
 * contains only the last component of the path, because two units may spell the path differently. */
static const char *
key_of(struct mp_binary *binary, Dwarf_Die *die, const struct names *names)
{
    return mp_arena_printf(binary->arena, "dwarf %s\n%s\n%d\n%" PRIx64,
                           names->full != NULL ? names->full : names->plain,
                           names->name != NULL ? mp_text_basename(names->file) : names->file,
                           names->line, nameless_place(die, names));
}

Dwarf_Die
mp_dwarf_origin(Dwarf_Die *die)
{
    Dwarf_Die origin;

    return mp_die_reference(die, DW_AT_abstract_origin, &origin) ? origin : *die;
}

static uint32_t
declare(struct mp_binary *binary, Dwarf_Die *die, uint64_t start)
{
    struct names names = read_names(binary, die);
    struct mp_known_function known = { .start = start, .die = mp_dwarf_origin(die), .file = names.file,
                              .declared = *names.file != '\0' };
    uint32_t index = MP_NO_ID;

    if (names.plain != NULL) {
        known.key = key_of(binary, die, &names);
        known.name = mp_texts_add(&binary->texts, names.plain);
        if (names.full != NULL)
            known.full = mp_texts_add(&binary->texts, names.full);
        if (names.name == NULL)
            known.alias = find_alias(binary, known.name, start);
        index = mp_known_add(&binary->answers, &known);
    }
    free(names.name);
    free(names.full);
    return index;
}

uint32_t
mp_dwarf_known(struct mp_binary *binary, Dwarf_Die *die, uint64_t start)
{
    uint32_t count = binary->dies.count;
    uint32_t number = mp_map_add_u64(&binary->dies, (uintptr_t)die->addr);

    if (number == count) {
        binary->knowns = mp_arena_grow(binary->arena, binary->knowns, count,
                                       &binary->knowns_room, sizeof *binary->knowns);
        binary->knowns[number] = declare(binary, die, start);
    }
    return binary->knowns[number];
}
