/*
 * symbols_dwarf.c -- functions, inlined calls and source lines from DWARF.
 *
 * A table of the units' addresses is made from their own ranges (.debug_aranges is optional), and
 * for each unit that holds a frame one of its functions' ranges: a lookup is two binary searches
 * and a descent through the scopes at the address.
 *
 * One function for the reader is one declaration: linkage name (or name), file and line.  So its
 * concrete code, the places where it was inlined, and the clones and cold parts that the compiler
 * made of it are one and the same.
 */
#include "internal.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "reporter/base/text.h"

#define CHAIN_MAX       128u            /* inlined calls at one address */
#define RECENT          16u             /* units whose functions are kept in memory */
#define UNIT_RANGES     (1u << 20)      /* ranges read of one unit, */
#define FUNCTION_RANGES (1u << 12)      /* of one function, */
#define MODULE_RANGES   (1u << 24)      /* of all units together: damaged files share long lists */

struct unit {
    Dwarf_Die top;              /* what holds the functions (of the .dwo file if it is split) */
    Dwarf_Die lines;            /* what holds the line table */
    bool missing;               /* that is in a .dwo file which is not there */
    enum { UNREAD, OUTER_READ, ALL_READ } state;
    struct mp_arena *arena;     /* of the following; NULL: unread */
    struct mp_spans spans;      /* value: index in functions */
    Dwarf_Die *functions;
    uint32_t n_functions, room;
    uint32_t ranges;            /* that were read for them */
};

struct mp_dwarf {
    Dwarf *dwarf;
    uint64_t bias;              /* offset in the module - address in DWARF */
    struct unit *units;
    uint32_t n_units, room;
    struct unit *recent[RECENT];        /* the units that are read; frames come unit by unit */
    unsigned next;              /* place in `recent` of the next one */
    struct mp_trim trim;
    uint32_t ranges;            /* read so far */
    struct mp_spans spans;      /* value: unit */
    struct mp_map dies;         /* addresses of functions' DIEs */
    uint32_t *knowns;           /* function of each of them */
    uint32_t knowns_room;
};

/* Add the code of DIE as VALUE.  Ranges outside of executable segments, and at 0, belong to code
 * that the linker dropped. */
static void
add_ranges(struct mp_binary *binary, struct mp_dwarf *dwarf, Dwarf_Die *die, uint32_t limit,
           struct mp_spans *spans, struct mp_arena *arena, uint32_t value)
{
    Dwarf_Addr base, start, end;
    ptrdiff_t next = 0;

    while (limit-- > 0 && dwarf->ranges < MODULE_RANGES &&
           (next = dwarf_ranges(die, next, &base, &start, &end)) > 0) {
        dwarf->ranges++;
        start += dwarf->bias;
        end += dwarf->bias;
        if (start != 0 && mp_spans_find(&binary->code, start) != MP_NO_ID)
            mp_spans_add(spans, arena, start, end, value);
    }
}

static void
say_unreadable(struct mp_binary *binary)
{
    if (binary->has_debug && *binary->problem == '\0')
        binary->problem = binary->zstd ? "debug information unreadable (compressed by zstd)"
                                       : "debug information unreadable";
}

/* libdw's handle, which has all files of BINARY that it needs: it opens none itself. */
static Dwarf *
open_handle(struct mp_binary *binary, Dwarf_Addr *bias)
{
    Dwarf *handle = dwfl_module_getdwarf(binary->dwfl_module, bias);

    if (handle == NULL)
        return NULL;
    if (binary->common_fd >= 0 && binary->common == NULL)
        binary->common = dwarf_begin(binary->common_fd, DWARF_C_READ);
    if (binary->common != NULL)
        dwarf_setalt(handle, binary->common);
    mp_split_link(binary, handle);
    return handle;
}

/* Is what UNIT, of KIND, describes in a file that could not be had?  (clang leaves in the program
 * what was inlined: enough for lines.) */
static bool
is_missing(uint8_t kind, Dwarf_Die *top, const Dwarf_Die *code)
{
    return kind == DW_UT_skeleton && top->addr == code->addr && dwarf_haschildren(top) == 0;
}

struct mp_dwarf *
mp_dwarf_open(struct mp_binary *binary)
{
    Dwarf_Addr bias;
    Dwarf *handle = open_handle(binary, &bias);
    struct mp_dwarf *dwarf;
    Dwarf_CU *cu = NULL;
    Dwarf_Die top, code;
    uint8_t kind;

    if (handle == NULL) {
        say_unreadable(binary);
        return NULL;
    }
    dwarf = mp_arena_alloc(binary->arena, sizeof *dwarf);
    *dwarf = (struct mp_dwarf){ .dwarf = handle, .bias = bias, .dies.arena = binary->arena,
                                .trim.dwarf = handle };
    while (mp_die_next_unit(handle, &cu, &kind, &top, &code)) {
        mp_trim_at(&dwarf->trim, &code);
        if (kind != DW_UT_compile && kind != DW_UT_skeleton)
            continue;
        dwarf->units = mp_arena_grow(binary->arena, dwarf->units, dwarf->n_units, &dwarf->room,
                                     sizeof *dwarf->units);
        dwarf->units[dwarf->n_units] = (struct unit){
            .top = top, .lines = code, .missing = is_missing(kind, &top, &code) };
        add_ranges(binary, dwarf, &code, UNIT_RANGES, &dwarf->spans, binary->arena,
                   dwarf->n_units++);
    }
    mp_spans_flatten(&dwarf->spans, binary->arena);
    if (dwarf->n_units == 0)
        say_unreadable(binary);
    return dwarf;
}

Dwarf *
mp_dwarf_handle(struct mp_dwarf *dwarf)
{
    return dwarf->dwarf;
}

/* ------------------------------------------------------------------------- functions */

static void
forget(struct mp_dwarf *dwarf, struct unit *unit)
{
    dwarf->ranges -= unit->ranges;
    unit->ranges = 0;
    mp_arena_free(unit->arena);
    unit->arena = NULL;
    unit->spans = (struct mp_spans){ 0 };
    unit->functions = NULL;
    unit->n_functions = unit->room = 0;
    unit->state = UNREAD;
}

/* UNIT gets an arena, for which the one that was read first loses its own. */
static void
make_room(struct mp_dwarf *dwarf, struct unit *unit)
{
    struct unit **place = &dwarf->recent[dwarf->next];

    if (unit->arena != NULL)
        return;
    if (*place != NULL)
        forget(dwarf, *place);
    *place = unit;
    dwarf->next = (dwarf->next + 1) % RECENT;
    unit->arena = mp_arena_new();
}

void
mp_dwarf_close(struct mp_binary *binary)
{
    mp_lines_close(&binary->lines);
    for (unsigned i = 0; binary->dwarf != NULL && i < RECENT; i++)
        if (binary->dwarf->recent[i] != NULL)
            forget(binary->dwarf, binary->dwarf->recent[i]);
}

/* Functions lie at the outside of a unit or in namespaces; some (GNU C's nested ones, methods of
 * local classes) deep in other functions.  ALL: look there too. */
static void
read_functions(struct mp_binary *binary, struct unit *unit, bool all)
{
    struct mp_die_walk walk;
    bool descend = true;
    uint32_t ranges;

    make_room(binary->dwarf, unit);
    ranges = binary->dwarf->ranges -= unit->ranges;
    mp_trim_at(&binary->dwarf->trim, &unit->top);
    unit->spans = (struct mp_spans){ 0 };
    unit->n_functions = 0;
    unit->state = all ? ALL_READ : OUTER_READ;
    mp_die_walk_begin(&walk, &unit->top);
    for (Dwarf_Die *die; (die = mp_die_walk_next(&walk, descend)) != NULL;) {
        int tag = dwarf_tag(die);
        uint32_t before = unit->spans.count;

        descend = all || tag == DW_TAG_namespace || tag == DW_TAG_module;
        if (tag != DW_TAG_subprogram)
            continue;
        add_ranges(binary, binary->dwarf, die, FUNCTION_RANGES, &unit->spans, unit->arena,
                   unit->n_functions);
        if (unit->spans.count == before)
            continue;
        unit->functions = mp_arena_grow(unit->arena, unit->functions, unit->n_functions,
                                        &unit->room, sizeof *unit->functions);
        unit->functions[unit->n_functions++] = *die;
    }
    unit->ranges = binary->dwarf->ranges - ranges;
    mp_spans_flatten(&unit->spans, unit->arena);
}

static Dwarf_Die *
find_function(struct mp_binary *binary, struct unit *unit, uint64_t address)
{
    uint32_t index;

    if (unit->state == UNREAD)
        read_functions(binary, unit, false);
    index = mp_spans_find(&unit->spans, address);
    if (index == MP_NO_ID && unit->state == OUTER_READ) {
        read_functions(binary, unit, true);
        index = mp_spans_find(&unit->spans, address);
    }
    return index == MP_NO_ID ? NULL : &unit->functions[index];
}

/* The scope directly inside SCOPE that holds PC. */
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

/* FUNCTION and the calls inlined in it at PC, outermost first; returns how many. */
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

/* --------------------------------------------------------------------- their identity */

static const char *
linkage_name(Dwarf_Die *die)
{
    Dwarf_Attribute value;

    if (dwarf_attr_integrate(die, DW_AT_linkage_name, &value) == NULL &&
        dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &value) == NULL)
        return NULL;
    return dwarf_formstring(&value);
}

/* Number FILE of the file table of UNIT, "" if it has none.  (Not dwarf_decl_file(): it aborts on
 * split units.) */
static const char *
file_of_unit(struct mp_binary *binary, Dwarf_Die *unit, Dwarf_Word file)
{
    Dwarf_Die lines = mp_lines_unit(binary, unit);
    Dwarf_Files *files;
    size_t count;

    if (dwarf_getsrcfiles(&lines, &files, &count) != 0 || file >= count)
        return "";
    return mp_texts_add_path(&binary->texts, dwarf_filesrc(files, file, NULL, NULL));
}

/* The file where DIE is declared, "" not known. */
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
    return file_of_unit(binary, &unit, file);
}

/* The name that ELF has for the function NAME at START; NULL: none that is better.  C libraries
 * define their functions under names of their own (__libc_malloc), and nobody calls those.  Some
 * are mangled: _ZTH5table, of what initialises thread-local variables. */
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

/* Names of DIE; the demangled ones are to be freed. */
struct names {
    char *name, *full;          /* demangled, without and with parameters; NULL: not mangled */
    const char *plain;          /* name, or what DWARF says; NULL: nameless */
    const char *file;           /* of the declaration, "" not known */
    int line;
    bool lambda;
};

/* gcc gives lambdas no name: they are called by the place where they begin, lambda@shop.cc:12. */
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

static struct names
read_names(struct mp_binary *binary, Dwarf_Die *die)
{
    const char *linkage = linkage_name(die);
    struct names names = { .file = declared_in(binary, die) };

    if (linkage != NULL) {
        names.name = mp_demangle(linkage, false);
        names.full = mp_demangle(linkage, true);
    }
    names.plain = names.name != NULL ? names.name : mp_die_qualified_name(&binary->texts, die);
    if (names.plain == NULL)
        names.plain = linkage;
    if (dwarf_decl_line(die, &names.line) != 0)
        names.line = 0;
    name_lambda(binary, die, &names);
    return names;
}

/* gcc gives lambdas neither a mangled name nor a line, and templates of them one name: the place of
 * the declaration of such a function, which tells it from others on its line; 0 for all that have
 * names. */
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

/* What makes a function itself.  A mangled name tells enough to overlook that two units spell
 * the path of one file in two ways. */
static const char *
key_of(struct mp_binary *binary, Dwarf_Die *die, const struct names *names)
{
    return mp_arena_printf(binary->arena, "dwarf %s\n%s\n%d\n%" PRIx64,
                           names->full != NULL ? names->full : names->plain,
                           names->name != NULL ? mp_text_basename(names->file) : names->file,
                           names->line, nameless_place(die, names));
}

/* What was inlined, if DIE is an inlined call or a copy; else DIE. */
static Dwarf_Die
origin_of(Dwarf_Die *die)
{
    Dwarf_Die origin;

    return mp_die_reference(die, DW_AT_abstract_origin, &origin) ? origin : *die;
}

/* The function of DIE, which begins at START (0: inlined, it has no start). */
static uint32_t
declare(struct mp_binary *binary, Dwarf_Die *die, uint64_t start)
{
    struct names names = read_names(binary, die);
    struct mp_known known = { .start = start, .die = origin_of(die), .file = names.file };
    uint32_t index = MP_NO_ID;

    if (names.plain != NULL) {
        known.key = key_of(binary, die, &names);
        known.name = mp_texts_add(&binary->texts, names.plain);
        if (names.full != NULL)
            known.full = mp_texts_add(&binary->texts, names.full);
        if (names.name == NULL)
            known.alias = find_alias(binary, known.name, start);
        index = mp_known_add(binary, &known);
    }
    free(names.name);
    free(names.full);
    return index;
}

/* The same, once for each DIE; MP_NO_ID if it has no name. */
static uint32_t
known_of(struct mp_binary *binary, Dwarf_Die *die, uint64_t start)
{
    struct mp_dwarf *dwarf = binary->dwarf;
    uint32_t count = dwarf->dies.count;
    uint32_t number = mp_map_add_u64(&dwarf->dies, (uintptr_t)die->addr);

    if (number == count) {
        dwarf->knowns = mp_arena_grow(binary->arena, dwarf->knowns, count, &dwarf->knowns_room,
                                      sizeof *dwarf->knowns);
        dwarf->knowns[number] = declare(binary, die, start);
    }
    return dwarf->knowns[number];
}

/* ------------------------------------------------------------------------------ lookup */

static void
line_at(struct mp_binary *binary, struct unit *unit, Dwarf_Addr pc, const char **file,
        uint32_t *line)
{
    Dwarf_Die lines = mp_lines_unit(binary, &unit->lines);
    Dwarf_Line *row = dwarf_getsrc_die(&lines, pc);
    const char *name = row == NULL ? NULL : dwarf_linesrc(row, NULL, NULL);
    int number = 0;

    if (name == NULL)
        return;
    *file = mp_texts_add_path(&binary->texts, name);
    if (dwarf_lineno(row, &number) == 0 && number > 0)
        *line = (uint32_t)number;
}

void
mp_dwarf_line(struct mp_binary *binary, uint64_t address, const char **file, uint32_t *line)
{
    struct mp_dwarf *dwarf = binary->dwarf;
    uint32_t index = dwarf == NULL ? MP_NO_ID : mp_spans_find(&dwarf->spans, address);

    /* where what was inlined is not known, the line may be that of another function */
    if (index != MP_NO_ID && !dwarf->units[index].missing)
        line_at(binary, &dwarf->units[index], address - dwarf->bias, file, line);
}

/* Where the inlined call CALL stands in its caller. */
static void
line_of_call(struct mp_binary *binary, struct unit *unit, Dwarf_Die *call,
             struct mp_place *place)
{
    Dwarf_Attribute value;
    Dwarf_Word file, line;

    if (dwarf_formudata(dwarf_attr(call, DW_AT_call_file, &value), &file) == 0)
        place->file = file_of_unit(binary, &unit->top, file);
    if (dwarf_formudata(dwarf_attr(call, DW_AT_call_line, &value), &line) == 0 &&
        line <= INT32_MAX)
        place->line = (uint32_t)line;
}

/* Where the function's code begins; 0 not known. */
static uint64_t
entry_of(struct mp_dwarf *dwarf, Dwarf_Die *function)
{
    Dwarf_Addr base, start, end;

    if (dwarf_entrypc(function, &start) != 0 && dwarf_ranges(function, 0, &base, &start, &end) <= 0)
        return 0;
    return start + dwarf->bias;
}

/* Add the COUNT calls of CHAIN at PC, innermost first; the last is the function CONCRETE. */
static void
add_places(struct mp_binary *binary, struct unit *unit, Dwarf_Addr pc, Dwarf_Die *chain,
           uint32_t count, uint32_t concrete)
{
    struct mp_place place = { .file = "" };

    line_at(binary, unit, pc, &place.file, &place.line);
    for (uint32_t i = count; i-- > 0;) {
        Dwarf_Die origin = origin_of(&chain[i]);

        place.known = i == 0 ? concrete : known_of(binary, &origin, 0);
        if (place.known != MP_NO_ID)
            mp_place_add(binary, &place);
        place = (struct mp_place){ .file = "" };
        if (i > 0)
            line_of_call(binary, unit, &chain[i], &place);
    }
}

/* The DIE of the function at ADDRESS, in *UNIT; NULL: none. */
static Dwarf_Die *
function_at(struct mp_binary *binary, uint64_t address, struct unit **unit)
{
    uint32_t index = binary->dwarf ? mp_spans_find(&binary->dwarf->spans, address) : MP_NO_ID;

    if (index == MP_NO_ID)
        return NULL;
    *unit = &binary->dwarf->units[index];
    return find_function(binary, *unit, address);
}

uint32_t
mp_dwarf_unit_number(const struct mp_binary *binary, uint64_t address)
{
    return binary->dwarf == NULL ? MP_NO_ID : mp_spans_find(&binary->dwarf->spans, address);
}

Dwarf_Die *
mp_dwarf_unit(struct mp_binary *binary, uint64_t address)
{
    uint32_t index = mp_spans_find(&binary->dwarf->spans, address);

    return index == MP_NO_ID ? NULL : &binary->dwarf->units[index].top;
}

uint32_t
mp_dwarf_function(struct mp_symboliser *symboliser, struct mp_binary *binary, uint64_t address)
{
    struct unit *unit;
    Dwarf_Die *function = function_at(binary, address, &unit);
    uint32_t known = function == NULL
                         ? MP_NO_ID : known_of(binary, function, entry_of(binary->dwarf, function));

    return known == MP_NO_ID ? MP_NO_ID : mp_known_take(symboliser, binary, known);
}

bool
mp_dwarf_answer(struct mp_binary *binary, uint64_t address)
{
    struct mp_dwarf *dwarf = binary->dwarf;
    Dwarf_Die *function, chain[CHAIN_MAX];
    uint32_t concrete, count;
    struct unit *unit;

    function = function_at(binary, address, &unit);
    if (function == NULL)
        return false;
    concrete = known_of(binary, function, entry_of(dwarf, function));
    if (concrete == MP_NO_ID)
        return false;
    count = inline_chain(function, address - dwarf->bias, chain);
    add_places(binary, unit, address - dwarf->bias, chain, count, concrete);
    return true;
}
