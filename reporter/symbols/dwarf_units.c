#include "dwarf_units.h"

#include <dwarf.h>

#include "die.h"
#include "split.h"

#define RECENT          16u             /* maximum number of units whose functions are kept in memory */
#define UNIT_RANGES     (1u << 20)      /* maximum number of address ranges read of one unit */
#define FUNCTION_RANGES (1u << 12)      /* maximum for one function */
#define MODULE_RANGES   (1u << 24)      /* maximum for all units together; in damaged files many units may share a
                                           long list */

struct mp_units {
    struct mp_unit *list;
    uint32_t count, room;
    struct mp_spans spans;      /* value: index in the list */
    struct mp_unit *recent[RECENT];     /* units whose functions are in memory; questions come sorted by unit */
    unsigned next;              /* next position in `recent` to use */
    struct mp_trim trim;
    uint32_t ranges;            /* number of ranges read so far */
};

/* Adds the address ranges of DIE to SPANS with VALUE, at most LIMIT of them. Skips ranges outside of executable
 * segments and at 0, which belong to code that the linker dropped. */
static void
add_ranges(struct mp_binary *binary, Dwarf_Die *die, uint32_t limit, struct mp_spans *spans,
           struct mp_arena *arena, uint32_t value)
{
    struct mp_units *units = binary->units;
    Dwarf_Addr base, start, end;
    ptrdiff_t next = 0;

    while (limit-- > 0 && units->ranges < MODULE_RANGES &&
           (next = dwarf_ranges(die, next, &base, &start, &end)) > 0) {
        units->ranges++;
        start += binary->bias;
        end += binary->bias;
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

/* Opens libdw's handle and passes it all files that belong to BINARY, so that libdw opens none itself. */
static bool
open_handle(struct mp_binary *binary)
{
    Dwarf_Addr bias;

    binary->dwarf = dwfl_module_getdwarf(binary->dwfl_module, &bias);
    if (binary->dwarf == NULL)
        return false;
    binary->bias = bias;
    if (binary->common_fd >= 0 && binary->common == NULL)
        binary->common = dwarf_begin(binary->common_fd, DWARF_C_READ);
    if (binary->common != NULL)
        dwarf_setalt(binary->dwarf, binary->common);
    mp_split_link(binary);
    /* split units are connected in the first handle only */
    binary->lines.first = binary->is_split ? NULL : binary->dwarf;
    binary->lines.common = binary->common;
    return true;
}

/* Returns whether UNIT's .dwo file is missing. clang leaves inlined functions in the skeleton unit, which suffices
 * for lines; such a unit is not missing. */
static bool
is_missing(uint8_t kind, Dwarf_Die *top, const Dwarf_Die *code)
{
    return kind == DW_UT_skeleton && top->addr == code->addr && dwarf_haschildren(top) == 0;
}

void
mp_units_open(struct mp_binary *binary)
{
    struct mp_units *units;
    Dwarf_CU *cu = NULL;
    Dwarf_Die top, code;
    uint8_t kind;

    if (!open_handle(binary)) {
        say_unreadable(binary);
        return;
    }
    units = binary->units = mp_arena_alloc(binary->arena, sizeof *units);
    units->trim.dwarf = binary->dwarf;
    while (mp_die_next_unit(binary->dwarf, &cu, &kind, &top, &code)) {
        mp_trim_at(&units->trim, &code);
        if (kind != DW_UT_compile && kind != DW_UT_skeleton)
            continue;
        units->list = mp_arena_grow(binary->arena, units->list, units->count, &units->room,
                                    sizeof *units->list);
        units->list[units->count] = (struct mp_unit){ .top = top, .lines = code,
                                                      .missing = is_missing(kind, &top, &code) };
        add_ranges(binary, &code, UNIT_RANGES, &units->spans, binary->arena, units->count++);
    }
    mp_spans_flatten(&units->spans, binary->arena);
    if (units->count == 0)
        say_unreadable(binary);
}

void
mp_units_trim(struct mp_binary *binary, Dwarf_Die *die)
{
    if (binary->units != NULL)
        mp_trim_at(&binary->units->trim, die);
}

uint32_t
mp_unit_number(const struct mp_binary *binary, uint64_t address)
{
    return binary->units == NULL ? MP_NO_ID : mp_spans_find(&binary->units->spans, address);
}

struct mp_unit *
mp_unit_at(const struct mp_binary *binary, uint64_t address)
{
    uint32_t number = mp_unit_number(binary, address);

    return number == MP_NO_ID ? NULL : &binary->units->list[number];
}

/* ------------------------------------------------------------------------- functions */

static void
forget(struct mp_units *units, struct mp_unit *unit)
{
    units->ranges -= unit->ranges;
    unit->ranges = 0;
    mp_arena_free(unit->arena);
    unit->arena = NULL;
    unit->spans = (struct mp_spans){ 0 };
    unit->functions = NULL;
    unit->n_functions = unit->room = 0;
    unit->state = MP_UNIT_UNREAD;
}

/* Gives UNIT an arena. If RECENT units have an arena already, first frees the arena of the oldest one. */
static void
make_room(struct mp_units *units, struct mp_unit *unit)
{
    struct mp_unit **place = &units->recent[units->next];

    if (unit->arena != NULL)
        return;
    if (*place != NULL)
        forget(units, *place);
    *place = unit;
    units->next = (units->next + 1) % RECENT;
    unit->arena = mp_arena_new();
}

void
mp_units_close(struct mp_binary *binary)
{
    mp_lines_close(&binary->lines);
    for (unsigned i = 0; binary->units != NULL && i < RECENT; i++)
        if (binary->units->recent[i] != NULL)
            forget(binary->units, binary->units->recent[i]);
}

/* Reads the functions of UNIT. Most functions are at the top level or in namespaces. GNU C's nested functions and
 * methods of local classes are inside other functions and are read only if ALL. */
static void
read_functions(struct mp_binary *binary, struct mp_unit *unit, bool all)
{
    struct mp_die_walk walk;
    bool descend = true;
    uint32_t ranges;

    make_room(binary->units, unit);
    ranges = binary->units->ranges -= unit->ranges;
    mp_trim_at(&binary->units->trim, &unit->top);
    unit->spans = (struct mp_spans){ 0 };
    unit->n_functions = 0;
    unit->state = all ? MP_UNIT_ALL : MP_UNIT_OUTER;
    mp_die_walk_begin(&walk, &unit->top);
    for (Dwarf_Die *die; (die = mp_die_walk_next(&walk, descend)) != NULL;) {
        int tag = dwarf_tag(die);
        uint32_t before = unit->spans.count;

        descend = all || tag == DW_TAG_namespace || tag == DW_TAG_module;
        if (tag != DW_TAG_subprogram)
            continue;
        add_ranges(binary, die, FUNCTION_RANGES, &unit->spans, unit->arena,
                   unit->n_functions);
        if (unit->spans.count == before)
            continue;
        unit->functions = mp_arena_grow(unit->arena, unit->functions, unit->n_functions,
                                        &unit->room, sizeof *unit->functions);
        unit->functions[unit->n_functions++] = *die;
    }
    unit->ranges = binary->units->ranges - ranges;
    mp_spans_flatten(&unit->spans, unit->arena);
}

Dwarf_Die *
mp_unit_function(struct mp_binary *binary, struct mp_unit *unit, uint64_t address)
{
    uint32_t index;

    if (unit->state == MP_UNIT_UNREAD)
        read_functions(binary, unit, false);
    index = mp_spans_find(&unit->spans, address);
    if (index == MP_NO_ID && unit->state == MP_UNIT_OUTER) {
        read_functions(binary, unit, true);
        index = mp_spans_find(&unit->spans, address);
    }
    return index == MP_NO_ID ? NULL : &unit->functions[index];
}
