/* SPDX-License-Identifier: MIT */
#include "lookup.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "die.h"
#include "dwarf_units.h"
#include "elf_symbols.h"
#include "machine_code.h"
#include "reporter/base/text.h"

#define CHAIN_MAX 128u          /* inlined calls at one address */
#define CALL_SIZE 5u            /* bytes of an instruction that calls an address */

/* ------------------------------------------------------------- the function of a DIE */

/* A function is one declaration, identified by linkage name (or name), file and line. Its concrete code, its inlined
 * calls, and the clones and cold parts made by the compiler are therefore the same function. */

static const char *
linkage_name(Dwarf_Die *die)
{
    Dwarf_Attribute value;

    if (dwarf_attr_integrate(die, DW_AT_linkage_name, &value) == NULL &&
        dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &value) == NULL)
        return NULL;
    return dwarf_formstring(&value);
}

/* Returns PATH from the line table of UNIT as the compiler saw it. A relative path is joined to the directory of the
 * compilation. Returns "" if PATH is NULL. */
static const char *
source_path(struct mp_binary *binary, Dwarf_Die *unit, const char *path)
{
    Dwarf_Attribute value;
    const char *folder = NULL;
    char joined[4096];

    if (path && path[0] != '/' && dwarf_attr(unit, DW_AT_comp_dir, &value) != NULL)
        folder = dwarf_formstring(&value);
    if (folder && strnlen(folder, sizeof joined) < sizeof joined && strnlen(path, sizeof joined) < sizeof joined &&
        (size_t)snprintf(joined, sizeof joined, "%s/%s", folder, path) < sizeof joined)
        path = joined;
    return mp_texts_add_path(&binary->texts, path);
}

/* Returns the path number FILE in the file table of UNIT, or "" if the table does not have it. Does not call
 * dwarf_decl_file(), because that aborts on split units. */
static const char *
source_file(struct mp_binary *binary, Dwarf_Die *unit, Dwarf_Word file)
{
    Dwarf_Die lines = mp_lines_unit(&binary->lines, unit);
    Dwarf_Files *files;
    size_t count;

    if (lines.addr == NULL || dwarf_getsrcfiles(&lines, &files, &count) != 0 || file >= count)
        return "";
    return source_path(binary, &lines, dwarf_filesrc(files, file, NULL, NULL));
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
    return source_file(binary, &unit, file);
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

/* The names of a DIE. The caller frees `name`, `full` and `parameters`. */
struct names {
    char *name, *full;          /* demangled, without and with parameters; NULL if not mangled */
    char *parameters;           /* as in struct mp_function; NULL if unknown */
    const char *plain;          /* `name`, or else the name in DWARF; NULL if it has no name */
    const char *file;           /* of the declaration; "" if unknown */
    int line, language;
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

/* Returns the Ada name of function DIE. LINKAGE is its linkage name or NULL. The caller frees the result. */
static char *
ada_name(Dwarf_Die *die, const char *linkage)
{
    const char *name = linkage != NULL ? linkage : dwarf_diename(die);

    return name != NULL ? mp_demangle_ada(name) : NULL;
}

/* Reads the names of DIE, whose code begins at START, or is inlined if that is 0. gcc writes no linkage names of
 * functions in anonymous namespaces. Their parameters are those of the symbol at START. */
static struct names
read_names(struct mp_binary *binary, Dwarf_Die *die, uint64_t start)
{
    const char *linkage = linkage_name(die);
    struct names names = { .file = declared_in(binary, die) };
    Dwarf_Die unit;

    if (dwarf_diecu(die, &unit, NULL, NULL) != NULL)
        names.language = dwarf_srclang(&unit);
    if (linkage != NULL) {
        names.name = mp_demangle(linkage, false);
        names.full = mp_demangle(linkage, true);
    }
    if (names.name == NULL && (names.language == DW_LANG_Ada83 || names.language == DW_LANG_Ada95))
        names.name = ada_name(die, linkage);
    names.plain = names.name != NULL ? names.name : mp_die_qualified_name(&binary->texts, die);
    if (names.plain == NULL && linkage != NULL)
        names.plain = mp_texts_add(&binary->texts, linkage);
    if (dwarf_decl_line(die, &names.line) != 0)
        names.line = 0;
    if (names.full != NULL)
        names.parameters = mp_identity_parameters(names.full, names.plain, mp_identity_clone(names.plain));
    else if (names.name == NULL && names.plain != NULL && start != 0 && mp_die_has_scopes(die))
        names.parameters = mp_elf_parameters(binary, start, names.plain);
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

/* Returns the inlined function if DIE is an inlined call or a copy, else DIE. */
static Dwarf_Die
origin_of(Dwarf_Die *die)
{
    Dwarf_Die origin;

    return mp_die_reference(die, DW_AT_abstract_origin, &origin) ? origin : *die;
}

#define MOST_TYPES 64           /* maximum number of types that are compared */

/* Returns a text that distinguishes function DIE from its overloads by the types of its parameters. A macro may define
 * several of them in one line. */
static const char *
overload(struct mp_binary *binary, Dwarf_Die *die)
{
    Dwarf_Die origin = origin_of(die), child, type;
    const char *text = "", *name;
    int n = 0;

    if (mp_die_child(&origin, &child) != 0)
        return text;
    do {
        if (dwarf_tag(&child) != DW_TAG_formal_parameter)
            continue;
        type = child;
        name = NULL;
        while (name == NULL && n++ < MOST_TYPES && mp_die_reference(&type, DW_AT_type, &type)) {
            name = mp_die_own_name(&type);
            text = mp_arena_printf(binary->arena, "%s %x %.256s", text, (unsigned)dwarf_tag(&type),
                                   name != NULL ? name : "");
        }
    } while (mp_die_sibling(&child, &child) == 0);
    return text;
}

/* Returns the function's identity. DIEs with equal keys are the same function. With a mangled name, the key
 * contains only the last component of the path, because two units may spell the path differently. */
static const char *
key_of(struct mp_binary *binary, Dwarf_Die *die, const struct names *names)
{
    return mp_arena_printf(binary->arena, "dwarf %s\n%s\n%d\n%" PRIx64 "%s",
                           names->full != NULL ? names->full : names->plain,
                           names->name != NULL ? mp_text_basename(names->file) : names->file,
                           names->line, nameless_place(die, names),
                           names->name == NULL && mp_die_has_scopes(die) ? overload(binary, die) : "");
}

static uint32_t
declare(struct mp_binary *binary, Dwarf_Die *die, uint64_t start)
{
    struct names names = read_names(binary, die, start);
    struct mp_known_function known = { .start = start, .die = origin_of(die), .file = names.file,
                              .declared = *names.file != '\0', .lambda = names.lambda,
                              .line = names.line > 0 ? (uint32_t)names.line : 0,
                              .language = names.language > 0 && names.language <= UINT16_MAX
                                              ? (uint32_t)names.language : 0 };
    uint32_t index = MP_NO_ID;

    if (names.plain != NULL) {
        known.key = key_of(binary, die, &names);
        known.name = mp_texts_add(&binary->texts, names.plain);
        if (names.parameters != NULL)
            known.parameters = mp_texts_add(&binary->texts, names.parameters);
        if (names.full != NULL)
            known.clone = (uint32_t)mp_identity_clone(known.name);
        if (names.name == NULL)
            known.alias = find_alias(binary, known.name, start);
        index = mp_known_add(&binary->answers, &known);
    }
    free(names.name);
    free(names.full);
    free(names.parameters);
    return index;
}

/* Returns the function of DIE, an index in BINARY's answers, or MP_NO_ID if it has no name. START is the address of
 * its code, or 0 if it is inlined. Each DIE is read only once. */
static uint32_t
known_of(struct mp_binary *binary, Dwarf_Die *die, uint64_t start)
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

/* -------------------------------------------------------------------- inlined calls */

/* Sets *INSIDE to the scope directly inside SCOPE that contains PC. Returns false if no inner scope contains
 * PC. */
static bool
scope_inside(Dwarf_Die *scope, Dwarf_Addr pc, Dwarf_Die *inside)
{
    const char *last = scope->addr;

    if (mp_die_child(scope, inside) != 0)
        return false;
    do {
        int tag = dwarf_tag(inside);

        if ((const char *)inside->addr <= last)
            return false;
        last = inside->addr;
        if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine ||
             tag == DW_TAG_try_block || tag == DW_TAG_catch_block) &&
            mp_die_has_pc(inside, pc))
            return true;
    } while (mp_die_sibling(inside, inside) == 0);
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
    Dwarf_Line *row = lines.addr == NULL ? NULL : dwarf_getsrc_die(&lines, pc);
    const char *name = row == NULL ? NULL : dwarf_linesrc(row, NULL, NULL);
    int number = 0;

    if (name == NULL)
        return;
    *file = source_path(binary, &lines, name);
    if (dwarf_lineno(row, &number) == 0 && number > 0)
        *line = (uint32_t)number;
}

/* Sets the source line of ADDRESS, for functions named by ELF symbols. DWARF has no functions there if the compiler
 * folded identical code or if an assembler wrote only lines. */
static void
line_by_dwarf(struct mp_binary *binary, uint64_t address, const char **file, uint32_t *line)
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
        place->file = source_file(binary, &unit->top, file);
    if (dwarf_formudata(dwarf_attr(call, DW_AT_call_line, &value), &line) == 0 &&
        line <= INT32_MAX)
        place->line = (uint32_t)line;
}

uint64_t
mp_dwarf_entry(const struct mp_binary *binary, Dwarf_Die *function)
{
    Dwarf_Addr base, start, end;

    if (dwarf_entrypc(function, &start) != 0 && mp_die_ranges(function, 0, &base, &start, &end) <= 0)
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
        Dwarf_Die origin = origin_of(&chain[i]);

        place.known = i == 0 ? concrete : known_of(binary, &origin, 0);
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
                            : known_of(binary, function, mp_dwarf_entry(binary, function));
}

uint32_t
mp_dwarf_inlined(struct mp_binary *binary, uint64_t address)
{
    Dwarf_Die *function = function_in(binary, mp_unit_at(binary, address), address), origin;
    struct mp_die_walk walk;
    int tag = DW_TAG_subprogram;

    if (function == NULL)
        return MP_NO_ID;
    mp_die_walk_begin(&walk, function);
    for (Dwarf_Die *die; (die = mp_die_walk_next(&walk, tag == DW_TAG_lexical_block)) != NULL;) {
        tag = dwarf_tag(die);
        if (tag == DW_TAG_inlined_subroutine) {
            origin = origin_of(die);
            return known_of(binary, &origin, 0);
        }
    }
    return MP_NO_ID;
}

/* Adds the function at ADDRESS, preceded by the calls inlined there, to the places of the answer being made. Returns
 * false if no function is known. */
static bool
answer_by_dwarf(struct mp_binary *binary, uint64_t address)
{
    struct mp_unit *unit = mp_unit_at(binary, address);
    Dwarf_Die *function = function_in(binary, unit, address), chain[CHAIN_MAX];
    uint32_t concrete, count;

    if (function == NULL)
        return false;
    concrete = known_of(binary, function, mp_dwarf_entry(binary, function));
    if (concrete == MP_NO_ID)
        return false;
    count = inline_chain(function, address - binary->bias, chain);
    add_places(binary, unit, address - binary->bias, chain, count, concrete);
    return true;
}

/* --------------------------------------------------------------------------- answers */

/* Adds an answer for ADDRESS from the file of BINARY, which is loaded. */
static struct mp_answer *
ask(struct mp_binary *binary, uint64_t address)
{
    struct mp_answer *answer = mp_answer_add(&binary->answers, address);
    struct mp_instruction call;

    binary->answers.changed = true;
    if (address >= CALL_SIZE && mp_machine_code(binary, address + 1 - CALL_SIZE, &call) &&
        call.kind == MP_CODE_CALL && call.size == CALL_SIZE)
        answer->target = call.target;
    if (answer_by_dwarf(binary, address)) {
        answer->count = binary->answers.n_places - answer->first;
        return answer;
    }
    if (binary->fdes == NULL)
        binary->fdes = mp_fdes_open(binary->elf, &binary->code, binary->arena);
    answer->start = mp_fdes_find(binary->fdes, address);
    answer->count = mp_elf_answer(binary, address, answer->start);
    line_by_dwarf(binary, address, &answer->file, &answer->line);
    return answer;
}

/* Returns whether the types that the functions of ANSWER mention were read, or can be read. */
static bool
has_mentions(const struct mp_answers *answers, const struct mp_answer *answer)
{
    for (uint32_t i = 0; i < answer->count; i++) {
        const struct mp_known_function *known = &answers->knowns[answers->places[answer->first + i].known];

        if (!known->mentions_read && known->die.addr == NULL)
            return false;
    }
    return true;
}

/* Returns the answer for ADDRESS, or NULL. Sets *WHOLE to whether there is an answer and, if MENTIONS, its types
 * are available. */
static struct mp_answer *
find_answer(const struct mp_answers *answers, uint64_t address, bool mentions, bool *whole)
{
    uint32_t number = mp_map_find_u64(&answers->addresses, address);
    struct mp_answer *answer = number == MP_NO_ID ? NULL : &answers->list[number];

    *whole = answer != NULL && (!mentions || has_mentions(answers, answer));
    return answer;
}

const struct mp_answer *
mp_answer_of(struct mp_binary *binary, uint64_t address, bool mentions)
{
    bool whole;
    struct mp_answer *answer = find_answer(&binary->answers, address, mentions, &whole);

    return !whole && mp_budget_work(1) && mp_binary_load(binary) ? ask(binary, address) : answer;
}

static int
compare_questions(const void *left, const void *right)
{
    const struct mp_question *a = left, *b = right;

    if (a->unit != b->unit)
        return a->unit < b->unit ? -1 : 1;
    return (a->address > b->address) - (a->address < b->address);
}

void
mp_answers_prepare(struct mp_binary *binary, struct mp_question *questions, uint32_t n)
{
    uint32_t left = 0;
    bool whole;

    for (uint32_t i = 0; i < n; i++) {
        find_answer(&binary->answers, questions[i].address, questions[i].mentions, &whole);
        if (!whole)
            questions[left++] = questions[i];
    }
    if (left == 0 || !mp_binary_load(binary))
        return;
    for (uint32_t i = 0; i < left && mp_budget_work(1); i++)
        questions[i].unit = mp_unit_number(binary, questions[i].address);
    qsort(questions, left, sizeof *questions, compare_questions);
    for (uint32_t i = 0; i < left && mp_budget_work(1); i++)
        mp_answer_of(binary, questions[i].address, questions[i].mentions);
}
