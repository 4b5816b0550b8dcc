/* SPDX-License-Identifier: MIT */
#include "dwarf_package.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "budget.h"
#include "dwarf_check.h"
#include "elf_open.h"
#include "reporter/base/buffer.h"

#define MOST_COLUMNS 16u
#define A_UNIT      64u         /* bytes that are copied in a unit of work */
#define A_STRING    8u          /* strings that are copied in a unit of work */

/* The index, described in section 7.3.5 of DWARF 5: a header, a hash table of ids, the row of each place of the hash
 * table, a row with the kind of each column, and for each unit a row of offsets. After the last one follow as many rows
 * of sizes. Version 2 is GNU's for DWARF 4. */
#define HEADER_SIZE 16u

/* Kinds of columns. */
enum { INFO = 1, ABBREV = 3, LINE = 4, PLACES = 5, STR_OFFSETS = 6, RANGES = 8, KINDS };

/* Returns the name of the section with the parts of KIND, or NULL if it is not needed. */
static const char *
name_of(const struct mp_package *package, unsigned kind)
{
    static const char *const names[KINDS] = {
        [INFO] = "info", [ABBREV] = "abbrev", [LINE] = "line", [STR_OFFSETS] = "str_offsets",
    };

    if (kind == PLACES)
        return package->version == 2 ? "loc" : "loclists";
    if (kind == RANGES)
        return package->version == 2 ? NULL : "rnglists";
    return names[kind];
}

static uint32_t
word_at(const Elf_Data *data, uint64_t offset)
{
    uint32_t word;

    memcpy(&word, (const char *)data->d_buf + offset, sizeof word);
    return word;
}

static uint64_t
long_at(const Elf_Data *data, uint64_t offset)
{
    uint64_t value;

    memcpy(&value, (const char *)data->d_buf + offset, sizeof value);
    return value;
}

/* Reads the header of the index. Returns false if the index is not complete. */
static bool
read_header(struct mp_package *package)
{
    const Elf_Data *index = package->index;
    uint16_t version;

    if (index == NULL || index->d_size < HEADER_SIZE)
        return false;
    memcpy(&version, index->d_buf, sizeof version);
    package->version = version == 5 ? 5 : word_at(index, 0);
    package->n_columns = word_at(index, 4);
    package->n_units = word_at(index, 8);
    package->n_slots = word_at(index, 12);
    return (package->version == 2 || package->version == 5) && package->n_columns <= MOST_COLUMNS &&
           package->n_slots > 0 && (package->n_slots & (package->n_slots - 1)) == 0 &&
           HEADER_SIZE + 12 * (uint64_t)package->n_slots +
                   4 * (uint64_t)package->n_columns * (1 + 2 * (uint64_t)package->n_units) <= index->d_size;
}

bool
mp_package_open(struct mp_package *package, int fd)
{
    const char *ident;

    *package = (struct mp_package){ .elf = mp_elf_open(fd, ELF_C_READ_MMAP_PRIVATE) };
    if (package->elf == NULL)
        return false;
    ident = elf_getident(package->elf, NULL);
    package->index = mp_dwarf_section(package->elf, "cu_index");
    package->strings = mp_dwarf_section(package->elf, "str");
    if (ident[EI_CLASS] == ELFCLASS64 &&
        ident[EI_DATA] == (__BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB) && read_header(package))
        return true;
    mp_package_close(package);
    return false;
}

void
mp_package_close(struct mp_package *package)
{
    elf_end(package->elf);
    *package = (struct mp_package){ .elf = NULL };
}

/* Returns the number of the row of the unit ID, from 1 on, or 0. */
static uint32_t
find_row(const struct mp_package *package, uint64_t id)
{
    const uint64_t mask = package->n_slots - 1, step = (id >> 32 & mask) | 1;
    uint64_t slot = id & mask;
    uint32_t row = 0;

    for (uint32_t i = 0; i < package->n_slots && mp_budget_work(1); i++, slot = (slot + step) & mask) {
        row = word_at(package->index, HEADER_SIZE + 8 * (uint64_t)package->n_slots + 4 * slot);
        if (row == 0 || long_at(package->index, HEADER_SIZE + 8 * slot) == id)
            return row <= package->n_units ? row : 0;
    }
    return 0;
}

/* A part of a section: its bytes in the package. */
struct part {
    const char *bytes;
    uint64_t size;
};

/* Finds the parts of the unit in ROW. Returns false if one is outside of its section, or all are too large. */
static bool
find_parts(const struct mp_package *package, uint32_t row, struct part parts[KINDS])
{
    const uint64_t kinds = HEADER_SIZE + 12 * (uint64_t)package->n_slots, width = 4 * (uint64_t)package->n_columns;
    const uint64_t offsets = kinds + row * width, sizes = offsets + package->n_units * width;
    uint64_t sum = 0;

    for (uint32_t i = 0; i < package->n_columns; i++) {
        const uint32_t kind = word_at(package->index, kinds + 4 * i);
        const uint32_t offset = word_at(package->index, offsets + 4 * i), size = word_at(package->index, sizes + 4 * i);
        const char *name = kind < KINDS ? name_of(package, kind) : NULL;
        const Elf_Data *data = name != NULL ? mp_dwarf_section(package->elf, name) : NULL;

        if (data == NULL)
            continue;           /* not needed, or hidden because it was too large */
        if (offset > data->d_size || size > data->d_size - offset)
            return false;
        parts[kind] = (struct part){ (const char *)data->d_buf + offset, size };
        sum += size;
    }
    return mp_budget_take(MP_UNPACKED, sum) && mp_budget_take(MP_WORK, sum / A_UNIT);
}

/* Appends the string at OFFSET of the package's table to STRINGS. */
static bool
copy_string(const struct mp_package *package, uint32_t offset, struct mp_buffer *strings)
{
    const size_t most = offset < package->strings->d_size ? package->strings->d_size - offset : 0;
    const char *start = (const char *)package->strings->d_buf + (most > 0 ? offset : 0);
    const size_t size = strnlen(start, most) + 1;

    if (size > most || !mp_budget_take(MP_UNPACKED, size) || !mp_budget_work(size / A_UNIT))
        return false;
    mp_buffer_bytes(strings, start, size);
    return true;
}

/* Writes the strings to which the offsets PART refer to STRINGS, and their offsets there to OFFSETS. DWARF 5 has a
 * header of 8 bytes before the offsets. */
static bool
copy_strings(const struct mp_package *package, const struct part *part, struct mp_buffer *offsets,
             struct mp_buffer *strings)
{
    const uint64_t start = package->version == 5 && part->size >= 8 ? 8 : 0;

    if (start > 0)
        mp_buffer_bytes(offsets, part->bytes, start);
    for (uint64_t at = start; part->size - at >= 4; at += 4) {
        const uint32_t now = (uint32_t)strings->size;
        uint32_t offset;

        memcpy(&offset, part->bytes + at, sizeof offset);
        if (package->strings == NULL || (at / 4 % A_STRING == 0 && !mp_budget_work(1)) ||
            !copy_string(package, offset, strings))
            return false;
        mp_buffer_bytes(offsets, &now, sizeof now);
    }
    return true;
}

/* ---------------------------------------------------------------- the file of a unit */

/* An ELF file that is written. Its first section has no name, and its last one contains the names. */
struct file {
    struct mp_buffer content, names;
    Elf64_Shdr headers[KINDS + 3];
    unsigned n;
};

static void
add_name(struct file *file, const char *before, const char *name, const char *after)
{
    file->headers[file->n].sh_name = (Elf64_Word)file->names.size;
    mp_buffer_bytes(&file->names, before, strlen(before));
    mp_buffer_bytes(&file->names, name, strlen(name));
    mp_buffer_bytes(&file->names, after, strlen(after) + 1);
}

/* Adds the section header for SIZE bytes, which the caller appends to the content then. */
static void
add_header(struct file *file, uint64_t size, uint32_t type)
{
    static const uint8_t zeros[8];
    Elf64_Shdr *header = &file->headers[file->n++];

    mp_buffer_bytes(&file->content, zeros, -file->content.size % sizeof zeros);
    header->sh_type = type;
    header->sh_offset = sizeof(Elf64_Ehdr) + file->content.size;
    header->sh_size = size;
    header->sh_addralign = 1;
}

static void
add_section(struct file *file, const char *name, const void *bytes, uint64_t size)
{
    add_name(file, ".debug_", name, ".dwo");
    add_header(file, size, SHT_PROGBITS);
    mp_buffer_bytes(&file->content, bytes, size);
}

static bool
write_all(int fd, const void *bytes, size_t size)
{
    return write(fd, bytes, size) == (ssize_t)size;
}

/* Writes FILE to a file without a name. Returns its descriptor, or -1. */
static int
write_file(struct file *file, const struct mp_package *package)
{
    static const uint8_t zeros[8];
    const size_t padding = -file->content.size % sizeof zeros;
    GElf_Ehdr theirs;
    Elf64_Ehdr header;
    int fd;

    if (gelf_getehdr(package->elf, &theirs) == NULL)
        return -1;
    header = (Elf64_Ehdr){ .e_type = ET_REL, .e_machine = theirs.e_machine, .e_version = EV_CURRENT,
                           .e_shoff = sizeof header + file->content.size + padding, .e_ehsize = sizeof header,
                           .e_shentsize = sizeof *file->headers, .e_shnum = (Elf64_Half)file->n,
                           .e_shstrndx = (Elf64_Half)(file->n - 1) };
    memcpy(header.e_ident, theirs.e_ident, EI_NIDENT);
    fd = memfd_create("mprof", MFD_CLOEXEC);
    if (fd < 0 || (write_all(fd, &header, sizeof header) && write_all(fd, file->content.bytes, file->content.size) &&
                   write_all(fd, zeros, padding) && write_all(fd, file->headers, file->n * sizeof *file->headers)))
        return fd;
    close(fd);
    return -1;
}

/* Makes the file of a unit with PARTS. */
static int
make_file(const struct mp_package *package, const struct part parts[KINDS])
{
    struct file file = { .n = 1 };
    struct mp_buffer offsets = { 0 }, strings = { 0 };
    int fd = -1;

    mp_buffer_bytes(&file.names, "", 1);
    for (unsigned kind = 0; kind < KINDS; kind++)
        if (parts[kind].size > 0 && kind != STR_OFFSETS)
            add_section(&file, name_of(package, kind), parts[kind].bytes, parts[kind].size);
    if (copy_strings(package, &parts[STR_OFFSETS], &offsets, &strings)) {
        if (offsets.size > 0) {
            add_section(&file, name_of(package, STR_OFFSETS), offsets.bytes, offsets.size);
            add_section(&file, "str", strings.bytes, strings.size);
        }
        add_name(&file, "", ".shstrtab", "");
        add_header(&file, file.names.size, SHT_STRTAB);
        mp_buffer_bytes(&file.content, file.names.bytes, file.names.size);
        fd = write_file(&file, package);
    }
    mp_buffer_free(&offsets);
    mp_buffer_free(&strings);
    mp_buffer_free(&file.content);
    mp_buffer_free(&file.names);
    return fd;
}

int
mp_package_unit(const struct mp_package *package, uint64_t id)
{
    const uint32_t row = package->elf == NULL ? 0 : find_row(package, id);
    struct part parts[KINDS] = { { NULL, 0 } };

    return row > 0 && find_parts(package, row, parts) ? make_file(package, parts) : -1;
}
