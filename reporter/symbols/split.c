#include "split.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "die.h"
#include "file_copy.h"
#include "reporter/base/text.h"

#define NAME_SIZE 32u           /* "/proc/self/fd/" and a number */

/* The split units of a binary. */
struct splits {
    struct mp_binary *binary;
    uint32_t units, missing;
    const char *first;          /* name of the first missing file */
};

static const char *
text_of(Dwarf_Die *unit, unsigned name, Dwarf_Attribute *value)
{
    return dwarf_attr(unit, name, value) == NULL ? NULL : dwarf_formstring(value);
}

/* ---------------------------------------------------------------- the file of a unit */

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
        mp_copy_make(fd, splits->binary->places, splits->binary->arena, &copy);
        close(fd);
    }
    free(path);
    return copy.fd;
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

/* ------------------------------------------------------- libdw's access to the file */

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

/* Lets libdw open the file of the unit CU, while the path of FD replaces the unit's file name at NAME. */
static void
look_at(struct splits *splits, Dwarf_CU *cu, const Dwarf_Attribute *value, const char *name, int fd)
{
    char ours[NAME_SIZE], saved[NAME_SIZE], *place = (char *)(uintptr_t)name;
    size_t size = (size_t)snprintf(ours, sizeof ours, "/proc/self/fd/%d", fd) + 1;
    size_t room = value->form == DW_FORM_string ? strlen(name) + 1
                                                : room_at(splits->binary->dwarf, name);
    Dwarf_Die split;

    if (size > room || !make_writable(place, size))
        return;
    memcpy(saved, place, size);
    memcpy(place, ours, size);
    dwarf_cu_info(cu, NULL, NULL, NULL, &split, NULL, NULL, NULL);
    memcpy(place, saved, size);
}

/* -------------------------------------------------------------------------- the units */

static void
link_unit(struct splits *splits, Dwarf_CU *cu, Dwarf_Die *unit)
{
    Dwarf_Attribute value, other;
    const char *name = text_of(unit, DW_AT_dwo_name, &value);
    Dwarf_Die split = { 0 };
    int fd;

    if (name == NULL)
        name = text_of(unit, DW_AT_GNU_dwo_name, &value);
    if (name == NULL)
        return;
    splits->units++;
    fd = open_file(splits, name, text_of(unit, DW_AT_comp_dir, &other));
    if (fd >= 0) {
        look_at(splits, cu, &value, name, fd);
        close(fd);
        dwarf_cu_info(cu, NULL, NULL, NULL, &split, NULL, NULL, NULL);
    }
    if (split.addr == NULL && splits->missing++ == 0)
        splits->first = mp_text_clean(splits->binary->arena, name, strlen(name));
}

static void
say_missing(const struct splits *splits)
{
    struct mp_binary *binary = splits->binary;
    char *package;

    if (splits->missing == 0)
        return;
    binary->problem = mp_arena_printf(binary->arena, "debug information missing (%lu of %lu .dwo "
                                      "files: %s%s)", (unsigned long)splits->missing,
                                      (unsigned long)splits->units, splits->first,
                                      splits->missing > 1 ? " ..." : "");
    if (asprintf(&package, "%s.dwp", binary->path) < 0)
        return;
    if (access(package, F_OK) == 0)
        binary->problem = "debug information in a .dwp file, which is not read";
    free(package);
}

void
mp_split_link(struct mp_binary *binary)
{
    struct splits splits = { .binary = binary };
    struct mp_trim trim = { .dwarf = binary->dwarf };
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit;
    uint8_t kind;

    while (dwarf_get_units(binary->dwarf, cu, &cu, NULL, &kind, &unit, NULL) == 0) {
        if (unit.addr == NULL)
            continue;
        mp_trim_at(&trim, &unit);
        if (kind == DW_UT_skeleton)
            link_unit(&splits, cu, &unit);
    }
    binary->is_split = splits.units > 0;
    say_missing(&splits);
}
