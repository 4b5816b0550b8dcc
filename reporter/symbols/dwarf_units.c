/* SPDX-License-Identifier: MIT */
#include "dwarf_units.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "budget.h"
#include "die.h"
#include "dwarf_package.h"
#include "elf_open.h"
#include "private_copy.h"
#include "reporter/base/text.h"

#define RECENT          16u             /* maximum number of units whose functions are kept in memory */
#define UNIT_RANGES     (1u << 20)      /* maximum number of address ranges read of one unit */
#define FUNCTION_RANGES (1u << 12)      /* maximum for one function */
#define MODULE_RANGES   (1u << 24)      /* maximum for all units together; in damaged files many units may share a
                                           long list */
#define TABLE_BYTES     (UINT64_C(64) << 20)    /* charged for line tables before they are released */
#define A_FILE          256u            /* units of work to open a file */
#define A_RANGE         96u             /* bytes of a range and its function, with the lists' unused capacity */
#define NAME_SIZE       32u             /* "/proc/self/fd/" and a number */

struct mp_units {
    struct mp_unit *list;
    uint32_t count, room;
    struct mp_spans spans;      /* value: index in the list */
    struct mp_unit *recent[RECENT];     /* units whose functions are in memory; questions come sorted by unit */
    unsigned next;              /* next position in `recent` to use */
    struct mp_trim trim;
    uint32_t ranges;            /* number of ranges read so far */
};

/* -------------------------------------------------------------------- .dwo files */

/* The option -gsplit-dwarf stores debug information in .dwo files beside the object files. libdw opens and maps a .dwo
 * file itself, by the name in the program's unit, and has no function that takes an open file instead. It must map a
 * private copy (private_copy.h). While libdw opens the file, the copy's name therefore replaces the original name in
 * our copy of the program. */
struct splits {
    struct mp_binary *binary;
    uint32_t units, missing;    /* number of units with a .dwo file; number of units whose file was not found */
    struct mp_map files;        /* device and inode of each file */
    struct mp_package package;  /* the .dwp file beside the program, if any */
    int package_fd;             /* private copy of the package, or -1 */
    const char *first;          /* name of the first missing file */
};

static const char *
text_of(Dwarf_Die *unit, unsigned name, Dwarf_Attribute *value)
{
    return dwarf_attr(unit, name, value) == NULL ? NULL : dwarf_formstring(value);
}

/* Returns the descriptor FD of a private copy. Closes it and returns -1 if what libdw would do with it exceeds the
 * budget. */
static int
take_split(int fd)
{
    Elf *elf = fd < 0 ? NULL : mp_elf_open(fd, ELF_C_READ_MMAP_PRIVATE);
    const bool good = elf != NULL && mp_dwarf_take(elf);

    elf_end(elf);
    if (fd < 0 || good)
        return fd;
    close(fd);
    return -1;
}

/* Copies FD to *COPY, unless that exceeds the budget. */
static void
copy_split(struct splits *splits, int fd, struct mp_copy *copy)
{
    const uint32_t known = splits->files.count;
    struct stat status;

    if (fstat(fd, &status) != 0 || !mp_budget_work(A_FILE))
        return;
    /* many units may name one file */
    if (mp_map_add(&splits->files, &(ino_t[2]){(ino_t)status.st_dev, status.st_ino}, sizeof(ino_t[2])) == known)
        mp_budget_add_file(fd);
    mp_copy_make(fd, splits->binary->places, true, splits->binary->arena, copy);
}

/* Returns a copy of the file PATH, or -1. Frees PATH. */
static int
open_path(struct splits *splits, char *path)
{
    struct mp_copy copy = { .fd = -1 };
    const char *problem;
    int fd;

    if (path == NULL)
        return -1;
    fd = mp_file_open(path, splits->binary->arena, &problem);
    if (fd >= 0) {
        copy_split(splits, fd, &copy);
        close(fd);
    }
    free(path);
    return copy.fd;
}

/* Opens the .dwp file beside the program if there is one. */
static void
open_package(struct splits *splits)
{
    char *path;

    if (asprintf(&path, "%s.dwp", splits->binary->path) >= 0)
        splits->package_fd = open_path(splits, path);
    if (splits->package_fd >= 0)
        mp_package_open(&splits->package, splits->package_fd);
}

static void
close_package(struct splits *splits)
{
    mp_package_close(&splits->package);
    if (splits->package_fd >= 0)
        close(splits->package_fd);
}

/* Returns a copy of the .dwo file NAME, or -1. Looks beside the program's file, then below FOLDER, the directory of
 * the compilation. */
static int
open_file(struct splits *splits, const char *name, const char *folder)
{
    const char *program = splits->binary->path, *slash = strrchr(program, '/');
    char *path = NULL;
    int fd;

    if (*name == '/')
        return open_path(splits, strdup(name));
    if (slash == NULL || asprintf(&path, "%.*s/%s", (int)(slash - program), program, name) < 0)
        path = NULL;
    fd = open_path(splits, path);
    if (fd >= 0 || folder == NULL)
        return fd;
    return asprintf(&path, "%s/%s", folder, name) < 0 ? -1 : open_path(splits, path);
}

/* Returns the number of bytes that may be written at PLACE, which is in our copy of the file or in a section that
 * libelf has unpacked. */
static size_t
room_at(Dwarf *dwarf, const char *place)
{
    Elf *elf = dwarf_getelf(dwarf);
    size_t size;
    char *file = elf_rawfile(elf, &size);

    if (file != NULL && place >= file && place < file + size)
        return (size_t)(file + size - place);
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL;) {
        Elf_Data *data = elf_getdata(scn, NULL);
        const char *start = data == NULL ? NULL : data->d_buf;

        if (start != NULL && place >= start && place < start + data->d_size)
            return (size_t)(start + data->d_size - place);
    }
    return 0;
}

static bool
make_writable(char *place, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), before = (uintptr_t)place & (page - 1);

    return mprotect(place - before, before + size, PROT_READ | PROT_WRITE) == 0;
}

/* Lets libdw look for the .dwo file of the unit CU at PATH, which replaces the unit's file name at NAME meanwhile.
 * libdw remembers the result and never looks again. Returns false if PATH is too long. */
static bool
look_at(struct splits *splits, Dwarf_CU *cu, const Dwarf_Attribute *value, const char *name, const char *path)
{
    char saved[NAME_SIZE], *place = (char *)(uintptr_t)name;
    size_t size = strlen(path) + 1;
    size_t room = value->form == DW_FORM_string ? strlen(name) + 1
                                                : room_at(splits->binary->dwarf, name);
    Dwarf_Die split;

    if (size > room || !make_writable(place, size))
        return false;
    memcpy(saved, place, size);
    memcpy(place, path, size);
    dwarf_cu_info(cu, NULL, NULL, NULL, &split, NULL, NULL, NULL);
    memcpy(place, saved, size);
    return true;
}

/* Opens the .dwo file of UNIT if it has one. Returns false if libdw would open a file by the name in the unit, which
 * may be a device. That cannot be prevented if the name is not in our copy of the file. */
static bool
link_unit(struct splits *splits, Dwarf_CU *cu, Dwarf_Die *unit)
{
    Dwarf_Attribute value, other;
    const char *name = text_of(unit, DW_AT_dwo_name, &value);
    Dwarf_Die split = { 0 };
    char path[NAME_SIZE];
    uint64_t id = 0;
    bool done;
    int fd;

    if (name == NULL)
        name = text_of(unit, DW_AT_GNU_dwo_name, &value);
    if (name == NULL)
        return true;
    if (splits->units++ == 0)
        open_package(splits);
    dwarf_cu_info(cu, NULL, NULL, NULL, NULL, &id, NULL, NULL);
    fd = take_split(mp_package_unit(&splits->package, id));
    if (fd < 0)
        fd = take_split(open_file(splits, name, text_of(unit, DW_AT_comp_dir, &other)));
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    /* if libdw finds only a directory, it does not look for NAME, which may be a pipe or a file that others truncate */
    done = (fd >= 0 && look_at(splits, cu, &value, name, path)) || look_at(splits, cu, &value, name, "/");
    if (fd >= 0)
        close(fd);
    if (!done)
        return false;
    dwarf_cu_info(cu, NULL, NULL, NULL, &split, NULL, NULL, NULL);
    if (split.addr == NULL && splits->missing++ == 0)
        splits->first = mp_text_clean(splits->binary->arena, name, strlen(name));
    return true;
}

static void
say_missing(const struct splits *splits)
{
    struct mp_binary *binary = splits->binary;

    if (splits->missing == 0)
        return;
    binary->problem = mp_arena_printf(binary->arena, "debug information missing (%lu of %lu .dwo "
                                      "files: %s%s)", (unsigned long)splits->missing,
                                      (unsigned long)splits->units, splits->first,
                                      splits->missing > 1 ? " ..." : "");
}

/* Opens the .dwo files of BINARY's debug information, so that libdw does not open them itself. Reports missing files
 * in BINARY's `problem`. Returns false if libdw would open one. */
static bool
link_units(struct mp_binary *binary)
{
    struct splits splits = { .binary = binary, .files.arena = binary->arena, .package_fd = -1 };
    struct mp_trim trim = { .dwarf = binary->dwarf };
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit;
    uint8_t kind;
    bool good = true;

    while (good && mp_budget_work(1) && dwarf_get_units(binary->dwarf, cu, &cu, NULL, &kind, &unit, NULL) == 0) {
        if (unit.addr == NULL)
            continue;
        mp_trim_at(&trim, &unit);
        good = kind != DW_UT_skeleton || link_unit(&splits, cu, &unit);
    }
    close_package(&splits);
    binary->is_split = splits.units > 0;
    say_missing(&splits);
    return good;
}

/* ------------------------------------------------------------------------- units */

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
           (next = mp_die_ranges(die, next, &base, &start, &end)) > 0) {
        units->ranges++;
        mp_budget_hold(A_RANGE);
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
    if (!mp_dwarf_take(dwarf_getelf(binary->dwarf)) ||
        (binary->common != NULL && !mp_dwarf_take(dwarf_getelf(binary->common)))) {
        binary->dwarf = NULL;
        return false;
    }
    binary->bias = bias;
    if (binary->common != NULL)
        dwarf_setalt(binary->dwarf, binary->common);
    if (!link_units(binary)) {
        binary->dwarf = NULL;
        return false;
    }
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
    while (mp_budget_work(1) && mp_die_next_unit(binary->dwarf, &cu, &kind, &top, &code)) {
        mp_trim_at(&units->trim, &code);
        if (kind != DW_UT_compile && kind != DW_UT_skeleton)
            continue;
        units->list = mp_arena_grow(binary->arena, units->list, units->count, &units->room,
                                    sizeof *units->list);
        units->list[units->count] = (struct mp_unit){ .top = top, .lines = code,
                                                      .missing = is_missing(kind, &top, &code) };
        mp_budget_hold(2 * sizeof *units->list);
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

/* --------------------------------------------------------------------- line tables */

static void
close_second(struct mp_lines *lines)
{
    if (lines->second != NULL)
        dwarf_end(lines->second);
    lines->second = NULL;
    mp_line_tables_return(&lines->tables);
}

static bool
open_second(struct mp_lines *lines)
{
    if (lines->tables.bytes > TABLE_BYTES)
        close_second(lines);
    if (lines->second != NULL)
        return true;
    lines->second = dwarf_begin_elf(dwarf_getelf(lines->first), DWARF_C_READ, NULL);
    if (lines->second != NULL && lines->common != NULL)
        dwarf_setalt(lines->second, lines->common);
    return lines->second != NULL;
}

Dwarf_Die
mp_lines_unit(struct mp_lines *lines, Dwarf_Die *unit)
{
    Dwarf_Die same = *unit;

    if (lines->first != NULL && dwarf_cu_getdwarf(unit->cu) == lines->first && open_second(lines) &&
        dwarf_offdie(lines->second, dwarf_dieoffset(unit), &same) == NULL)
        same = *unit;
    if (!mp_line_table_take(&lines->tables, &same))
        same.addr = NULL;
    return same;
}

/* ------------------------------------------------------------------------- functions */

static void
forget(struct mp_units *units, struct mp_unit *unit)
{
    units->ranges -= unit->ranges;
    mp_budget_return(MP_MEMORY, A_RANGE * (uint64_t)unit->ranges);
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
    close_second(&binary->lines);
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
    mp_budget_return(MP_MEMORY, A_RANGE * (uint64_t)unit->ranges);
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
