/* SPDX-License-Identifier: MIT */
#include "fas_file.h"

#include <fcntl.h>
#include <string.h>

#include "runtime/system/sys.h"

#define MAX_FILE ((off_t)1 << 28)       /* maximum size in bytes */

static bool
within(const struct mp_fas *fas, uint64_t offset, uint64_t size)
{
    return offset <= fas->size && size <= fas->size - offset;
}

/* ------------------------------------------------------------------ sections */

static bool
read_symbols(struct mp_fas *fas, const Elf64_Shdr *table, const Elf64_Shdr *strings)
{
    if (!within(fas, table->sh_offset, table->sh_size) || table->sh_offset % 8 != 0 ||
        !within(fas, strings->sh_offset, strings->sh_size) || strings->sh_size == 0 ||
        fas->map[strings->sh_offset + strings->sh_size - 1] != 0)
        return false;
    fas->symbols = (const void *)(fas->map + table->sh_offset);
    fas->n = table->sh_size / sizeof *fas->symbols;
    fas->strings = (const char *)fas->map + strings->sh_offset;
    fas->strings_size = strings->sh_size;
    return true;
}

/* Finds the symbol table, or the exported symbols of a stripped file. */
static bool
find_symbols(struct mp_fas *fas, const Elf64_Shdr *sections, unsigned n)
{
    bool found = false;

    for (unsigned i = 0; i < n; i++) {
        const Elf64_Shdr *table = &sections[i];

        if (table->sh_link >= n)
            continue;
        if (table->sh_type == SHT_SYMTAB && read_symbols(fas, table, &sections[table->sh_link])) {
            fas->stripped = false;
            return true;
        }
        if (table->sh_type == SHT_DYNSYM)
            found |= read_symbols(fas, table, &sections[table->sh_link]);
    }
    fas->stripped = true;
    return found;
}

static void
find_debug_info(struct mp_fas *fas, const Elf64_Shdr *sections, unsigned n, unsigned names)
{
    static const char name[] = ".debug_info";
    const Elf64_Shdr *strings = &sections[names < n ? names : 0];

    if (!within(fas, strings->sh_offset, strings->sh_size))
        return;
    for (unsigned i = 0; i < n; i++) {
        const Elf64_Shdr *section = &sections[i];

        if (section->sh_type != SHT_PROGBITS || strings->sh_size < sizeof name ||
            section->sh_name > strings->sh_size - sizeof name ||
            memcmp(fas->map + strings->sh_offset + section->sh_name, name, sizeof name) != 0 ||
            !within(fas, section->sh_offset, section->sh_size))
            continue;
        fas->has_debug_info = true;
        if (section->sh_flags & SHF_COMPRESSED)
            return;
        fas->debug_info = fas->map + section->sh_offset;
        fas->debug_info_size = section->sh_size;
    }
}

static bool
find_sections(struct mp_fas *fas)
{
    const Elf64_Ehdr *header = (const void *)fas->map;
    const Elf64_Shdr *sections;

    if (fas->size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_shentsize != sizeof *sections || header->e_shoff % 8 != 0 ||
        !within(fas, header->e_shoff, (uint64_t)header->e_shnum * sizeof *sections))
        return false;
    fas->machine = header->e_machine;
    if (header->e_phentsize == sizeof *fas->segments && header->e_phoff % 8 == 0 &&
        within(fas, header->e_phoff, (uint64_t)header->e_phnum * sizeof *fas->segments)) {
        fas->segments = (const void *)(fas->map + header->e_phoff);
        fas->n_segments = header->e_phnum;
    }
    sections = (const void *)(fas->map + header->e_shoff);
    if (header->e_shnum)
        find_debug_info(fas, sections, header->e_shnum, header->e_shstrndx);
    return find_symbols(fas, sections, header->e_shnum);
}

const char *
mp_fas_name(const struct mp_fas *fas, const Elf64_Sym *symbol)
{
    return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_size && symbol->st_name < fas->strings_size &&
                   (symbol->st_value < fas->left_out || symbol->st_value >= fas->left_out_end)
               ? fas->strings + symbol->st_name : "";
}

const uint8_t *
mp_fas_bytes(const struct mp_fas *fas, uint64_t address, uint64_t size)
{
    for (size_t i = 0; i < fas->n_segments; i++) {
        const Elf64_Phdr *segment = &fas->segments[i];
        uint64_t at = address - segment->p_vaddr;

        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr && at <= segment->p_filesz &&
            size <= segment->p_filesz - at && within(fas, segment->p_offset, segment->p_filesz))
            return fas->map + segment->p_offset + at;
    }
    return NULL;
}

/* ------------------------------------------------------------------ the file */

/* Returns a copy of the file in newly mapped memory, or NULL. */
static void *
read_file(const char *path, size_t *size)
{
    long fd = mp_sys_open_regular(path, O_RDONLY), got;
    struct stat status;
    char *bytes = NULL;
    size_t done = 0;

    if (fd < 0)
        return NULL;
    if (mp_sys_fstat((int)fd, &status) == 0 && status.st_size < MAX_FILE)
        bytes = mp_sys_map(*size = (size_t)status.st_size);
    /* missing bytes remain zero */
    while (bytes && done < *size && (got = mp_sys_pread((int)fd, bytes + done, *size - done, done)) > 0)
        done += (size_t)got;
    mp_sys_close((int)fd);
    return bytes;
}

bool
mp_fas_open(struct mp_fas *fas, const char *path, uintptr_t bias)
{
    void *bytes;

    *fas = (struct mp_fas){ .bias = bias };
    bytes = read_file(path, &fas->size);
    if (!bytes)
        return false;
    fas->map = bytes;
    if (find_sections(fas))
        return true;
    mp_fas_close(fas);
    return false;
}

void
mp_fas_close(struct mp_fas *fas)
{
    mp_sys_unmap((void *)(uintptr_t)fas->map, fas->size);
}
